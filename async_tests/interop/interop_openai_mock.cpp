// openai_model against the server of openai_mock.mjs, which is from another project.
// usage: interop_openai_mock <base URL>

#include "interop_checks.hpp"

#include <weft/model/openai_model.hpp>

#include <string>
#include <utility>

namespace {

using namespace interop;

void check_mock(const std::string& base_url)
{
    const weft::http_client client;
    weft::openai_model model{client, {.base_url = base_url, .model = "gpt-x", .key = weft::secret_string{"right"}}};
    const outcome hello = ask(model, "hello");
    expect("the greeting", reply_of(hello).message.text(), "Grüße from another mock 🌍, word by word.");
    expect("whether it came in pieces", hello.sink.pieces > 3, true);
    expect("the reason to stop", name_of(reply_of(hello).stop), "stop");

    const weft::chat_reply call = reply_of(ask(model, "weather"));
    expect("the number of calls", call.message.tool_calls.size(), 2U);
    expect("the arguments of the first", call.message.tool_calls.at(0).arguments, R"({"city":"Lisbon 😀"})");
    expect("the id of the first", call.message.tool_calls.at(0).id, "call_1");
    expect("the arguments of the second", call.message.tool_calls.at(1).arguments, R"({"city":"Rome"})");
    expect("the id of the second", call.message.tool_calls.at(1).id, "call_2");
    expect("the reason to stop for them", name_of(call.stop), "tool_calls");

    expect("no answer", name_of(failure_of(ask(model, "?")).code()), name_of(weft::errc::model_rejected));
    weft::openai_model other{client, {.base_url = base_url, .model = "gpt-x", .key = weft::secret_string{"wrong"}}};
    expect("a wrong key", name_of(failure_of(ask(other, "hello")).code()), name_of(weft::errc::model_unauthorized));
}

}  // namespace

int main(int argc, char** argv) { return interop::check_at_url(argc, argv, check_mock); }
