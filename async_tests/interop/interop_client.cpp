// openai_model against the server of aimock.mjs, which is from another project. usage: interop_client <base URL>

#include "interop_checks.hpp"

#include <weft/model/openai_model.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace {

using namespace interop;

constexpr std::string_view whole_text = "one two three four five six seven";  // that aimock.mjs cuts

void check_replies(weft::openai_model& model)
{
    const outcome hello = ask(model, "hello");
    expect("the greeting", reply_of(hello).message.text(), "Grüße 😀😀😀 from aimock 🌍!");
    expect("whether it came in pieces", hello.sink.pieces > 3, true);
    expect("the reason to stop", name_of(reply_of(hello).stop), "stop");

    const outcome thought = ask(model, "think");
    expect("the answer", reply_of(thought).message.text(), "42");
    expect("the reasoning", reply_of(thought).message.reasoning(), "six times seven 😀😀");
    expect("the reason of a cut", name_of(reply_of(ask(model, "short")).stop), "length");

    const weft::usage spent = reply_of(ask(model, "count")).usage;
    expect("tokens read", spent.input.count(), 11);
    expect("tokens written", spent.output.count(), 7);
}

void check_tools(weft::openai_model& model)
{
    const weft::chat_reply call = reply_of(ask(model, "weather"));
    expect("the number of calls", call.message.tool_calls.size(), 1U);
    expect("the tool", call.message.tool_calls.at(0).name, "weather");
    expect("its arguments", call.message.tool_calls.at(0).arguments, R"({"city":"Lisbon 😀😀"})");
    expect("its id", call.message.tool_calls.at(0).id, "call_1");
    expect("the reason to stop", name_of(call.stop), "tool_calls");

    const weft::chat_reply both = reply_of(ask(model, "both"));
    expect("the text beside a call", both.message.text(), "One moment.");
    expect("the arguments beside a text", both.message.tool_calls.at(0).arguments, R"({"city":"Rome"})");
}

void check_failures(weft::openai_model& model)
{
    const weft::model_error limited = failure_of(ask(model, "limit"));
    expect("status 429", name_of(limited.code()), name_of(weft::errc::model_rate_limited));
    expect("the wait", limited.failure().retry_after.value_or(std::chrono::milliseconds{0}).count(), 2000);
    expect("status 500", name_of(failure_of(ask(model, "broken")).code()), name_of(weft::errc::model_overloaded));
    expect("status 401", name_of(failure_of(ask(model, "key")).code()), name_of(weft::errc::model_unauthorized));
    expect("no fixture", name_of(failure_of(ask(model, "?")).code()), name_of(weft::errc::model_not_found));

    const weft::model_error cut = failure_of(ask(model, "vanish"));
    // Without TLS, the server resets the connection, and what it had sent may be lost with it.
    const bool is_broken = cut.code() == weft::errc::response_truncated || cut.code() == weft::errc::connection_lost;
    expect("whether a stream that breaks off says so", is_broken, true);
    expect("whether it had begun well", whole_text.starts_with(cut.partial().message.text()), true);
}

}  // namespace

int main(int argc, char** argv)
{
    return interop::check_at_url(argc, argv, [](std::string base_url) {
        weft::openai_model model{weft::http_client{}, {.base_url = std::move(base_url), .model = "gpt-x"}};
        check_replies(model);
        check_tools(model);
        check_failures(model);
    });
}
