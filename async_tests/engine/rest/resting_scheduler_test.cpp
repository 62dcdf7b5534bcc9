#include <boost/test/unit_test.hpp>

#include "engine/nodes.hpp"
#include "engine/rest/resting_scheduler.hpp"
#include "engine/run/run_core.hpp"
#include "engine/scheduler/stepper.hpp"

#include <weft/async/sleep.hpp>
#include <weft/engine/run/event_stream.hpp>
#include <weft/engine/run_handle.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace weft_tests;
using weft::node_context;

BOOST_AUTO_TEST_SUITE(resting_scheduler_test)

namespace {

/** Rests whenever a node has begun, if it can. */
class rested_scheduler {
public:
    rested_scheduler(const weft::graph& of, const weft::schedule_limits& limits)
        : graph_{of}, limits_{limits}, values_{weft::state{of.layout()}},
          scheduler_{of, weft::frontier{values_}, limits}
    {
    }
    weft::scheduler& get()
    {
        weft::scheduler* const awake = scheduler_.get();
        return awake ? *awake : scheduler_.wake(graph_, values_, limits_);
    }
    void node_begins()
    {
        scheduler_.rest();
        rests_ += scheduler_.get() ? 0 : 1;
    }
    [[nodiscard]] int rests() const { return rests_; }

private:
    const weft::graph& graph_;
    weft::schedule_limits limits_;
    weft::branch_state values_;
    weft::resting_scheduler scheduler_;
    int rests_ = 0;
};

/** Steps both until they end, which must be in the same places. @return  How often it rested. */
int compare_rested(const weft::graph& of, const weft::schedule_limits& limits, bool walks, std::uint64_t seed = 0)
{
    stepper<rested_scheduler> rested{of, limits, walks};
    stepper<> awake{of, limits, walks};
    step_both(rested, awake, seed);
    return rested.kept().rests();
}

weft::graph line(auto&& first, auto&& second, weft::node_options options = {})
{
    return empty_graph().node("a", first, std::move(options)).node("b", second).edge(weft::start, "a").edge("a", "b")
        .build();
}

weft::graph empty_line(weft::node_options options = {}) { return line([] {}, [] {}, std::move(options)); }

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_that_rested_stands_where_it_would_have_stood)
{
    int rests = 0;
    for_limited_graphs([&](const weft::graph& of, const auto& limits, auto& random, std::uint64_t seed) {
        rests += compare_rested(of, limits, random.below(2) == 0, seed);
    });
    BOOST_TEST(rests > 300);
    BOOST_TEST(compare_rested(empty_line(), {}, true) == 2);
    BOOST_TEST(compare_rested(empty_line(), {.steps_max = 1}, false) == 1);
    weft::graph_builder builder = empty_graph();
    builder.node("think", [] {}).node("act", [] {}).edge(weft::start, "think").edge("think", "act")
        .edge("act", "think");
    const weft::graph round = builder.build();
    BOOST_TEST(compare_rested(round, {.steps_max = 9}, false) == 9);
    BOOST_TEST(compare_rested(round, {.steps_max = 9}, true) == 9);
}

BOOST_AUTO_TEST_CASE(a_run_of_which_more_is_known_does_not_rest)
{
    BOOST_TEST(compare_rested(empty_line({.gives_feedback = true}), {}, false) == 1);
    weft::graph_builder builder = empty_graph();
    builder.node("again", [] {}).edge(weft::start, "again").edge("again", "again");
    BOOST_TEST(compare_rested(builder.build(), {.steps_max = 5}, false) == 5);
    const weft::graph of = empty_line();
    const auto begun = [&of](weft::schedule_limits limits = {}) {
        auto run = std::make_unique<stepper<>>(of, limits, false);
        BOOST_TEST(leave_place(run->scheduler()).has_value() == !limits.saves);
        return run;
    };
    auto run = begun();
    run->scheduler().stop();
    BOOST_TEST(!leave_place(run->scheduler()));
    run = begun();
    run->scheduler().pause();
    BOOST_TEST(!leave_place(run->scheduler()));
    run = begun();
    run->scheduler().hold(true);
    BOOST_TEST(!leave_place(run->scheduler()));
    run = begun();
    run->scheduler().give_notices();
    BOOST_TEST(!leave_place(run->scheduler()));
    run = begun();
    run->scheduler().node_parked(0);
    BOOST_TEST(!leave_place(run->scheduler()));
    run = begun();
    run->scheduler().nodes().keep_awake();
    BOOST_TEST(!leave_place(run->scheduler()));
    run = begun();
    run->scheduler().restart().leave();
    BOOST_TEST(!leave_place(run->scheduler()));
    run = begun();
    run->scheduler().where().is_degraded = true;
    BOOST_TEST(!leave_place(run->scheduler()));
    static_cast<void>(begun({.saves = true}));
}

