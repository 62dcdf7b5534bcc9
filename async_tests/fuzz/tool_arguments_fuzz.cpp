// Fuzzes the arguments of tool calls: whatever a model writes, a call is either refused with words for the model, or
// carried out with arguments that the schema accepts and that convert; no text makes the runner throw, and each id has
// one answer. An input is the arguments of a call, and once more with a `{}` before them as some servers send them.
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude async_tests/fuzz/tool_arguments_fuzz.cpp …

#include <weft/async/run_blocking.hpp>
#include <weft/tool/tool_runner.hpp>

#include <boost/describe.hpp>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

enum class colour { red, green };
BOOST_DESCRIBE_ENUM(colour, red, green)

struct leaf {
    std::string text;
    std::optional<double> weight;
    std::vector<leaf> more;
};
BOOST_DESCRIBE_STRUCT(leaf, (), (text, weight, more))

struct everything {
    std::int8_t small = 0;
    std::uint64_t large = 0;
    bool yes = false;
    colour paint = colour::red;
    std::map<std::string, std::int64_t> counts;
    std::pair<std::string, bool> both;
    std::optional<leaf> root;
};
BOOST_DESCRIBE_STRUCT(everything, (), (small, large, yes, paint, counts, both, root))

struct word {
    std::string a;
    std::optional<std::int64_t> n;
};
BOOST_DESCRIBE_STRUCT(word, (), (a, n))

void require(bool holds)
{
    if (!holds) std::abort();
}

const weft::tool_runner& runner()
{
    static const weft::tool_runner made = [] {
        weft::tool_set tools;
        tools.add("everything", "", [](const everything& e) { return e; }).range("small", -5, 5);
        tools.add("word", "", [](const word& w) { return w.a; }).length("a", 0, 3);
        tools.add("free", "", [](const std::string& text) { return text; });
        weft::tool_runner_options options;
        options.result_chars_max = 50;
        return weft::tool_runner{std::make_shared<const weft::tool_set>(std::move(tools)), std::move(options)};
    }();
    return made;
}

weft::task<weft::tool_turn> run(std::vector<weft::tool_call> calls)
{
    weft::tool_turn turn = co_await runner().run(std::move(calls), weft::tool_context{});
    co_return turn;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text{reinterpret_cast<const char*>(data), size};
    std::vector<weft::tool_call> calls;
    for (const char* tool : {"everything", "word", "free"}) calls.push_back({tool, tool, text});
    calls.push_back({"again", "word", "{}" + text});
    calls.push_back({"named", text, "{}"});
    const weft::tool_turn turn = weft::run_blocking(run(std::move(calls)));
    require(turn.answers.size() == 5);
    for (const weft::tool_answer& answer : turn.answers) {
        // What passes the schema converts, but for numbers that are too large: a gap that the model is told of.
        require(answer.status == weft::tool_status::success || answer.status == weft::tool_status::invalid_arguments ||
                answer.status == weft::tool_status::unknown_tool ||
                answer.result.readable().starts_with("The arguments do not fit: "));
        require(answer.result.is_error == (answer.status != weft::tool_status::success));
    }
    require(turn.answers[2].status == weft::tool_status::success);
    return 0;
}
