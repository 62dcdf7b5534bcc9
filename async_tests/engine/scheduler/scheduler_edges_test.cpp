#include <boost/test/unit_test.hpp>

#include "graph/graphs.hpp"
#include "scheduler_script.hpp"

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(scheduler_edges_test)

namespace {

bool is_one(const weft::state_view& state) { return state.value_or(value, 0) == 1; }
bool is_small(const weft::state_view& state) { return state.value_or(value, 0) < 10; }
bool never(const weft::state_view&) { return false; }
bool throws(const weft::state_view&) { throw std::runtime_error{"no score"}; }

weft::state_update set_value(std::int64_t number) { return weft::state_update{}.set(value, number); }

weft::schedule_limits one_at_a_time() { return {.in_flight_max = 1}; }

}  // namespace

BOOST_AUTO_TEST_CASE(a_chain_runs_node_by_node)
{
    scheduler_script run{plain_graph("abc", "^a ab bc").build()};
    BOOST_TEST(run.begin() == "start a");
    BOOST_TEST(run.ok("a") == "start b");
    BOOST_TEST(run.ok("b") == "start c");
    BOOST_TEST(run.ok("c") == "finish finished clean");
    BOOST_TEST(joined(run.path()) == "a b c");
    BOOST_TEST(run.where().steps == 3u);
}

BOOST_AUTO_TEST_CASE(an_edge_to_the_end_ends_the_run)
{
    scheduler_script run{plain_graph("a", "^a a$").build()};
    BOOST_TEST(run.begin() == "start a");
    BOOST_TEST(run.ok("a") == "finish finished clean");
}

BOOST_AUTO_TEST_CASE(an_edge_to_the_end_beside_others_does_not_end_the_run)
{
    scheduler_script run{plain_graph("ab", "^a a$ ab").build()};
    run.begin();
    BOOST_TEST(run.ok("a") == "start b");
    BOOST_TEST(run.ok("b") == "finish finished clean");
}

BOOST_AUTO_TEST_CASE(of_the_conditional_edges_only_the_first_that_holds_fires)
{
    scheduler_script run{plain_graph("abcd", "^a")
                             .edge_when("a", "d", never)
                             .edge_when("a", "b", is_one)
                             .edge_when("a", "c", is_small)
                             .build()};
    run.begin();
    BOOST_TEST(run.ok("a", set_value(1)) == "start b");
}

BOOST_AUTO_TEST_CASE(conditions_see_what_the_node_has_just_written)
{
    scheduler_script run{
        plain_graph("abc", "^a").edge_when("a", "b", is_one).edge_when("a", "c", is_small).build()};
    run.begin();
    BOOST_TEST(run.ok("a", set_value(2)) == "start c");
}

BOOST_AUTO_TEST_CASE(priority_comes_before_declaration)
{
    scheduler_script run{plain_graph("abc", "^a")
                             .edge_when("a", "b", is_small)
                             .edge_when("a", "c", is_small, {.priority = 1})
                             .build()};
    run.begin();
    BOOST_TEST(run.ok("a") == "start c");
}

BOOST_AUTO_TEST_CASE(plain_edges_fire_only_if_no_conditional_edge_does)
{
    const auto graph = plain_graph("abc", "^a ab").edge_when("a", "c", is_one).build();
    scheduler_script taken{graph};
    taken.begin();
    BOOST_TEST(taken.ok("a", set_value(1)) == "start c");
    scheduler_script otherwise{graph};
    otherwise.begin();
    BOOST_TEST(otherwise.ok("a", set_value(2)) == "start b");
}

BOOST_AUTO_TEST_CASE(on_success_edges_fire_beside_a_conditional_one)
{
    scheduler_script run{
        plain_graph("abcd", "^a ad").edge_on_success("a", "b").edge_when("a", "c", is_one).build()};
    run.begin();
    BOOST_TEST(run.ok("a", set_value(1)) == "start b, start c");
}

BOOST_AUTO_TEST_CASE(on_success_edges_fire_beside_plain_ones)
{
    scheduler_script run{plain_graph("abc", "^a ac").edge_on_success("a", "b").build()};
    run.begin();
    BOOST_TEST(run.ok("a") == "start b, start c");
}

