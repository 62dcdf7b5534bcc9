#include <boost/test/unit_test.hpp>

#include "graph/graphs.hpp"
#include "scheduler_script.hpp"

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(scheduler_limits_test)

namespace {

weft::graph_builder visited_at_most(std::uint32_t visits_max)
{
    weft::node_options options;
    options.visits_max = visits_max;
    weft::graph_builder builder{"visits"};
    builder.state(value).node("a", [] {}).node("b", [] {}, options);
    builder.edge(weft::start, "a").edge("a", "b");
    return builder;
}

}  // namespace

BOOST_AUTO_TEST_CASE(reaching_the_end_on_the_last_step_is_success)
{
    scheduler_script run{plain_graph("ab", "^a ab").build(), {.steps_max = 2}};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.ok("b") == "finish finished clean");
}

BOOST_AUTO_TEST_CASE(one_step_more_than_allowed_fails_the_run)
{
    scheduler_script run{plain_graph("abc", "^a ab bc").build(), {.steps_max = 2}};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.ok("b") == "finish failed failed");
    BOOST_TEST((run.scheduler().course().why()->code == weft::errc::steps_exceeded));
    BOOST_TEST(run.scheduler().course().why()->node == "c");
    BOOST_TEST(run.where().steps == 2u);
}

BOOST_AUTO_TEST_CASE(no_step_limit_means_no_step_limit)
{
    scheduler_script run{plain_graph("a", "^a aa").build(), {.steps_max = 0}};
    run.begin();
    for (int step = 0; step < 3000; ++step) BOOST_REQUIRE_EQUAL(run.ok("a"), "start a");
}

BOOST_AUTO_TEST_CASE(a_retry_is_no_step)
{
    weft::graph_builder builder{"retry"};
    builder.node("a", [] {}, tries(3)).edge(weft::start, "a");
    scheduler_script run{builder.build(), {.steps_max = 1}};
    run.begin();
    run.fail("a");
    BOOST_TEST(run.due("a") == "start a");
    BOOST_TEST(run.ok("a") == "finish finished clean");
}

BOOST_AUTO_TEST_CASE(the_step_limit_stops_running_branches)
{
    scheduler_script run{plain_graph("abcd", "^a ab ac ad").build(), {.steps_max = 3}};
    run.begin();
    BOOST_TEST(run.ok("a") == "start b, start c, stop b, stop c");
    BOOST_TEST(run.stopped("b") == "");
    BOOST_TEST(run.stopped("c") == "finish failed failed");
    BOOST_TEST((run.scheduler().course().why()->code == weft::errc::steps_exceeded));
}

BOOST_AUTO_TEST_CASE(a_node_visited_too_often_is_skipped_and_its_edges_are_followed)
{
    scheduler_script run{visited_at_most(1).node("c", [] {}).edge("b", "c").edge("c", "a").build()};
    run.begin();
    BOOST_TEST(run.ok("a") == "start b");
    BOOST_TEST(run.ok("b") == "start c");
    BOOST_TEST(run.ok("c") == "start a");
    BOOST_TEST(run.ok("a") == "start c");
    BOOST_TEST(joined(run.path()) == "a b c a c");
}

BOOST_AUTO_TEST_CASE(a_skipped_node_without_edges_ends_the_run)
{
    scheduler_script run{visited_at_most(1).edge_when("b", "a", [](const weft::state_view&) { return true; }).build()};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.ok("b") == "start a");
    BOOST_TEST(run.answer("a", weft::command::go_to("b")) == "start a");
}

BOOST_AUTO_TEST_CASE(a_loop_of_skipped_nodes_ends_at_the_step_limit)
{
    weft::node_options once;
    once.visits_max = 1;
    weft::graph_builder builder{"loop"};
    builder.node("a", [] {}, once).node("b", [] {}, once).edge(weft::start, "a").edge("a", "b").edge("b", "a");
    scheduler_script run{builder.build(), {.steps_max = 50}};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.ok("b") == "finish failed failed");
    BOOST_TEST(joined(run.path()) == "a b");
}

