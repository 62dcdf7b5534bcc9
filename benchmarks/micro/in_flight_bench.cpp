#include "harness/in_flight.hpp"

#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"
#include "harness/floor.hpp"

#include <weft/asio.hpp>
#include <weft/async/sleep.hpp>
#include <weft/engine/engine.hpp>
#include <weft/graph/graph_builder.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <string>

namespace asio = boost::asio;

namespace weft_bench {

namespace {

constexpr int nodes = 3;

weft::task<void> wait_once(wait_times* waits)
{
    const auto delay = waits->next();
    co_await weft::sleep_for(delay);
}

weft::graph chain_that_waits(wait_times* waits)
{
    const auto node = [waits] { return wait_once(waits); };
    return weft::graph_builder{"waiting"}
        .node("first", node).node("second", node).node("third", node)
        .edge(weft::start, "first").edge("first", "second").edge("second", "third")
        .build();
}

asio::awaitable<void> wait_once_by_hand(wait_times* waits)
{
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer timer{executor, waits->next()};
    co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<void> run_by_hand(wait_times* waits, int* ended)
{
    for (int i = 0; i < nodes; ++i) co_await wait_once_by_hand(waits);
    ++*ended;
}

using loader = void (*)(const in_flight_load&, const std::function<void()>&);

double cpu_us_per_run(loader run, int runs)
{
    const in_flight_load load{runs};
    const double before = thread_cpu_ns();
    run(load, [] {});
    return (thread_cpu_ns() - before) / 1000 / runs;
}

benchmark in_flight(int runs)
{
    return {"in_flight_" + std::to_string(runs), "us CPU per run",
            "runs at once, three nodes that each wait 5-50 ms", "ratio <= 1.2", [most = runs] {
                const int runs = amount(most, 10'000);
                return take_turns(
                    7, [runs] { return cpu_us_per_run(&run_in_flight_with_weft, runs); },
                    [runs] { return cpu_us_per_run(&run_in_flight_by_hand, runs); });
            }};
}

}  // namespace

void run_in_flight_with_weft(const in_flight_load& load, const std::function<void()>& all_started)
{
    wait_times waits{load};
    asio::io_context io{1};
    const weft::engine engine{chain_that_waits(&waits), io};
    int ended = 0;
    asio::post(io, [&] {
        for (int i = 0; i < load.runs; ++i)
            engine.async_run(weft::run_request{}, [&ended](const weft::run_result& result) {
                require(result.ok(), "a run in flight failed");
                ++ended;
            });
        all_started();
    });
    io.run();
    require(ended == load.runs, "not every run in flight came to its end");
}

void run_in_flight_by_hand(const in_flight_load& load, const std::function<void()>& all_started)
{
    wait_times waits{load};
    asio::io_context io{1};
    int ended = 0;
    asio::post(io, [&] {
        for (int i = 0; i < load.runs; ++i) asio::co_spawn(io, run_by_hand(&waits, &ended), asio::detached);
        all_started();
    });
    io.run();
    require(ended == load.runs, "not every run by hand came to its end");
}

benchmarks in_flight_benchmarks() { return {in_flight(10'000), in_flight(100'000)}; }

}  // namespace weft_bench