BOOST_AUTO_TEST_CASE(branches_start_by_priority_and_then_by_declaration)
{
    weft::graph_builder builder = graph_of("abcd");
    builder.edge(weft::start, "a").edge("a", "b").edge("a", "c", {.priority = 5}).edge("a", "d");
    scheduler_script run{builder.build()};
    run.begin();
    BOOST_TEST(run.ok("a") == "start c, start b, start d");
}

BOOST_AUTO_TEST_CASE(an_always_edge_fires_after_success_like_a_plain_one)
{
    const auto graph = plain_graph("abc", "^a").edge_always("a", "b").edge_when("a", "c", is_one).build();
    scheduler_script without{graph};
    without.begin();
    BOOST_TEST(without.ok("a") == "start b");
    scheduler_script with{graph};
    with.begin();
    BOOST_TEST(with.ok("a", set_value(1)) == "start c");
}

BOOST_AUTO_TEST_CASE(two_edges_of_different_kinds_to_one_node_run_it_once)
{
    for (const bool has_third : {false, true}) {
        weft::graph_builder builder = plain_graph("abc", "^a ab");
        builder.edge_always("a", "b");
        if (has_third) builder.edge_on_success("a", "b");
        builder.edge("b", "c");
        scheduler_script run{builder.build()};
        run.begin();
        BOOST_TEST(run.ok("a") == "start b");
        BOOST_TEST(run.ok("b") == "start c");
    }
}

BOOST_AUTO_TEST_CASE(after_failure_the_failure_edge_comes_first)
{
    scheduler_script run{plain_graph("abcde", "^a ae")
                             .edge_always("a", "d")
                             .edge_when("a", "c", is_small)
                             .edge_on_failure("a", "b")
                             .build()};
    run.begin();
    BOOST_TEST(run.fail("a") == "start b");
    BOOST_TEST(run.ok("b") == "finish finished degraded");
}

BOOST_AUTO_TEST_CASE(only_the_first_failure_edge_fires)
{
    scheduler_script run{plain_graph("abc", "^a")
                             .edge_on_failure("a", "b")
                             .edge_on_failure("a", "c", {.priority = 1})
                             .build()};
    run.begin();
    BOOST_TEST(run.fail("a") == "start c");
    BOOST_TEST(run.ok("c") == "finish finished degraded");
}

BOOST_AUTO_TEST_CASE(the_first_condition_that_is_asked_after_failure_and_holds_is_taken)
{
    scheduler_script run{plain_graph("abcd", "^a")
                             .edge_always("a", "d")
                             .edge_when("a", "b", never, {.after = weft::edge_after::any})
                             .edge_when("a", "c", is_small, {.after = weft::edge_after::any})
                             .build()};
    run.begin();
    BOOST_TEST(run.fail("a") == "start c");
    BOOST_TEST(run.ok("c") == "finish finished degraded");
}

BOOST_AUTO_TEST_CASE(without_either_the_first_always_edge_is_taken)
{
    scheduler_script run{plain_graph("abcd", "^a ab")
                             .edge_always("a", "c")
                             .edge_always("a", "d")
                             .edge_when("a", "b", never)
                             .build()};
    run.begin();
    BOOST_TEST(run.fail("a") == "start c");
}

BOOST_AUTO_TEST_CASE(a_failure_without_a_way_out_fails_the_run)
{
    scheduler_script run{plain_graph("ab", "^a ab").edge_on_success("a", "b").build()};
    run.begin();
    BOOST_TEST(run.fail("a", weft::errc::model_rejected) == "finish failed failed");
    BOOST_TEST(run.scheduler().course().why()->node == "a");
    BOOST_TEST((run.scheduler().course().why()->code == weft::errc::model_rejected));
    BOOST_REQUIRE_EQUAL(run.scheduler().course().unfinished().size(), 1u);
}

