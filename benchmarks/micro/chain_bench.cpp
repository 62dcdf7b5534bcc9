#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"
#include "harness/floor.hpp"

#include <weft/asio.hpp>
#include <weft/engine/engine.hpp>
#include <weft/graph/graph_builder.hpp>

#include <boost/asio/post.hpp>

#include <string>

namespace asio = boost::asio;

namespace weft_bench {

namespace {

constexpr int chain_rounds = 15;
constexpr weft::state_key<int> number{"number"};

struct chain_shape {
    int nodes;
    int runs;
};

template <class Node>
weft::graph chain_of(int nodes, Node node)
{
    weft::graph_builder builder{"chain"};
    builder.state(number);
    std::string previous{weft::start};
    for (int i = 0; i < nodes; ++i) {
        const std::string name = "node " + std::to_string(i);
        builder.node(name, node).edge(previous, name);
        previous = name;
    }
    return builder.build();
}

weft::task<double> time_runs(weft::engine engine, int runs)
{
    const double before = thread_cpu_ns();
    for (int i = 0; i < runs; ++i) {
        const weft::run_result result = co_await engine.run(weft::run_request{});
        require(result.ok(), "a run of a chain failed");
    }
    co_return (thread_cpu_ns() - before) / runs;
}

double weft_chain(const weft::graph& chain, chain_shape shape, const long& count)
{
    const long before = count;
    const double cost = weft::run_blocking(time_runs(weft::engine{chain}, shape.runs));
    require(count - before == long{shape.nodes} * shape.runs, "a chain did not visit every node");
    return cost;
}

weft::task<void> count_visit(long* count)
{
    ++*count;
    co_return;
}

weft::task<void> hop(long* count)
{
    ++*count;
    weft::serial_loop& loop = co_await weft::this_task::loop();
    co_await asio::post(loop.executor(), weft::use_task);
}

// By hand: a coroutine for each run, which awaits a child for each node.

using awaitable_node = asio::awaitable<void> (*)(long* count);

asio::awaitable<void> count_by_hand(long* count)
{
    ++*count;
    co_return;
}

asio::awaitable<void> hop_by_hand(long* count)
{
    ++*count;
    co_await asio::post(asio::use_awaitable);
}

asio::awaitable<void> chain_by_hand(int nodes, awaitable_node node, long* count)
{
    for (int i = 0; i < nodes; ++i) co_await node(count);
}

asio::awaitable<double> time_by_hand(chain_shape shape, awaitable_node node, long* count)
{
    const auto executor = co_await asio::this_coro::executor;
    const double before = thread_cpu_ns();
    for (int i = 0; i < shape.runs; ++i)
        co_await asio::co_spawn(executor, chain_by_hand(shape.nodes, node, count), asio::use_awaitable);
    co_return (thread_cpu_ns() - before) / shape.runs;
}

double floor_chain(chain_shape shape, awaitable_node node)
{
    long count = 0;
    const double cost = run_awaitable(time_by_hand(shape, node, &count));
    require(count == long{shape.nodes} * shape.runs, "a chain by hand did not visit every node");
    return cost;
}

benchmark plain_chain(int nodes, std::string goal)
{
    const chain_shape shape{nodes, 200'000 / (nodes + 3)};
    return {"chain_" + std::to_string(nodes), "ns CPU per run", "a run of trivial plain nodes, one after another",
            std::move(goal), [shape] {
                long count = 0;
                const weft::graph chain = chain_of(shape.nodes, [&count] { ++count; });
                return take_turns(
                    chain_rounds, [&] { return weft_chain(chain, shape, count); },
                    [&] { return floor_chain(shape, &count_by_hand); });
            }};
}

benchmark coroutine_chain()
{
    const chain_shape shape{3, 30'000};
    return {"chain_3_coroutine", "ns CPU per run", "the same with nodes that are coroutines", "", [shape] {
                long count = 0;
                const weft::graph chain = chain_of(shape.nodes, [&count] { return count_visit(&count); });
                return take_turns(
                    chain_rounds, [&] { return weft_chain(chain, shape, count); },
                    [&] { return floor_chain(shape, &count_by_hand); });
            }};
}

benchmark writing_chain()
{
    const chain_shape shape{3, 30'000};
    return {"chain_3_writing", "ns CPU per run", "the same; each plain node reads a key of the state and writes it", "",
            [shape] {
                long count = 0;
                const auto work = [&count](weft::node_context& context) {
                    ++count;
                    context.set(number, context.value_or(number, 0) + 1);
                };
                const weft::graph chain = chain_of(shape.nodes, work);
                return take_turns(
                    chain_rounds, [&] { return weft_chain(chain, shape, count); },
                    [&] { return floor_chain(shape, &count_by_hand); });
            }};
}

benchmark suspending_chain()
{
    const chain_shape shape{3, 20'000};
    return {"node_suspend", "ns CPU per run", "three coroutine nodes that each wait for one post to the loop", "",
            [shape] {
                long count = 0;
                const weft::graph chain = chain_of(shape.nodes, [&count] { return hop(&count); });
                return take_turns(
                    chain_rounds, [&] { return weft_chain(chain, shape, count); },
                    [&] { return floor_chain(shape, &hop_by_hand); });
            }};
}

}  // namespace

benchmarks chain_benchmarks()
{
    return {plain_chain(1, "<= 400, ratio <= 1.5; stretch 150"), plain_chain(3, "<= 500, ratio <= 1.5; stretch 250"),
            plain_chain(10, "<= 1000, ratio <= 1.5; stretch 600"), coroutine_chain(), writing_chain(),
            suspending_chain()};
}

}  // namespace weft_bench
