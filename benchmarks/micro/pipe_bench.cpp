#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"
#include "harness/floor.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/stream.hpp>
#include <weft/engine/engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node/stream_node.hpp>

#include <array>
#include <deque>
#include <string>

namespace weft_bench {

namespace {

using weft::async_generator;
using weft::node_context;
using weft::task;

constexpr int pipe_rounds = 15;
constexpr int pipe_chunks = 20'000;
constexpr std::size_t queue_of_pipe = 16;

constexpr std::array<weft::stream_key<std::string>, 4> pipe_keys{
    weft::stream_key<std::string>{"piece 0"}, weft::stream_key<std::string>{"piece 1"},
    weft::stream_key<std::string>{"piece 2"}, weft::stream_key<std::string>{"piece 3"}};

async_generator<std::string> make_chunks(node_context&, int count)
{
    std::string chunk = "a token ";
    for (int i = 0; i < count; ++i) co_yield chunk;
}

async_generator<std::string> pass_on(node_context&, async_generator<std::string> from)
{
    while (std::string* chunk = co_await from.next()) co_yield *chunk;
}

/** What a run of a pipeline notes. */
struct pipe_end {
    long count = 0;
    double first_at = 0;  // of the first chunk, on the clock of this OS thread
};

task<void> count_chunks(node_context&, async_generator<std::string> from, pipe_end* end)
{
    while (co_await from.next())
        if (++end->count == 1) end->first_at = thread_cpu_ns();
}

/** A writer, `between` nodes that pass its chunks on, and a reader. */
weft::graph pipe_of(std::size_t between, int count, pipe_end* end)
{
    weft::graph_builder builder{"pipe"};
    const auto write = [count](node_context& node) { return make_chunks(node, count); };
    const auto read = [end](node_context& node, async_generator<std::string> from) {
        return count_chunks(node, std::move(from), end);
    };
    builder.node("write", weft::streaming(write, pipe_keys[0])).edge(weft::start, "write");
    std::string previous = "write";
    for (std::size_t i = 0; i < between; ++i) {
        const std::string name = "pass " + std::to_string(i);
        builder.node(name, weft::streaming(pipe_keys[i], &pass_on, pipe_keys[i + 1])).edge_stream(previous, name);
        previous = name;
    }
    builder.node("read", weft::streaming(pipe_keys[between], read)).edge_stream(previous, "read");
    return builder.build();
}

task<void> run_pipe(weft::engine engine)
{
    const weft::run_result result = co_await engine.run(weft::run_request{});
    require(result.ok(), "a run of a pipeline failed");
}

// By hand: a coroutine for each node, and a bounded queue between two of them.

task<void> push_chunks(weft::stream<std::string>& to)
{
    const std::string chunk = "a token ";
    for (int i = 0; i < pipe_chunks; ++i) co_await to.push(chunk);
    to.close();
}

task<void> pass_by_hand(weft::stream<std::string>& from, weft::stream<std::string>& to)
{
    for (;;) {
        std::optional<std::string> chunk = co_await from.pop();
        if (!chunk) break;
        co_await to.push(std::move(*chunk));
    }
    to.close();
}

task<void> pop_chunks(weft::stream<std::string>& from, long* count)
{
    for (;;) {
        const std::optional<std::string> chunk = co_await from.pop();
        if (!chunk) break;
        ++*count;
    }
}

task<void> pipe_by_hand(std::size_t between, long* count)
{
    const weft::task_context& context = co_await weft::this_task::context();
    std::deque<weft::stream<std::string>> queues;
    for (std::size_t i = 0; i <= between; ++i) queues.emplace_back(queue_of_pipe);
    weft::scope nodes{context};
    nodes.spawn(push_chunks(queues.front()));
    for (std::size_t i = 0; i < between; ++i) nodes.spawn(pass_by_hand(queues[i], queues[i + 1]));
    nodes.spawn(pop_chunks(queues.back(), count));
    co_await nodes.join();
}

benchmark pipe(std::size_t between, std::string goal)
{
    return {"pipe_" + std::to_string(between), "ns CPU per chunk",
            between == 0 ? "a chunk over a streaming edge; floor: a bounded queue between two coroutines"
                         : "the same through nodes that pass it on; floor: a queue and a coroutine for each",
            std::move(goal), [between] {
                pipe_end end;
                const weft::graph graph = pipe_of(between, pipe_chunks, &end);
                return take_turns(
                    pipe_rounds,
                    [&] {
                        end = {};
                        const double before = thread_cpu_ns();
                        weft::run_blocking(run_pipe(weft::engine{graph}));
                        require(end.count == pipe_chunks, "a pipeline lost chunks");
                        return (thread_cpu_ns() - before) / pipe_chunks;
                    },
                    [&] {
                        long count = 0;
                        const double before = thread_cpu_ns();
                        weft::run_blocking(pipe_by_hand(between, &count));
                        require(count == pipe_chunks, "a pipeline by hand lost chunks");
                        return (thread_cpu_ns() - before) / pipe_chunks;
                    });
            }};
}

benchmark first_chunk()
{
    return {"pipe_first_3", "ns CPU",
            "from the start of a run to the first chunk behind three nodes; floor: a run of one chunk, whole", "", [] {
                pipe_end end;
                const weft::graph graph = pipe_of(3, 1, &end);
                const weft::engine engine{graph};
                double whole = 0;
                const auto run = [&] {
                    double first = 0;
                    constexpr int runs = 2'000;
                    whole = 0;
                    for (int i = 0; i < runs; ++i) {
                        end = {};
                        const double before = thread_cpu_ns();
                        weft::run_blocking(run_pipe(engine));
                        first += end.first_at - before;
                        whole += thread_cpu_ns() - before;
                    }
                    whole /= runs;
                    return first / runs;
                };
                return take_turns(pipe_rounds, run, [&] { return whole; });
            }};
}

}  // namespace

benchmarks pipe_benchmarks()
{
    return {pipe(0, "<= 30"), pipe(1, "<= 60"), pipe(3, "<= 120"), first_chunk()};
}

}  // namespace weft_bench
