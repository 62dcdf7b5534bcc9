#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"
#include "harness/floor.hpp"
#include "harness/outside_stopper.hpp"
#include "stop_floor.hpp"

#include <weft/asio.hpp>
#include <weft/async/sleep.hpp>
#include <weft/engine/engine.hpp>
#include <weft/graph/graph_builder.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace asio = boost::asio;

namespace weft_bench {

namespace {

constexpr std::chrono::minutes long_wait{10};
constexpr int siblings = 64;
constexpr int stopped_runs = 1000;

weft::task<void> wait_long() { co_await weft::sleep_for(long_wait); }

// A branch that fails while its siblings wait.

weft::task<void> fail_soon(double* thrown_at)
{
    co_await weft::sleep_for(std::chrono::milliseconds{2});
    *thrown_at = wall_ms();
    throw std::runtime_error{"this branch fails"};
}

weft::graph failing_fan(double* thrown_at)
{
    weft::graph_builder builder{"failing"};
    builder.node("split", [] {}).node("join", [] {}).edge(weft::start, "split");
    builder.node("fails", [thrown_at] { return fail_soon(thrown_at); }).edge("split", "fails").edge("fails", "join");
    for (int i = 0; i < siblings; ++i) {
        const std::string name = "sibling " + std::to_string(i);
        builder.node(name, [] { return wait_long(); }).edge("split", name).edge(name, "join");
    }
    return builder.build();
}

weft::task<double> time_failure(weft::engine engine, const double* thrown_at)
{
    auto limits = weft::run_options{}.in_flight_max(0);
    weft::run_request request;
    request.options(std::move(limits));
    const weft::run_result result = co_await engine.run(std::move(request));
    const double now = wall_ms();
    require(result.status == weft::run_status::failed, "a failing branch did not fail its run");
    co_return now - *thrown_at;
}

asio::awaitable<void> sibling_by_hand(asio::steady_timer* timer, countdown* join)
{
    boost::system::error_code ignored;
    co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    join->arrive();
}

asio::awaitable<void> fail_by_hand(std::list<asio::steady_timer>* others, countdown* join, double* thrown_at)
{
    const auto executor = co_await asio::this_coro::executor;
    try {
        asio::steady_timer timer{executor, std::chrono::milliseconds{2}};
        co_await timer.async_wait(asio::use_awaitable);
        *thrown_at = wall_ms();
        throw std::runtime_error{"this branch fails"};
    } catch (const std::exception&) {
        for (asio::steady_timer& other : *others) other.cancel();
    }
    join->arrive();
}

asio::awaitable<double> time_failure_by_hand()
{
    const auto executor = co_await asio::this_coro::executor;
    double thrown_at = 0;
    countdown join{siblings + 1};
    std::list<asio::steady_timer> timers;
    asio::co_spawn(executor, fail_by_hand(&timers, &join, &thrown_at), asio::detached);
    for (int i = 0; i < siblings; ++i)
        asio::co_spawn(executor, sibling_by_hand(&timers.emplace_back(executor, long_wait), &join), asio::detached);
    co_await join.wait();
    co_return wall_ms() - thrown_at;
}

benchmark fail_all()
{
    return {"fail_all", "ms", "wall time from a branch's throw to the run's result, 64 siblings waiting", "<= 1", [] {
                double thrown_at = 0;
                const weft::graph graph = failing_fan(&thrown_at);
                return take_turns(
                    15, [&] { return weft::run_blocking(time_failure(weft::engine{graph}, &thrown_at)); },
                    [] { return run_awaitable(time_failure_by_hand()); });
            }};
}

// Many runs that another OS thread stops.

double time_stop_of_runs()
{
    const weft::graph graph = weft::graph_builder{"waits"}.node("wait", [] { return wait_long(); })
                                  .edge(weft::start, "wait").build();
    asio::io_context io{1};
    const weft::engine engine{graph, io};
    outside_stopper stopper{io};
    int ended = 0;
    double ended_at = 0;
    asio::post(io, [&] {
        for (int i = 0; i < stopped_runs; ++i)
            engine.async_run(weft::run_request{}.stop(stopper.token()), [&](const weft::run_result& result) {
                require(result.status == weft::run_status::cancelled, "a stopped run did not end as cancelled");
                if (++ended == stopped_runs) ended_at = wall_ms();
            });
        stopper.tell_all_wait();
    });
    io.run();
    require(ended == stopped_runs, "not every stopped run gave a result");
    return ended_at - stopper.stopped_at();
}

benchmark stop()
{
    return {"stop_1000", "ms", "wall time from a stop on another OS thread to the last of 1,000 results", "<= 2",
            [] { return take_turns(21, &time_stop_of_runs, [] { return time_stop_by_hand(stopped_runs); }); }};
}

}  // namespace

benchmarks stop_benchmarks() { return {fail_all(), stop()}; }

}  // namespace weft_bench
