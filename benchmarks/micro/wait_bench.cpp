#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"
#include "harness/floor.hpp"

#include <weft/async/sleep.hpp>
#include <weft/engine/engine.hpp>
#include <weft/graph/graph_builder.hpp>

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace weft_bench {

namespace {

/** One branch: how long each of its stages waits. */
using branch_waits = std::vector<milliseconds>;

std::vector<branch_waits> thousand_branches() { return std::vector<branch_waits>(1000, {milliseconds{10}}); }

// What is short in the first stage is long in the second: every branch takes 110 ms.
std::vector<branch_waits> unequal_stages()
{
    std::vector<branch_waits> branches;
    for (int tens = 1; tens <= 10; ++tens) branches.push_back({milliseconds{10 * tens}, milliseconds{110 - 10 * tens}});
    return branches;
}

weft::task<void> wait_for(milliseconds delay) { co_await weft::sleep_for(delay); }

weft::graph graph_of(const std::vector<branch_waits>& branches)
{
    weft::graph_builder builder{"waiting branches"};
    builder.node("split", [] {}).node("join", [] {}).edge(weft::start, "split");
    for (std::size_t i = 0; i < branches.size(); ++i) {
        std::string previous = "split";
        for (std::size_t stage = 0; stage < branches[i].size(); ++stage) {
            const std::string name = std::to_string(i) + "." + std::to_string(stage);
            builder.node(name, [delay = branches[i][stage]] { return wait_for(delay); }).edge(previous, name);
            previous = name;
        }
        builder.edge(previous, "join");
    }
    return builder.build();
}

weft::task<double> time_run(weft::engine engine)
{
    const double before = wall_ms();
    auto limits = weft::run_options{}.in_flight_max(0).steps_max(0);
    weft::run_request request;
    request.options(std::move(limits));
    const weft::run_result result = co_await engine.run(std::move(request));
    require(result.ok(), "a run of waiting branches failed");
    co_return wall_ms() - before;
}

asio::awaitable<void> branch_by_hand(branch_waits waits, countdown* join)
{
    const auto executor = co_await asio::this_coro::executor;
    for (const milliseconds delay : waits) {
        asio::steady_timer timer{executor, delay};
        co_await timer.async_wait(asio::use_awaitable);
    }
    join->arrive();
}

asio::awaitable<double> time_by_hand(const std::vector<branch_waits>* branches)
{
    const auto executor = co_await asio::this_coro::executor;
    const double before = wall_ms();
    countdown join{branches->size()};
    for (const branch_waits& waits : *branches)
        asio::co_spawn(executor, branch_by_hand(waits, &join), asio::detached);
    co_await join.wait();
    co_return wall_ms() - before;
}

benchmark waiting(std::string name, std::string what, std::string goal, std::vector<branch_waits> branches)
{
    return {std::move(name), "ms", std::move(what), std::move(goal), [branches = std::move(branches)] {
                const weft::graph graph = graph_of(branches);
                return take_turns(
                    9, [&] { return weft::run_blocking(time_run(weft::engine{graph})); },
                    [&] { return run_awaitable(time_by_hand(&branches)); });
            }};
}

}  // namespace

benchmarks wait_benchmarks()
{
    return {waiting("wait_1000", "wall time of 1,000 branches that each wait 10 ms", "<= 11", thousand_branches()),
            waiting("two_stage", "wall time of ten branches of two stages, 10+100, 20+90 ... 100+10 ms",
                    "110 and a little, not 200", unequal_stages())};
}

}  // namespace weft_bench
