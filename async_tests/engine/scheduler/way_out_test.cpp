#include <boost/test/unit_test.hpp>

#include "engine/nodes.hpp"
#include "scheduler_script.hpp"

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(way_out_test)

namespace {

weft::schedule_limits limits_of(std::uint32_t steps, std::uint32_t reserve)
{
    weft::schedule_limits limits;
    limits.steps_max = steps;
    limits.steps_reserve = reserve;
    return limits;
}

weft::run_options with_reserve(weft::run_options options, std::uint32_t steps, std::chrono::nanoseconds elapsed)
{
    weft::run_reserve reserve;
    reserve.steps = steps;
    reserve.elapsed = elapsed;
    return std::move(options.reserve(reserve));
}

/** a and b call each other; what b fails with leads to z. */
weft::graph_builder round()
{
    return plain_graph("abz", "^a ab ba");
}

}  // namespace

BOOST_AUTO_TEST_CASE(P51_for_want_of_steps_the_budget_edge_of_the_next_node_is_taken)
{
    scheduler_script run{round().edge_on_failure("b", "a").edge_on_budget("b", "z").build(), limits_of(3, 2)};
    run.begin();
    run.ok("a");
    run.ok("b");
    BOOST_TEST(run.ok("a") == "start z");
    BOOST_TEST((run.where().branches[0].previous()->code == weft::errc::steps_exceeded));
    BOOST_TEST(run.ok("z") == "finish finished degraded");
    BOOST_TEST(joined(run.path()) == "a b a z");
}

BOOST_AUTO_TEST_CASE(P51_the_failure_edge_is_taken_too_but_an_always_edge_is_not)
{
    scheduler_script with_edge{round().edge_on_failure("b", "z").build(), limits_of(1, 1)};
    with_edge.begin();
    BOOST_TEST(with_edge.ok("a") == "start z");
    scheduler_script without{plain_graph("abz", "^a ab").edge_always("b", "z").build(), limits_of(1, 1)};
    without.begin();
    BOOST_TEST(without.ok("a") == "finish failed failed");
    BOOST_TEST((without.scheduler().course().why()->code == weft::errc::steps_exceeded));
}

