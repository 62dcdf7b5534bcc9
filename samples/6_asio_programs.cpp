// Sample 6, Asio programs: where runs live. One graph is run by an existing io_context, and by one
// OS thread per core.

#include <weft/asio.hpp>
#include <weft/async/on_pool.hpp>
#include <weft/weft.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <future>
#include <iostream>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;

inline constexpr weft::state_key<std::int64_t> number{"number"};
inline constexpr weft::state_key<std::int64_t, weft::add> sum{"sum"};

// [nodes]
// A coroutine of Asio is a node as well. It is stopped by Asio's own cancellation.
asio::awaitable<void> look_up(weft::node_context& ctx)
{
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer timer{executor, 2ms};
    co_await timer.async_wait(asio::use_awaitable);
    ctx.set(sum, ctx.get(number));
}

// Work that blocks or computes for long goes to a pool, so that the loop and its other runs go on
// meanwhile.
weft::task<void> compute(weft::node_context& ctx, asio::thread_pool& pool)
{
    const std::int64_t n = ctx.get(number);
    const auto square = [n] { return n * n; };
    const std::int64_t result = co_await weft::on_pool(pool, square);
    ctx.set(sum, result);
}
// [/nodes]

weft::graph make_graph(asio::thread_pool& pool)
{
    return weft::graph_builder{"asio"}
        .state(number, sum)
        .node("look_up", look_up)
        .node("compute", [&pool](weft::node_context& ctx) { return compute(ctx, pool); })
        .edge(weft::start, "look_up")
        .edge("look_up", "compute")
        .build();
}

// [io_context]
// In a program that has an io_context already, a run is one more asynchronous operation:
// `async_run` takes any completion token.
asio::awaitable<std::int64_t> serve(const weft::engine& engine)
{
    weft::run_request request{number, 3};
    const weft::run_result result =
        co_await engine.async_run(std::move(request), asio::use_awaitable);
    co_return result.get(sum);
}

std::int64_t on_my_io_context(const weft::graph& graph)
{
    asio::io_context io{1};  // one OS thread calls io.run(): a run needs no locks
    const weft::engine engine{graph, io};
    std::future<std::int64_t> served = asio::co_spawn(io, serve(engine), asio::use_future);
    io.run();
    return served.get();
}
// [/io_context]

// [runtime]
// A runtime has an io_context and an OS thread per core. Each run stays on one of them, and the
// engine deals them out.
std::int64_t on_all_cores(const weft::graph& graph)
{
    weft::runtime cores;
    const weft::engine engine{graph, cores};
    std::vector<std::future<weft::run_result>> running;
    for (std::int64_t n = 1; n <= 100; ++n)
        running.push_back(engine.async_run({number, n}, asio::use_future));
    std::int64_t total = 0;
    for (auto& run : running) total += run.get().state.get(sum);
    return total;
}
// [/runtime]

int main()
{
    asio::thread_pool pool{1};
    const weft::graph graph = make_graph(pool);
    const std::int64_t one = on_my_io_context(graph);
    const std::int64_t all = on_all_cores(graph);
    std::cout << "one run: " << one << "\na hundred runs: " << all << '\n';
    return one == 3 + 9 && all == 5'050 + 338'350 ? 0 : 1;
}
