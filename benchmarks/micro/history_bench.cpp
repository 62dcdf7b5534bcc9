#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"
#include "harness/floor.hpp"

#include <weft/base/list.hpp>
#include <weft/engine/engine.hpp>
#include <weft/engine/scheduler/frontier.hpp>
#include <weft/graph/graph_builder.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace asio = boost::asio;

namespace weft_bench {

namespace {

using text_list = weft::list<std::string>;

constexpr weft::state_key<text_list> history_messages{"messages"};
constexpr weft::state_key<std::size_t> length{"length"};
constexpr std::size_t history_message_bytes = 1024;
constexpr int runs = 5'000;
constexpr int history_rounds = 15;

text_list conversation_of(int count)
{
    text_list made;
    for (int i = 0; i < count; ++i) made.push_back(std::string(history_message_bytes, 'm'));
    return made;
}

// Reads the newest message and answers it.
void answer_with_history(weft::node_context& context)
{
    text_list longer = context.get(history_messages);
    longer.push_back(std::string(longer.back().size(), 'a'));
    context.set(length, longer.size());
    context.set(history_messages, std::move(longer));
}

weft::graph three_answers()
{
    return weft::graph_builder{"answers"}
        .state(history_messages, length)
        .node("first", &answer_with_history).node("second", &answer_with_history).node("third", &answer_with_history)
        .edge(weft::start, "first").edge("first", "second").edge("second", "third")
        .build();
}

weft::task<double> time_runs(weft::engine engine, text_list history)
{
    const double before = thread_cpu_ns();
    for (int i = 0; i < runs; ++i) {
        weft::run_request request;
        request.input(history_messages, history);
        const weft::run_result result = co_await engine.run(std::move(request));
        require(result.state.get(length) == history.size() + 3, "a run did not make its conversation longer");
    }
    co_return (thread_cpu_ns() - before) / 1000 / runs;
}

asio::awaitable<void> answer_by_hand(std::vector<std::string>* history)
{
    history->push_back(std::string(history->back().size(), 'a'));
    co_return;
}

asio::awaitable<void> run_by_hand(std::vector<std::string>* history)
{
    for (int node = 0; node < 3; ++node) co_await answer_by_hand(history);
}

// By hand every run copies the history: it must not change what the next run begins with.
asio::awaitable<double> time_by_hand(int count)
{
    const auto executor = co_await asio::this_coro::executor;
    const std::vector<std::string> history(static_cast<std::size_t>(count), std::string(history_message_bytes, 'm'));
    const double before = thread_cpu_ns();
    for (int i = 0; i < runs; ++i) {
        std::vector<std::string> longer = history;
        co_await asio::co_spawn(executor, run_by_hand(&longer), asio::use_awaitable);
        require(longer.size() == history.size() + 3, "a run by hand did not make its conversation longer");
    }
    co_return (thread_cpu_ns() - before) / 1000 / runs;
}

double weft_us(int count)
{
    return weft::run_blocking(time_runs(weft::engine{three_answers()}, conversation_of(count)));
}

// The length of a run and the size of its state: a node that goes round and round and writes one of many keys.

constexpr weft::state_key<std::uint32_t> rounds_left{"rounds left"};

/** How far a run goes, over how much state, and whether a copy of where it stands is kept after each step. */
struct stride {
    std::uint32_t steps;
    std::uint32_t keys;
    bool saves;
};

weft::graph graph_of_keys(const std::vector<std::string>& names)
{
    weft::graph_builder builder{"keys"};
    builder.state(rounds_left);
    for (const std::string& name : names) builder.state(weft::state_key<std::uint32_t>{name});
    const auto work = [](weft::node_context& context) {
        const std::uint32_t left = context.get(rounds_left) - 1;
        context.set(rounds_left, left);
        return left > 0 ? weft::command::again() : weft::command::next();
    };
    return builder.node("step", work).edge(weft::start, "step").build();
}

weft::task<double> time_steps(weft::engine engine, stride shape, const std::vector<std::string>* names)
{
    std::optional<weft::frontier> kept;
    auto limits = weft::run_options{}.steps_max(0);
    if (shape.saves) limits.on_save([&kept](const weft::frontier& where) { kept = where; });
    boost::json::object values{{rounds_left.name(), shape.steps}};
    for (const std::string& name : *names) values[name] = 1;
    weft::run_request request;
    request.options(std::move(limits)).input(std::move(values));
    const double before = thread_cpu_ns();
    const weft::run_result result = co_await engine.run(std::move(request));
    const double cost = (thread_cpu_ns() - before) / shape.steps;
    require(result.steps == shape.steps, "a run round and round took another number of steps");
    require(kept.has_value() == shape.saves, "where a run stood was not kept");
    co_return cost;
}

double step_ns(stride shape)
{
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < shape.keys; ++i) names.push_back("key " + std::to_string(i));
    return weft::run_blocking(time_steps(weft::engine{graph_of_keys(names)}, shape, &names));
}

benchmark step(std::string name, std::string what, stride large, stride small)
{
    return {std::move(name), "ns CPU per step", std::move(what), "ratio 1", [large, small] {
                return take_turns(
                    9, [large] { return step_ns(large); }, [small] { return step_ns(small); });
            }};
}

}  // namespace

benchmarks history_benchmarks()
{
    return {
        {"history_10", "us CPU per run", "three nodes that each add 1 KB to a conversation of 10 messages", "",
         [] {
             const auto by_hand = [] { return run_awaitable(time_by_hand(10)); };
             return take_turns(history_rounds, [] { return weft_us(10); }, by_hand);
         }},
        {"history_5000", "us CPU per run", "the same with 5,000 messages; floor: weft with 10", "ratio 1",
         [] { return take_turns(history_rounds, [] { return weft_us(5000); }, [] { return weft_us(10); }); }},
        step("step_100000", "a step of a run of 100,000 steps; floor: of 2,000 steps", {100'000, 10, false},
             {2'000, 10, false}),
        step("step_20000_saved", "a step of 20,000, a copy of the frontier kept after each; floor: of 500",
             {20'000, 10, true}, {2'000, 10, true}),
        step("state_1000", "a step that writes one key of a state of 1,000; floor: of 10", {100'000, 1'000, false},
             {100'000, 10, false}),
        step("state_1000_saved", "the same, a copy of the frontier kept after each", {2'000, 1'000, true},
             {2'000, 10, true}),
    };
}

}  // namespace weft_bench
