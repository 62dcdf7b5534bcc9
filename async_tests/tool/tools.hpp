#pragma once

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/tool/tool_runner.hpp>

#include <boost/describe.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

// For the messages of BOOST_TEST.
inline std::ostream& operator<<(std::ostream& out, tool_status status) { return out << name_of(status); }

}  // namespace weft

namespace weft_tests {

struct word_arguments {
    std::string word;
    std::optional<std::int64_t> times = {};
};
BOOST_DESCRIBE_STRUCT(word_arguments, (), (word, times))

struct wait_arguments {
    std::int64_t ms = 0;
};
BOOST_DESCRIBE_STRUCT(wait_arguments, (), (ms))

[[nodiscard]] inline weft::tool_call call_of(std::string id, std::string name, std::string arguments = "{}")
{
    return {std::move(id), std::move(name), std::move(arguments)};
}

/** For `co_await` expressions, in which g++ 12 takes no braces. */
template <class... Calls>
[[nodiscard]] std::vector<weft::tool_call> calls_of(Calls... calls)
{
    return {std::move(calls)...};
}

inline weft::task<std::string> wait_and_say(std::int64_t ms)
{
    co_await weft::sleep_for(std::chrono::milliseconds{ms});
    co_return "waited " + std::to_string(ms);
}

/** Tools `echo` (word, times), `wait` (ms) and `fail`. */
[[nodiscard]] inline weft::tool_set some_tools()
{
    weft::tool_set tools;
    tools.add("echo", "Says a word.", [](const word_arguments& a) {
        std::string text;
        for (std::int64_t i = 0; i < a.times.value_or(1); ++i) text += a.word;
        return text;
    });
    tools.add("wait", "Waits.", [](wait_arguments a) { return wait_and_say(a.ms); });
    tools.add("fail", "Fails.", []() -> std::string { throw std::runtime_error{"it broke"}; });
    return tools;
}

[[nodiscard]] inline weft::tool_runner runner_of(weft::tool_set tools, weft::tool_runner_options options = {})
{
    return weft::tool_runner{std::make_shared<const weft::tool_set>(std::move(tools)), std::move(options)};
}

[[nodiscard]] inline std::string text_of(const weft::tool_answer& answer) { return answer.result.readable(); }

/** `id:status` of all answers, with blanks between them. */
[[nodiscard]] inline std::string statuses(const weft::tool_turn& turn)
{
    std::string text;
    for (const weft::tool_answer& answer : turn.answers)
        text.append(text.empty() ? "" : " ").append(answer.call.id).append(":").append(name_of(answer.status));
    return text;
}

[[nodiscard]] inline bool has(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

}  // namespace weft_tests
