#include <boost/test/unit_test.hpp>

#include "engine/visit/visit_address.hpp"
#include "graph/graphs.hpp"
#include "scheduler_script.hpp"

#include <algorithm>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(scheduler_questions_test)

namespace {

/** ^ -> a, b, c in parallel -> d */
weft::graph three_branches() { return plain_graph("abcd", "^a ^b ^c ad bd cd").build(); }

struct pausing : scheduler_script {
    explicit pausing(const weft::graph& graph) : scheduler_script{graph}
    {
        scheduler().nodes().when_parked(weft::parked_rule::pause);
    }
};

scheduler_script resumed(const weft::graph& graph, const scheduler_script& before)
{
    return scheduler_script{graph, weft::frontier{before.where()}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_parked_node_waits_while_its_siblings_go_on)
{
    const weft::graph graph = three_branches();
    scheduler_script run{graph};
    BOOST_TEST(run.begin() == "start a, start b, start c");
    BOOST_TEST(run.park("a") == "");
    BOOST_TEST(run.ok("b") == "");
    BOOST_TEST(run.ok("c") == "");      // no pause was asked for: it waits
    BOOST_TEST(run.unpark("a") == "");
    BOOST_TEST(run.ok("a") == "start d");
    BOOST_TEST(run.ok("d") == "finish finished clean");
}

BOOST_AUTO_TEST_CASE(a_run_pauses_when_everything_that_is_left_is_parked)
{
    const weft::graph graph = three_branches();
    pausing run{graph};
    BOOST_TEST(run.begin() == "start a, start b, start c");
    BOOST_TEST(run.park("a") == "");
    BOOST_TEST(run.park("b") == "");
    BOOST_TEST(run.ok("c") == "drop a, drop b");
    BOOST_TEST(run.dropped("a") == "");
    BOOST_TEST(run.dropped("b") == "finish paused clean");
    scheduler_script second = resumed(graph, run);
    BOOST_TEST(second.begin() == "start a, start b");
    BOOST_TEST(second.attempt_of("a") == 1u);
    BOOST_TEST(second.where().steps == 3u);  // a visit that goes on is not counted again
    second.ok("a");
    BOOST_TEST(second.ok("b") == "start d");
}

BOOST_AUTO_TEST_CASE(an_answer_before_the_others_are_done_keeps_the_run_going)
{
    const weft::graph graph = three_branches();
    pausing run{graph};
    run.begin();
    run.park("a");
    run.ok("b");
    BOOST_TEST(run.unpark("a") == "");
    BOOST_TEST(run.ok("c") == "");
    BOOST_TEST(run.ok("a") == "start d");
}

BOOST_AUTO_TEST_CASE(a_run_does_not_pause_while_a_retry_is_due)
{
    weft::graph_builder builder = graph_of("a");
    builder.node("b", [] {}, tries(2));
    const weft::graph graph = add_edges(builder, "^a ^b").build();
    pausing run{graph};
    run.begin();
    run.park("a");
    BOOST_TEST(run.fail("b") == "wait b 1000");
    BOOST_TEST(run.due("b") == "start b");
    BOOST_TEST(run.ok("b") == "drop a");
    BOOST_TEST(run.dropped("a") == "finish paused clean");
}

BOOST_AUTO_TEST_CASE(a_pause_from_outside_takes_parked_nodes_down_when_the_others_have_ended)
{
    const weft::graph graph = three_branches();
    scheduler_script run{graph};  // it would wait for answers by itself
    run.begin();
    run.park("a");
    BOOST_TEST(run.pause() == "");
    BOOST_TEST(run.ok("b") == "");
    BOOST_TEST(run.ok("c") == "drop a");
    BOOST_TEST(run.dropped("a") == "finish paused clean");
}

BOOST_AUTO_TEST_CASE(a_node_that_was_answered_during_a_pause_is_waited_for)
{
    const weft::graph graph = three_branches();
    scheduler_script run{graph};
    run.begin();
    run.park("a");
    run.pause();
    run.ok("b");
    BOOST_TEST(run.unpark("a") == "");
    BOOST_TEST(run.ok("c") == "");
    BOOST_TEST(run.ok("a") == "finish paused clean");
    BOOST_TEST(run.where().steps == 3u);
}

BOOST_AUTO_TEST_CASE(a_stop_ends_parked_nodes_as_any_other)
{
    const weft::graph graph = three_branches();
    pausing run{graph};
    run.begin();
    run.park("a");
    run.ok("b");
    BOOST_TEST(run.stop() == "stop a, stop c");
    BOOST_TEST(run.unpark("a") == "");   // by the end of its coroutine
    BOOST_TEST(run.stopped("a") == "");
    BOOST_TEST(run.stopped("c") == "finish cancelled failed");
}

BOOST_AUTO_TEST_CASE(a_failing_sibling_stops_a_parked_node)
{
    const weft::graph graph = three_branches();
    pausing run{graph};
    run.begin();
    run.park("a");
    run.ok("b");
    BOOST_TEST(run.fail("c") == "stop a");
    BOOST_TEST(run.stopped("a") == "finish failed failed");
}

BOOST_AUTO_TEST_CASE(a_node_that_is_stopping_does_not_park)
{
    const weft::graph graph = three_branches();
    pausing run{graph};
    run.begin();
    BOOST_TEST(run.stop() == "stop a, stop b, stop c");
    BOOST_TEST(run.park("a") == "");
    BOOST_TEST(run.stopped("b") == "");
    BOOST_TEST(run.stopped("c") == "");
    BOOST_TEST(run.stopped("a") == "finish cancelled failed");
}

BOOST_AUTO_TEST_CASE(parked_nodes_take_no_place_among_those_in_flight)
{
    weft::schedule_limits limits;
    limits.in_flight_max = 1;
    const weft::graph graph = three_branches();
    scheduler_script run{graph, limits};
    run.scheduler().nodes().when_parked(weft::parked_rule::pause);
    BOOST_TEST(run.begin() == "start a");
    BOOST_TEST(run.park("a") == "start b");
    BOOST_TEST(run.park("b") == "start c");
    BOOST_TEST(run.park("c") == "drop a, drop b, drop c");
}

BOOST_AUTO_TEST_CASE(a_run_within_a_node_only_says_that_everything_is_parked)
{
    const weft::graph graph = three_branches();
    scheduler_script run{graph};
    run.scheduler().nodes().when_parked(weft::parked_rule::notify);
    run.begin();
    run.park("a");
    run.ok("b");
    BOOST_TEST(run.ok("c") == "all parked");
    BOOST_TEST(run.begin() == "");         // once
    BOOST_TEST(run.unpark("a") == "");
    BOOST_TEST(run.park("a") == "all parked");
    BOOST_TEST(run.pause() == "drop a");
    BOOST_TEST(run.dropped("a") == "finish paused clean");
}

BOOST_AUTO_TEST_CASE(P17_addresses_tell_visits_and_branches_apart_whatever_comes_first)
{
    // a and b both lead through x, whose visits are counted in the order in which they come.
    weft::graph_builder builder = graph_of("abxd");
    builder.node("p", [] {}, {.goes_to = {"a", "b"}});
    const weft::graph graph = add_edges(builder, "^p ax bx xd").fan_in("p", "d").build();
    const auto addresses = [&](std::string_view first, std::string_view second) {
        scheduler_script run{graph};
        run.begin();
        run.send("p", {"a", "b"});
        std::vector<std::string> seen;
        for (const std::string_view node : {first, second}) {
            run.ok(node);
            for (weft::branch_index t = 0; t < run.where().branches.size(); ++t)
                if (graph.name_of(run.where().branches[t].node) == "x")
                    seen.push_back(visit_address(graph, run.where(), t));
        }
        std::sort(seen.begin(), seen.end());
        seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
        return seen;
    };
    BOOST_TEST(addresses("a", "b").size() == 2u);
    BOOST_TEST(addresses("a", "b") == addresses("b", "a"), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_address_names_node_and_visit_and_in_a_branch_where_it_began)
{
    const weft::graph graph = plain_graph("pabd", "^p pa pb ad bd").build();
    scheduler_script run{graph};
    run.begin();
    BOOST_TEST(visit_address(graph, run.where(), 0) == "p#1");
    run.ok("p");
    std::vector<std::string> seen;
    for (weft::branch_index t = 0; t < run.where().branches.size(); ++t)
        if (run.where().branches[t].phase == weft::branch_phase::running)
            seen.push_back(visit_address(graph, run.where(), t));
    BOOST_TEST(seen == (std::vector<std::string>{"p#1.0/a#1", "p#1.1/b#1"}), boost::test_tools::per_element());
    BOOST_TEST(weft::place_in_visit("p#1.0/a#1", "ask/50%#", 2) == "p#1.0/a#1/ask%2F50%25%23#2");
    BOOST_TEST(weft::is_below("p#1/ask#0", "p#1"));
    BOOST_TEST(!weft::is_below("p#1.0/a#1", "p#1"));
    BOOST_TEST(!weft::is_below("p#10/ask#0", "p#1"));
}

BOOST_AUTO_TEST_SUITE_END()
