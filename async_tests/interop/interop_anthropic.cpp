// anthropic_model and gemini_model against the server of aimock.mjs, which is from another project.
// usage: interop_anthropic <base URL, which ends with /v1>

#include "provider_checks.hpp"

#include <weft/model/anthropic_model.hpp>
#include <weft/model/gemini_model.hpp>

#include <string>
#include <utility>

namespace {

using interop::ask;
using interop::expect;
using interop::reply_of;

weft::anthropic_model_options anthropic_at(const std::string& base_url)
{
    weft::anthropic_model_options options;
    options.base_url = base_url;
    options.model = "claude-sonnet-4-5";
    options.key = weft::secret_string{"sk-TEST"};
    return options;
}

/** A turn with thinking goes on only if its thinking comes back as it was: the server looks, if it is told to. */
void check_thinking(const std::string& base_url)
{
    weft::anthropic_model_options options = anthropic_at(base_url);
    options.settings.thinking.how = weft::anthropic_thinking::mode::budget;
    options.settings.thinking.budget = weft::tokens{1024};
    options.settings.headers = {{"X-AIMock-Strict", "true"}};
    weft::anthropic_model model{weft::http_client{}, std::move(options)};
    const weft::chat_reply call = reply_of(ask(model, "ponder"));
    expect("the thought", call.message.reasoning(), "I need the weather.");
    expect("the number of calls", call.message.tool_calls.size(), 1U);
    expect("whether there is more than the neutral form", static_cast<bool>(call.message.provider), true);

    weft::chat_request next;
    next.user("ponder").add(call.message);
    next.add(weft::message::tool_result(call.message.tool_calls.at(0).id, "sunny")).user("hello");
    expect("the turn after a thought", weft::run_blocking(model.reply(next)).message.text(),
           "Grüße 😀😀😀 from aimock 🌍!");

    weft::message forgetful = call.message;
    forgetful.provider.reset();
    next.messages = {weft::message::user("ponder"), forgetful,
                     weft::message::tool_result(call.message.tool_calls.at(0).id, "sunny"),
                     weft::message::user("hello")};
    try {
        (void)weft::run_blocking(model.reply(next));
        expect("whether the server looks", false, true);
    } catch (const weft::model_error& e) {
        expect("what the server says to a thought that is missing", name_of(e.code()), "model_rejected");
    }
}

}  // namespace

int main(int argc, char** argv)
{
    return interop::check_at_url(argc, argv, [](const std::string& base_url) {
        weft::anthropic_model anthropic{weft::http_client{}, anthropic_at(base_url)};
        interop::check_all(anthropic, {.reasoning = "six times seven 😀😀", .stop_when_cut = "length"});
        check_thinking(base_url);

        weft::gemini_model_options options;
        options.base_url = base_url.substr(0, base_url.rfind("/v1")) + "/v1beta";
        options.model = "gemini-2.5-flash";
        options.key = weft::secret_string{"TEST"};
        weft::gemini_model gemini{weft::http_client{}, std::move(options)};
        interop::check_all(gemini, {.reasoning = "six times seven 😀😀", .stop_when_cut = "length"});
    });
}