BOOST_AUTO_TEST_CASE(P51_the_way_out_is_bounded_by_the_reserve)
{
    scheduler_script run{round().edge("z", "z").edge_on_failure("b", "z").build(), limits_of(1, 3)};
    run.begin();
    BOOST_TEST(run.ok("a") == "start z");
    BOOST_TEST(run.ok("z") == "start z");
    BOOST_TEST(run.ok("z") == "start z");
    BOOST_TEST(run.ok("z") == "finish failed failed");
    BOOST_TEST(run.where().steps == 4u);
    BOOST_TEST(run.scheduler().course().why()->message.find("with the reserve for its way out") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(P51_without_a_reserve_or_where_the_limit_does_not_fail_the_run_there_is_no_way_out)
{
    const auto graph = round().edge_on_failure("b", "z").build();
    scheduler_script none{graph, limits_of(1, 0)};
    none.begin();
    BOOST_TEST(none.ok("a") == "finish failed failed");
    weft::schedule_limits gentle = limits_of(1, 5);
    gentle.fails_at_limit = false;
    scheduler_script short_run{graph, gentle};
    short_run.begin();
    BOOST_TEST(short_run.ok("a") == "finish finished degraded");
    BOOST_TEST(short_run.scheduler().course().was_cut_short());
}

BOOST_AUTO_TEST_CASE(P51_behind_a_join_the_way_out_goes_on)
{
    weft::graph_builder builder = plain_graph("abcxyj", "^a ab ac bj cj");
    builder.edge_on_failure("b", "x").edge_on_failure("c", "y").edge("x", "j").edge("y", "j");
    scheduler_script run{builder.build(), limits_of(1, 3)};
    run.begin();
    BOOST_TEST(run.ok("a") == "start x, start y");
    run.ok("x");
    BOOST_TEST(run.ok("y") == "start j");
    BOOST_TEST(run.ok("j") == "finish finished degraded");
}

BOOST_AUTO_TEST_CASE(P51_a_checkpoint_knows_who_is_on_the_way_out)
{
    weft::schedule_limits limits = limits_of(1, 2);
    limits.saves = true;
    scheduler_script run{round().edge("z", "z").edge_on_failure("b", "z").build(), limits};
    run.begin();
    run.ok("a");
    run.ok("z");
    BOOST_REQUIRE(!run.kept().empty());
    scheduler_script again{round().edge("z", "z").edge_on_failure("b", "z").build(), run.kept().back(), limits};
    BOOST_TEST(again.begin() == "start z");
    BOOST_TEST(again.ok("z") == "finish failed failed");
}

BOOST_AUTO_TEST_CASE(P51_for_want_of_time_running_nodes_leave_by_their_edges)
{
    const auto graph = empty_graph()
                           .node("a", sleeps(1h))
                           .node("z", writes(1s, 7))
                           .edge(weft::start, "a")
                           .edge_on_budget("a", "z")
                           .build();
    weft::run_options options;
    options.elapsed_max(1min);
    const auto result = simulate(graph, with(options));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST((result.quality == weft::run_quality::degraded));
    BOOST_TEST(path_of(result) == "a z");
    BOOST_TEST(result.state.get(value) == 7);
    BOOST_TEST((result.elapsed == 61s));
}

BOOST_AUTO_TEST_CASE(P51_the_time_of_the_way_out_is_bounded_too)
{
    const auto graph = empty_graph()
                           .node("a", sleeps(1h))
                           .node("z", sleeps(1h))
                           .edge(weft::start, "a")
                           .edge_on_failure("a", "z")
                           .build();
    weft::run_options options;
    options.elapsed_max(1min);
    const auto result = simulate(graph, with(with_reserve(options, 16, 5s)));
    BOOST_TEST((result.status == weft::run_status::failed));
    BOOST_TEST((result.why->code == weft::errc::run_timeout));
    BOOST_TEST((result.elapsed == 65s));
    BOOST_TEST(path_of(result) == "a z");
    const auto strict = simulate(graph, with(with_reserve(options, 16, 0s)));
    BOOST_TEST(path_of(strict) == "a");
    BOOST_TEST((strict.elapsed == 60s));
}

BOOST_AUTO_TEST_CASE(P51_of_parallel_branches_those_with_an_edge_leave_and_the_others_have_failed)
{
    std::vector<weft::branch_status> seen;
    const auto look = [&seen](weft::node_context& context) {
        for (const weft::branch_result& branch : context.branches()) seen.push_back(branch.status);
    };
    const auto graph = empty_graph()
                           .node("s", [] {})
                           .node("a", sleeps(1h))
                           .node("b", sleeps(1h))
                           .node("c", writes(1s, 3))
                           .node("x", writes(1s, 5))
                           .node("j", look)
                           .edge(weft::start, "s")
                           .edge("s", "a").edge("s", "b").edge("s", "c")
                           .edge("a", "j").edge("b", "j").edge("c", "j").edge("x", "j")
                           .edge_on_failure("a", "x")
                           .fan_out("s", {.on_failure = weft::branch_policy::continue_others})
                           .build();
    weft::run_options options;
    options.elapsed_max(1min);
    const auto result = simulate(graph, with(options));
    BOOST_TEST(result.message() == "finished");
    using enum weft::branch_status;
    const std::vector expected{succeeded, timed_out, succeeded};
    BOOST_TEST((seen == expected));
    BOOST_TEST(result.state.get(value) == 5);
}

BOOST_AUTO_TEST_CASE(P51_without_such_an_edge_the_run_ends_when_its_time_is_over)
{
    const auto graph = empty_graph().node("a", sleeps(1h)).edge(weft::start, "a").build();
    weft::run_options options;
    options.elapsed_max(1min);
    const auto result = simulate(graph, with(options));
    BOOST_TEST((result.why->code == weft::errc::run_timeout));
    BOOST_TEST((result.elapsed == 60s));
}

BOOST_AUTO_TEST_CASE(P51_a_node_reads_what_is_left)
{
    std::vector<std::pair<std::uint32_t, std::chrono::nanoseconds>> seen;
    std::int64_t tokens = 0;
    const auto look = [&](weft::node_context& context) -> weft::command {
        const weft::run_remaining left = context.remaining();
        seen.emplace_back(left.steps.value_or(99), left.elapsed.value_or(99s));
        tokens = left.tokens.value_or(weft::tokens{}).count();
        return *left.steps < 2 ? weft::command::end() : weft::command::next();
    };
    const auto graph = empty_graph().node("a", sleeps(1s)).node("b", look).edge(weft::start, "a").edge("a", "b")
                           .edge("b", "a").build();
    weft::run_options options;
    weft::budget limits;
    limits.tokens = weft::tokens{500};
    options.steps_max(5).elapsed_max(10s).budget(limits);
    const auto result = simulate(graph, with(options));
    BOOST_TEST(result.message() == "finished");
    BOOST_REQUIRE_EQUAL(seen.size(), 2u);
    BOOST_TEST((seen[0] == std::pair{std::uint32_t{3}, std::chrono::nanoseconds{9s}}));
    BOOST_TEST((seen[1] == std::pair{std::uint32_t{1}, std::chrono::nanoseconds{8s}}));
    BOOST_TEST(tokens == 500);
}

BOOST_AUTO_TEST_SUITE_END()
