#include <boost/test/unit_test.hpp>

#include "engine/scheduler/scheduler_script.hpp"
#include "nodes.hpp"

#include <weft/engine/checkpoint/graph_fingerprint.hpp>

using namespace weft_tests;
using weft::edge_after;

BOOST_AUTO_TEST_SUITE(edge_after_test)

namespace {

bool is_small(const weft::state_view& state) { return state.value_or(value, 0) < 10; }
bool never(const weft::state_view&) { return false; }

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_46_a_condition_that_happens_to_hold_is_not_taken_after_a_failure)
{
    scheduler_script run{plain_graph("abc", "^a ac").edge_when("a", "b", is_small).build()};
    run.begin();
    BOOST_TEST(run.fail("a", weft::errc::model_rejected) == "finish failed failed");
    BOOST_TEST((run.scheduler().course().why()->code == weft::errc::model_rejected));
}

BOOST_AUTO_TEST_CASE(HIV_46_an_edge_that_is_asked_after_failure_is_taken_then_only)
{
    const auto graph =
        plain_graph("abc", "^a ac").edge_when("a", "b", is_small, {.after = edge_after::failure}).build();
    scheduler_script failing{graph};
    failing.begin();
    BOOST_TEST(failing.fail("a") == "start b");
    BOOST_TEST(failing.ok("b") == "finish finished degraded");
    scheduler_script well{graph};
    well.begin();
    BOOST_TEST(well.ok("a") == "start c");
}

BOOST_AUTO_TEST_CASE(HIV_46_an_edge_that_is_asked_after_both_is_taken_after_both)
{
    const auto graph = plain_graph("abc", "^a ac").edge_when("a", "b", is_small, {.after = edge_after::any}).build();
    scheduler_script failing{graph};
    failing.begin();
    BOOST_TEST(failing.fail("a") == "start b");
    scheduler_script well{graph};
    well.begin();
    BOOST_TEST(well.ok("a") == "start b");
}

BOOST_AUTO_TEST_CASE(HIV_46_conditions_come_before_the_edges_without_one_by_priority)
{
    const auto asked = [](bool (*first)(const weft::state_view&)) {
        return plain_graph("abcde", "^a ae")
            .edge_on_failure("a", "d")
            .edge_when("a", "b", is_small, {.after = edge_after::any})
            .edge_when("a", "c", first, {.priority = 1, .after = edge_after::failure})
            .build();
    };
    scheduler_script first{asked(is_small)};
    first.begin();
    BOOST_TEST(first.fail("a") == "start c");
    scheduler_script second{asked(never)};
    second.begin();
    BOOST_TEST(second.fail("a") == "start b");
    scheduler_script none{plain_graph("abd", "^a")
                              .edge_on_failure("a", "d")
                              .edge_when("a", "b", never, {.after = edge_after::any})
                              .build()};
    none.begin();
    BOOST_TEST(none.fail("a") == "start d");
}

BOOST_AUTO_TEST_CASE(HIV_46_for_want_of_budget_the_edge_for_that_comes_first)
{
    scheduler_script run{plain_graph("abc", "^a")
                             .edge_when("a", "b", is_small, {.after = edge_after::any})
                             .edge_on_budget("a", "c")
                             .build()};
    run.begin();
    BOOST_TEST(run.fail("a", weft::errc::budget_exhausted) == "start c");
}

BOOST_AUTO_TEST_CASE(HIV_46_edges_after_failure_are_no_way_round_a_join)
{
    weft::graph_builder builder = plain_graph("abcjx", "^a ab ac bj cj");
    builder.edge_when("b", "x", is_small, {.after = edge_after::failure});
    const weft::graph graph = builder.build();
    BOOST_TEST(graph.join_of("a") == "j");
    scheduler_script run{graph};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.fail("b") == "start x");
    run.ok("c");
    BOOST_TEST(run.ok("x") == "start j");
}

BOOST_AUTO_TEST_CASE(HIV_46_expressions_and_decisions_may_be_asked_after_failure)
{
    const auto route = [](const weft::state_view&) { return std::string{"mend"}; };
    const auto graph = empty_graph()
                           .node("a", fails(1ms))
                           .node("b", fails(1ms))
                           .node("c", [] {})
                           .edge(weft::start, "a")
                           .edge_when("a", "b", "total is None", {.after = edge_after::failure})
                           .edge_route("b", route, {{"mend", "c"}}, {.after = edge_after::any})
                           .build();
    const auto result = simulate(graph);
    BOOST_TEST(path_of(result) == "a b c");
    BOOST_TEST((result.quality == weft::run_quality::degraded));
}

BOOST_AUTO_TEST_CASE(HIV_46_only_conditional_edges_have_it_and_not_those_of_the_start)
{
    const auto mistakes = std::get<1>(plain_graph("ab", "")
                                          .edge(weft::start, "a")
                                          .edge_when(weft::start, "b", is_small, {.after = edge_after::failure})
                                          .edge("a", "b", {.after = edge_after::any})
                                          .try_build());
    BOOST_REQUIRE_EQUAL(mistakes.size(), 2u);
    BOOST_TEST(mistakes[0].find("cannot fail") != std::string::npos);
    BOOST_TEST(mistakes[1].find("make it one of the kind on_failure") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(HIV_46_it_is_explained_and_is_part_of_the_fingerprint)
{
    const auto graph = [](edge_after after) {
        return plain_graph("ab", "^a").edge_when("a", "b", "value == 1", {.after = after}).build();
    };
    BOOST_TEST(graph(edge_after::failure).explain().find("value == 1] after failure") != std::string::npos);
    BOOST_TEST((weft::graph_fingerprint(graph(edge_after::success)) !=
                weft::graph_fingerprint(graph(edge_after::failure))));
}

BOOST_AUTO_TEST_SUITE_END()
