#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"
#include "harness/floor.hpp"

#include <weft/engine/engine.hpp>
#include <weft/graph/graph_builder.hpp>

#include <boost/asio/post.hpp>

#include <string>

namespace asio = boost::asio;

namespace weft_bench {

namespace {

constexpr int fan_out_rounds = 15;
constexpr weft::state_key<long, weft::add> total{"total"};

struct fan_shape {
    int branches;
    int runs;
};

fan_shape fan_shape_of(int branches) { return {branches, 100'000 / (branches + 8)}; }

template <class Node>
weft::graph fan_of(int branches, Node node)
{
    weft::graph_builder builder{"fan"};
    builder.state(total).node("split", [] {}).node("join", [] {}).edge(weft::start, "split");
    for (int i = 0; i < branches; ++i) {
        const std::string name = "branch " + std::to_string(i);
        builder.node(name, node).edge("split", name).edge(name, "join");
    }
    return builder.build();
}

weft::task<double> time_runs(weft::engine engine, fan_shape shape)
{
    const double before = thread_cpu_ns();
    for (int i = 0; i < shape.runs; ++i) {
        auto limits = weft::run_options{}.in_flight_max(0).steps_max(0);
        weft::run_request request;
        request.options(std::move(limits));
        const weft::run_result result = co_await engine.run(std::move(request));
        require(result.ok(), "a run of a fan-out failed");
    }
    co_return (thread_cpu_ns() - before) / shape.runs / shape.branches;
}

double weft_fan(const weft::graph& fan, fan_shape shape, const long& count)
{
    const long before = count;
    const double cost = weft::run_blocking(time_runs(weft::engine{fan}, shape));
    require(count - before == long{shape.branches} * shape.runs, "a fan-out did not run every branch");
    return cost;
}

weft::task<void> count_branch_visit(long* count)
{
    ++*count;
    co_return;
}

// By hand: a coroutine for each branch, and a counter that wakes the parent.

asio::awaitable<void> branch_by_hand(long* count, countdown* join)
{
    ++*count;
    join->arrive();
    co_return;
}

asio::awaitable<double> time_by_hand(fan_shape shape, long* count)
{
    const auto executor = co_await asio::this_coro::executor;
    const double before = thread_cpu_ns();
    for (int i = 0; i < shape.runs; ++i) {
        countdown join{static_cast<std::size_t>(shape.branches)};
        for (int branch = 0; branch < shape.branches; ++branch)
            asio::co_spawn(executor, branch_by_hand(count, &join), asio::detached);
        co_await join.wait();
        co_await asio::post(executor, asio::use_awaitable);  // the ends of the branches are queued before this
    }
    co_return (thread_cpu_ns() - before) / shape.runs / shape.branches;
}

double floor_fan(fan_shape shape)
{
    long count = 0;
    const double cost = run_awaitable(time_by_hand(shape, &count));
    require(count == long{shape.branches} * shape.runs, "a fan-out by hand did not run every branch");
    return cost;
}

template <class MakeNode>
benchmark fan_benchmark(int branches, std::string kind, std::string goal, MakeNode make_node)
{
    const fan_shape shape = fan_shape_of(branches);
    const std::string name = "fan_out_" + std::to_string(branches) + "_" + kind;
    return {name, "ns CPU per branch", "a run that fans out to " + kind + " nodes and joins", std::move(goal),
            [shape, make_node] {
                long count = 0;
                const weft::graph fan = fan_of(shape.branches, make_node(&count));
                return take_turns(
                    fan_out_rounds, [&] { return weft_fan(fan, shape, count); }, [&] { return floor_fan(shape); });
            }};
}

auto plain_node(long* count)
{
    return [count] { ++*count; };
}

auto coroutine_node(long* count)
{
    return [count] { return count_branch_visit(count); };
}

auto writing_node(long* count)
{
    return [count](weft::node_context& context) {
        ++*count;
        context.set(total, 1);
    };
}

}  // namespace

benchmarks fan_out_benchmarks()
{
    benchmarks all;
    for (int branches : {8, 64, 1000}) {
        all.push_back(fan_benchmark(branches, "plain", "<= 100, ratio <= 0.5, flat in width", plain_node));
        all.push_back(fan_benchmark(branches, "coroutine", "ratio <= 0.5, flat in width", coroutine_node));
    }
    all.push_back(fan_benchmark(64, "writing", "", writing_node));
    return all;
}

}  // namespace weft_bench