BOOST_AUTO_TEST_CASE(in_flight_max_bounds_the_nodes_that_run)
{
    scheduler_script run{plain_graph("abcdj", "^a ab ac ad bj cj dj").build(), {.in_flight_max = 2}};
    run.begin();
    BOOST_TEST(run.ok("a") == "start b, start c");
    BOOST_TEST(run.ok("c") == "start d");
    BOOST_TEST(run.ok("b") == "");
    BOOST_TEST(run.ok("d") == "start j");
}

BOOST_AUTO_TEST_CASE(no_in_flight_limit_starts_everything)
{
    std::string edges = "^a";
    std::string nodes = "a";
    for (char node = 'b'; node <= 'z'; ++node) {
        nodes += node;
        edges += std::string{" a"} + node;
    }
    scheduler_script run{plain_graph(nodes, edges).build(), {.in_flight_max = 0}};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.running().size() == 25u);
}

BOOST_AUTO_TEST_CASE(concurrency_max_bounds_the_branches_of_a_fan_out)
{
    scheduler_script run{
        plain_graph("abcdej", "^a ab ac ad be ej cj dj").fan_out("a", {.concurrency_max = 1}).build()};
    run.begin();
    BOOST_TEST(run.ok("a") == "start b");
    BOOST_TEST(run.ok("b") == "start e");
    BOOST_TEST(run.ok("e") == "start c");
    BOOST_TEST(run.ok("c") == "start d");
    BOOST_TEST(run.ok("d") == "start j");
}

BOOST_AUTO_TEST_CASE(a_branch_timeout_is_armed_and_disarmed_with_its_branch)
{
    using namespace std::chrono_literals;
    scheduler_script run{plain_graph("abcj", "^a ab ac bj cj").fan_out("a", {.branch_timeout = 30ms}).build()};
    run.begin();
    BOOST_TEST(run.ok("a") == "arm b 30, start b, arm c 30, start c");
    BOOST_TEST(run.ok("b") == "disarm b");
    BOOST_TEST(run.ok("c") == "disarm c, start j");
}

BOOST_AUTO_TEST_CASE(a_branch_timeout_covers_all_nodes_of_the_branch)
{
    using namespace std::chrono_literals;
    scheduler_script run{plain_graph("abcdj", "^a ab ac bd dj cj")
                             .fan_out("a", {.on_failure = weft::branch_policy::wait_all, .branch_timeout = 30ms})
                             .build()};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.ok("b") == "start d");
    BOOST_TEST(run.late("b") == "stop d");
    BOOST_TEST(run.stopped("d") == "disarm d");
    BOOST_TEST(run.ok("c") == "disarm c, start j");
    const auto branches = run.branches("j");
    BOOST_REQUIRE_EQUAL(branches.size(), 2u);
    BOOST_TEST((branches[0].status == weft::branch_status::timed_out));
    BOOST_TEST((branches[0].error->code == weft::errc::branch_timeout));
    BOOST_TEST((branches[1].status == weft::branch_status::succeeded));
    BOOST_TEST(run.ok("j") == "finish finished degraded");
}

BOOST_AUTO_TEST_CASE(a_timed_out_branch_is_a_failure_for_the_policy)
{
    using namespace std::chrono_literals;
    scheduler_script run{plain_graph("abcj", "^a ab ac bj cj").fan_out("a", {.branch_timeout = 30ms}).build()};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.late("b") == "stop b");
    BOOST_TEST(run.stopped("b") == "disarm b, stop c");
    BOOST_TEST(run.stopped("c") == "disarm c, finish failed failed");
    BOOST_TEST((run.scheduler().course().why()->code == weft::errc::branch_timeout));
}

BOOST_AUTO_TEST_SUITE_END()