BOOST_AUTO_TEST_CASE(the_node_behind_a_failure_edge_reads_the_failure)
{
    scheduler_script run{plain_graph("abc", "^a bc").edge_on_failure("a", "b").build()};
    run.begin();
    run.fail("a", weft::errc::gap_timeout);
    BOOST_REQUIRE(run.where().branches[0].previous());
    BOOST_TEST((run.where().branches[0].previous()->code == weft::errc::gap_timeout));
    run.ok("b");
    BOOST_TEST(!run.where().branches[0].previous());
}

BOOST_AUTO_TEST_CASE(no_condition_that_holds_and_no_other_edge_is_an_error_that_lists_the_candidates)
{
    scheduler_script run{plain_graph("abc", "^a")
                             .edge_when("a", "b", is_one, {.label = "is one"})
                             .edge_when("a", "c", never)
                             .build()};
    run.begin();
    BOOST_TEST(run.ok("a") == "finish failed failed");
    BOOST_TEST((run.scheduler().course().why()->code == weft::errc::no_edge_matched));
    BOOST_TEST(run.scheduler().course().why()->message.find("b [is one], c") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(no_edge_matched_takes_the_failure_edge)
{
    scheduler_script run{
        plain_graph("abc", "^a").edge_when("a", "b", never).edge_on_failure("a", "c").build()};
    run.begin();
    BOOST_TEST(run.ok("a") == "start c");
    BOOST_TEST((run.where().branches[0].previous()->code == weft::errc::no_edge_matched));
}

BOOST_AUTO_TEST_CASE(a_node_with_failure_edges_only_ends_its_branch_after_success)
{
    scheduler_script run{plain_graph("ab", "^a").edge_on_failure("a", "b").build()};
    run.begin();
    BOOST_TEST(run.ok("a") == "finish finished clean");
}

BOOST_AUTO_TEST_CASE(a_condition_that_throws_fails_the_node)
{
    scheduler_script run{
        plain_graph("abc", "^a").edge_when("a", "b", throws).edge_on_failure("a", "c").build()};
    run.begin();
    BOOST_TEST(run.ok("a") == "start c");
    BOOST_TEST((run.where().branches[0].previous()->code == weft::errc::condition_failed));
}

BOOST_AUTO_TEST_CASE(a_condition_that_throws_after_a_failure_does_not_hide_the_failure)
{
    scheduler_script run{plain_graph("ab", "^a").edge_when("a", "b", throws).build()};
    run.begin();
    BOOST_TEST(run.fail("a", weft::errc::model_rejected) == "finish failed failed");
    BOOST_TEST((run.scheduler().course().why()->code == weft::errc::model_rejected));
}

BOOST_AUTO_TEST_CASE(the_start_may_choose_and_fan_out)
{
    scheduler_script chosen{graph_of("ab").edge_when(weft::start, "a", never).edge(weft::start, "b")
                                .edge("b", "a").build()};
    BOOST_TEST(chosen.begin() == "start b");
    scheduler_script both{plain_graph("abc", "^a ^b ac bc").build()};
    BOOST_TEST(both.begin() == "start a, start b");
    both.ok("b");
    BOOST_TEST(both.ok("a") == "start c");
}

BOOST_AUTO_TEST_CASE(a_start_without_a_match_fails_the_run)
{
    scheduler_script run{graph_of("a").edge_when(weft::start, "a", never).build()};
    BOOST_TEST(run.begin() == "finish failed failed");
    BOOST_TEST((run.scheduler().course().why()->code == weft::errc::no_edge_matched));
}

BOOST_AUTO_TEST_CASE(a_fan_out_by_condition_meets_where_its_own_targets_meet)
{
    // After success: b always, and c or d. b and d meet at e already, b and c only at f.
    scheduler_script run{plain_graph("abcdef", "^a ad be de cf ef")
                             .edge_on_success("a", "b")
                             .edge_when("a", "c", is_one)
                             .build(), one_at_a_time()};
    run.begin();
    BOOST_TEST(run.ok("a", set_value(1)) == "start b");
    BOOST_TEST(run.ok("b") == "start e");
    BOOST_TEST(run.ok("e") == "start c");
    BOOST_TEST(run.ok("c") == "start f");
    BOOST_TEST(run.ok("f") == "finish finished clean");
}

BOOST_AUTO_TEST_SUITE_END()
