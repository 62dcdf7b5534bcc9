#pragma once

// What every model has to make of the fixtures of aimock.mjs, whichever of its APIs is asked.

#include "interop_checks.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace interop {

inline constexpr std::string_view whole_text = "one two three four five six seven";  // that aimock.mjs cuts

/** What the server makes of things that it does in its own way in some APIs. */
struct expectations {
    std::string_view reasoning;
    std::string_view stop_when_cut;
};

inline void check_replies(weft::chat_model& model, const expectations& wanted)
{
    const outcome hello = ask(model, "hello");
    expect("the number of warnings", reply_of(hello).warnings.size(), 0U);
    expect("the greeting", reply_of(hello).message.text(), "Grüße 😀😀😀 from aimock 🌍!");
    expect("whether it came in pieces", hello.sink.pieces > 3, true);
    expect("the reason to stop", name_of(reply_of(hello).stop), "stop");

    const outcome thought = ask(model, "think");
    expect("the answer", reply_of(thought).message.text(), "42");
    expect("the reasoning", reply_of(thought).message.reasoning(), wanted.reasoning);
    expect("the reason of a cut", name_of(reply_of(ask(model, "short")).stop), wanted.stop_when_cut);
    expect("whether tokens are counted", reply_of(ask(model, "count")).usage.is_exact(), true);
}

/** A turn with a call, its result, and the turn after it: the server must understand the history. */
inline void check_tools(weft::chat_model& model)
{
    const weft::chat_reply call = reply_of(ask(model, "weather"));
    expect("the number of calls", call.message.tool_calls.size(), 1U);
    expect("the tool", call.message.tool_calls.at(0).name, "weather");
    expect("its arguments", call.message.tool_calls.at(0).arguments, R"({"city":"Lisbon 😀😀"})");
    expect("whether it has an id", call.message.tool_calls.at(0).id.empty(), false);
    expect("the reason to stop", name_of(call.stop), "tool_calls");

    const weft::chat_reply both = reply_of(ask(model, "both"));
    expect("the text beside a call", both.message.text(), "One moment.");
    expect("the arguments beside a text", both.message.tool_calls.at(0).arguments, R"({"city":"Rome"})");

    weft::chat_request next;
    next.system("Be brief.").user("weather");
    next.add(call.message).add(weft::message::tool_result(call.message.tool_calls.at(0).id, "sunny")).user("hello");
    const weft::chat_reply after = weft::run_blocking(model.reply(std::move(next)));
    expect("the turn after a call", after.message.text(), "Grüße 😀😀😀 from aimock 🌍!");
}

inline void check_failures(weft::chat_model& model)
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

inline void check_all(weft::chat_model& model, const expectations& wanted)
{
    check_replies(model, wanted);
    check_tools(model);
    check_failures(model);
}

}  // namespace interop
