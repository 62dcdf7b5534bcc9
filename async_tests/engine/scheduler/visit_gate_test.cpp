#include <boost/test/unit_test.hpp>

#include "engine/nodes.hpp"
#include "engine/scheduler/scheduler.hpp"
#include "stepper.hpp"

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(visit_gate_test)

namespace {

/** Steps both until they end, which must be in the same places. @return  How many steps were short. */
int compare_ways(const weft::graph& of, const weft::schedule_limits& limits, std::uint64_t seed = 0)
{
    stepper<> shorter{of, limits, true};
    stepper<> longer{of, limits, false};
    step_both(shorter, longer, seed);
    return shorter.walked();
}

weft::graph line(weft::node_options options = {})
{
    return empty_graph()
        .node("a", [] {})
        .node("b", [] {}, std::move(options))
        .node("c", [] {})
        .edge(weft::start, "a")
        .edge("a", "b")
        .edge("b", "c")
        .build();
}

weft::graph fan(weft::fan_out_options options = {})
{
    weft::graph_builder builder = empty_graph();
    builder.node("split", [] {}).node("join", [] {}).edge(weft::start, "split").fan_out("split", std::move(options));
    for (const char* const name : {"a", "b", "c", "d"})
        builder.node(name, [] {}).edge("split", name).edge(name, "join");
    return builder.build();
}

}  // namespace

BOOST_AUTO_TEST_CASE(straight_on_a_run_stands_where_the_scheduler_would_have_led_it)
{
    int walked = 0;
    for_limited_graphs([&](const weft::graph& of, const auto& limits, auto&, std::uint64_t seed) {
        walked += compare_ways(of, limits, seed);
    });
    BOOST_TEST(walked > 1000);
}

BOOST_AUTO_TEST_CASE(a_line_is_walked_along_and_a_fan_out_from_branch_to_branch)
{
    BOOST_TEST(compare_ways(line(), {}) == 2);
    BOOST_TEST(compare_ways(fan(), {}) == 3);
}

BOOST_AUTO_TEST_CASE(path_and_visits_are_made_where_the_line_ends_or_is_kept)
{
    for (const bool walks : {true, false}) {
        stepper<> on_line{line(), {}, walks};
        on_line.step();
        on_line.step();
        const weft::frontier& where = on_line.scheduler().where();
        BOOST_TEST(where.is_on_line);
        BOOST_TEST(where.path.empty());
        BOOST_TEST(on_line.scheduler().restart().to_save().path.size() == 3u);
        BOOST_TEST(!where.is_on_line);
        stepper<> forked{fan(), {}, walks};
        forked.step();
        BOOST_TEST(forked.scheduler().where().path.size() == 2u);
        BOOST_TEST(!forked.scheduler().where().is_on_line);
    }
}

BOOST_AUTO_TEST_CASE(what_is_due_at_a_node_is_done)
{
    BOOST_TEST(compare_ways(line({.visits_max = 3}), {}) == 1);
    BOOST_TEST(compare_ways(line({.is_deferred = true}), {}) == 0);
    BOOST_TEST(compare_ways(line({.gives_feedback = true}), {}) == 0);
    BOOST_TEST(compare_ways(line({.clears = {"words"}}), {}) == 1);
    BOOST_TEST(compare_ways(line({.timeout = 1s}), {}) == 0);
    BOOST_TEST(compare_ways(line({.writes = {{"value"}}, .outputs = {.required = true}}), {}) == 1);
    BOOST_TEST(compare_ways(line({.pauses = weft::pause_point::before}), {}) == 0);
    BOOST_TEST(compare_ways(line({.pauses = weft::pause_point::after}), {}) == 0);
}

BOOST_AUTO_TEST_CASE(branches_that_end_by_a_rule_end_by_it)
{
    BOOST_TEST(compare_ways(fan({.on_failure = weft::branch_policy::first_success}), {}) == 0);
    BOOST_TEST(compare_ways(fan({.concurrency_max = 1}), {}) == 0);
    BOOST_TEST(compare_ways(fan({.until = [](weft::state_view) { return true; }}), {}) == 0);
}

BOOST_AUTO_TEST_CASE(limits_hold_on_the_way)
{
    weft::graph_builder builder = empty_graph();
    builder.node("again", [] {}).edge(weft::start, "again").edge("again", "again");
    const weft::graph loop = builder.build();
    BOOST_TEST(compare_ways(loop, {.steps_max = 5}) == 4);
    BOOST_TEST(compare_ways(loop, {.steps_max = 0, .in_a_row_max = 3}) == 2);
    BOOST_TEST(compare_ways(line(), {.steps_max = 2}) == 1);
    BOOST_TEST(compare_ways(fan(), {.steps_max = 3}) == 1);
}

BOOST_AUTO_TEST_CASE(nobody_walks_past_a_stop_a_pause_a_watcher_or_a_save)
{
    for (int what = 0; what < 4; ++what) {
        stepper<> run{line(), {.saves = what == 3}, true};
        if (what == 0) run.scheduler().stop();
        if (what == 1) run.scheduler().pause();
        if (what == 2) run.scheduler().give_notices();
        BOOST_TEST(walk_on(run.scheduler(), 0) == nullptr);
    }
    stepper<> run{line(), {}, true};
    BOOST_TEST(walk_on(run.scheduler(), 0) != nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