namespace {

bool is_resting(const node_context& within)
{
    return static_cast<const weft::run_core&>(within.host()).scheduler_.get() == nullptr;
}

weft::task<void> wait_twice(node_context& context)
{
    const std::int64_t attempt = context.attempt();
    context.set(value, attempt);
    co_await weft::sleep_for(1min);
    BOOST_TEST(is_resting(context) == (attempt == 1));
    context.set(value, context.get(value) + 1);
    co_await weft::sleep_for(1min);
    if (attempt == 1) throw std::runtime_error{"once"};
}

weft::task<void> ask_late(node_context& context)
{
    co_await weft::sleep_for(1min);
    BOOST_TEST(!is_resting(context));  // since a node of the run was tried again
    weft::question shall = weft::question::approval("Shall I?");
    const bool answer = co_await context.ask<bool>(std::move(shall));
    context.set(value, context.get(value) * (answer ? 10 : 0));
}

/** What a watcher sees who comes while the run rests, and how one ends that is paused then. */
weft::task<std::string> disturb()
{
    const weft::engine engine{line(sleeps(1min), sleeps(1min))};
    weft::run_handle watched = co_await engine.start(weft::run_request{});
    weft::run_handle paused = co_await engine.start(weft::run_request{});
    weft::run_handle cancelled = co_await engine.start(weft::run_request{});
    co_await weft::sleep_for(1s);
    weft::event_stream stream = watched.events();
    paused.pause();
    cancelled.cancel();
    const weft::run_result finished = co_await watched.result();
    std::string seen;
    for (;;) {
        const std::optional<weft::run_event> event = co_await stream.next();
        if (!event) break;
        seen.append(event->node.empty() ? "" : " ").append(event->node);
    }
    const weft::run_result kept = co_await paused.result();
    const weft::run_result stopped = co_await cancelled.result();
    const weft::run_result rest = co_await engine.run(weft::run_request{}.resume(kept.paused_at));
    for (const weft::run_result* const one : {&finished, &kept, &stopped, &rest})
        seen.append("; ").append(one->message()).append(" ").append(path_of(*one));
    co_return seen;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_node_that_wakes_up_in_a_run_that_rests_reads_writes_fails_and_asks_as_ever)
{
    const weft::graph graph = line(wait_twice, ask_late, {.retry = {.attempts_max = 2}});
    const weft::run_result asked = simulate(graph, weft::run_request{words, "said"});
    BOOST_TEST_REQUIRE((asked.status == weft::run_status::paused));
    const std::string address = asked.questions.at(0).address;
    const weft::run_result result =
        simulate(graph, weft::run_request{}.resume(asked.paused_at).answer(address, true));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(result.state.get(value) == 30);
    BOOST_TEST(result.state.get(words) == std::vector<std::string>{"said"});
    BOOST_TEST(path_of(result) == "a b");
}

BOOST_AUTO_TEST_CASE(a_run_that_rests_hears_of_its_limit_of_time_of_a_watcher_of_a_pause_and_of_a_stop)
{
    const weft::run_result late = simulate(line(sleeps(1h), sleeps(1s), {.timeout = 1min}));
    BOOST_TEST_REQUIRE(late.why);
    BOOST_TEST((late.why->code == weft::errc::node_timeout));
    weft::testing::simulation sim{1};
    BOOST_TEST(sim.run(disturb()) ==
               " a b b b __end__; finished a b; paused a; cancelled a; finished a b");
}

BOOST_AUTO_TEST_SUITE_END()
