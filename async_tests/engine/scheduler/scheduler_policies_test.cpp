#include <boost/test/unit_test.hpp>

#include "graph/graphs.hpp"
#include "scheduler_script.hpp"

using namespace weft_tests;
using weft::branch_policy;
using weft::branch_status;

BOOST_AUTO_TEST_SUITE(scheduler_policies_test)

namespace {

/** a -> (b, c, d) -> j under a policy. */
weft::graph three_branches(branch_policy policy, std::uint32_t concurrency_max = 0)
{
    return plain_graph("abcdj", "^a ab ac ad bj cj dj")
        .fan_out("a", {.on_failure = policy, .concurrency_max = concurrency_max})
        .build();
}

/** The states of the branches that meet at `j`, which runs, by their first letters: "s f t x -". */
std::string statuses(const scheduler_script& run)
{
    std::string line;
    for (const weft::branch_result& branch : run.branches("j")) {
        if (!line.empty()) line += ' ';
        switch (branch.status) {
        case branch_status::succeeded: line += 's'; break;
        case branch_status::failed: line += 'f'; break;
        case branch_status::timed_out: line += 't'; break;
        case branch_status::stopped: line += 'x'; break;
        case branch_status::not_started: line += '-'; break;
        }
    }
    return line;
}

}  // namespace

BOOST_AUTO_TEST_CASE(all_branches_succeed_and_the_join_runs_once)
{
    for (const branch_policy policy : {branch_policy::fail_all, branch_policy::continue_others,
                                       branch_policy::wait_all, branch_policy::quorum(3)}) {
        scheduler_script run{three_branches(policy)};
        run.begin();
        BOOST_TEST(run.ok("a") == "start b, start c, start d");
        BOOST_TEST(run.ok("c") == "");
        BOOST_TEST(run.ok("b") == "");
        BOOST_TEST(run.ok("d") == "start j");
        BOOST_TEST(statuses(run) == "s s s");
        BOOST_TEST(run.ok("j") == "finish finished clean");
    }
}

BOOST_AUTO_TEST_CASE(fail_all_stops_the_siblings_awaits_them_and_passes_the_failure_on)
{
    scheduler_script run{three_branches(branch_policy::fail_all)};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.fail("c", weft::errc::model_rejected) == "stop b, stop d");
    BOOST_TEST(run.stopped("b") == "");
    BOOST_TEST(run.stopped("d") == "finish failed failed");
    BOOST_TEST(run.scheduler().course().why()->node == "c");
    BOOST_TEST((run.scheduler().course().why()->code == weft::errc::model_rejected));
}

BOOST_AUTO_TEST_CASE(fail_all_reports_the_first_failure_in_time)
{
    scheduler_script run{three_branches(branch_policy::fail_all)};
    run.begin();
    run.ok("a");
    run.fail("d");
    run.stopped("b");
    run.fail("c");  // on its way out
    BOOST_TEST(run.scheduler().course().why()->node == "d");
}

BOOST_AUTO_TEST_CASE(fail_all_starts_no_further_branch)
{
    scheduler_script run{three_branches(branch_policy::fail_all, 1)};
    run.begin();
    BOOST_TEST(run.ok("a") == "start b");
    BOOST_TEST(run.fail("b") == "finish failed failed");
    BOOST_TEST(joined(run.path()) == "a b");
}

BOOST_AUTO_TEST_CASE(a_sibling_that_succeeds_while_it_is_stopped_changes_nothing)
{
    scheduler_script run{three_branches(branch_policy::fail_all)};
    run.begin();
    run.ok("a");
    run.fail("b");
    BOOST_TEST(run.ok("c", weft::state_update{}.set(value, 1)) == "");
    BOOST_TEST(run.stopped("d") == "finish failed failed");
    BOOST_TEST(!run.state().find(value));
}

BOOST_AUTO_TEST_CASE(a_failure_edge_inside_a_branch_keeps_the_fan_out_whole)
{
    scheduler_script run{plain_graph("abcej", "^a ab ac bj cj ej").edge_on_failure("b", "e").build()};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.fail("b") == "start e");
    BOOST_TEST(run.ok("c") == "");
    BOOST_TEST(run.ok("e") == "start j");
    BOOST_TEST(run.ok("j") == "finish finished degraded");
}

BOOST_AUTO_TEST_CASE(continue_others_joins_with_what_succeeded)
{
    scheduler_script run{three_branches(branch_policy::continue_others)};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.fail("b") == "");
    BOOST_TEST(run.ok("c", weft::state_update{}.set(total, 1)) == "");
    BOOST_TEST(run.ok("d", weft::state_update{}.set(total, 2)) == "start j");
    BOOST_TEST(statuses(run) == "f s s");
    BOOST_TEST(run.branches("j")[0].error->node == "b");
    BOOST_TEST(run.state().get(total) == 3);
    BOOST_TEST(run.ok("j") == "finish finished degraded");
}

BOOST_AUTO_TEST_CASE(continue_others_fails_if_nothing_succeeded)
{
    scheduler_script run{three_branches(branch_policy::continue_others)};
    run.begin();
    run.ok("a");
    run.fail("c");
    run.fail("b");
    BOOST_TEST(run.fail("d") == "finish failed failed");
    BOOST_TEST((run.scheduler().course().why()->code == weft::errc::branches_failed));
    BOOST_TEST(run.scheduler().course().why()->message.find("c failed") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(nothing_succeeded_because_a_guardrail_tripped)
{
    for (const branch_policy policy : {branch_policy::continue_others, branch_policy::quorum(2)}) {
        scheduler_script run{three_branches(policy)};
        run.begin();
        run.ok("a");
        run.fail("c");
        run.fail("b", weft::errc::guardrail_tripped);
        run.fail("d");
        BOOST_REQUIRE(run.scheduler().course().why());
        // So that it is not tried again.
        BOOST_TEST((run.scheduler().course().why()->code == weft::errc::guardrail_tripped));
    }
}

BOOST_AUTO_TEST_CASE(wait_all_joins_even_if_everything_failed)
{
    scheduler_script run{three_branches(branch_policy::wait_all)};
    run.begin();
    run.ok("a");
    run.fail("b");
    run.fail("c");
    BOOST_TEST(run.fail("d") == "start j");
    BOOST_TEST(statuses(run) == "f f f");
    BOOST_TEST(run.branches("j")[1].error->node == "c");
    BOOST_TEST(run.branches("j")[1].node == "c");
    BOOST_TEST(run.branches("j")[1].index == 1u);
    BOOST_TEST(run.ok("j") == "finish finished degraded");
}

BOOST_AUTO_TEST_CASE(the_results_of_branches_are_there_for_the_join_only)
{
    scheduler_script run{plain_graph("abcjk", "^a ab ac bj cj jk").build()};
    run.begin();
    run.ok("a");
    run.ok("b");
    run.ok("c");
    BOOST_TEST(run.branches("j").size() == 2u);
    run.ok("j");
    BOOST_TEST(run.branches("k").size() == 0u);
}

BOOST_AUTO_TEST_CASE(first_success_stops_the_others_and_drops_their_writes)
{
    scheduler_script run{three_branches(branch_policy::first_success)};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.fail("b") == "");
    BOOST_TEST(run.ok("d", weft::state_update{}.set(value, 4)) == "stop c");
    BOOST_TEST(run.stopped("c", weft::state_update{}.set(value, 3)) == "start j");
    BOOST_TEST(statuses(run) == "f x s");
    BOOST_TEST(run.state().get(value) == 4);
}

BOOST_AUTO_TEST_CASE(first_success_without_any_fails)
{
    scheduler_script run{three_branches(branch_policy::first_success)};
    run.begin();
    run.ok("a");
    run.fail("b");
    run.fail("c");
    BOOST_TEST(run.fail("d") == "finish failed failed");
    BOOST_TEST((run.scheduler().course().why()->code == weft::errc::branches_failed));
}

BOOST_AUTO_TEST_CASE(first_success_leaves_later_branches_unstarted)
{
    scheduler_script run{three_branches(branch_policy::first_success, 1)};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.ok("b") == "start j");
    BOOST_TEST(statuses(run) == "s - -");
    BOOST_TEST(run.ok("j") == "finish finished clean");
}

BOOST_AUTO_TEST_CASE(a_quorum_stops_the_rest_when_it_is_reached)
{
    scheduler_script run{three_branches(branch_policy::quorum(2))};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.ok("d") == "");
    BOOST_TEST(run.ok("b") == "stop c");
    BOOST_TEST(run.stopped("c") == "start j");
    BOOST_TEST(statuses(run) == "s x s");
}

BOOST_AUTO_TEST_CASE(a_quorum_that_cannot_be_reached_any_more_stops_the_rest)
{
    scheduler_script run{three_branches(branch_policy::quorum(2))};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.fail("b") == "");
    BOOST_TEST(run.fail("c") == "stop d");
    BOOST_TEST(run.stopped("d") == "finish failed failed");
    BOOST_TEST((run.scheduler().course().why()->code == weft::errc::quorum_missed));
}

BOOST_AUTO_TEST_CASE(a_quorum_larger_than_the_fan_out_is_missed_and_not_passed_over)
{
    // With the condition four branches would fire; without it only three.
    const auto graph = plain_graph("abcdej", "^a bj cj dj ej")
                           .edge_on_success("a", "b")
                           .edge_on_success("a", "c")
                           .edge("a", "d")
                           .edge_when("a", "e", [](const weft::state_view&) { return true; })
                           .fan_out("a", {.on_failure = branch_policy::quorum(4)})
                           .build();
    scheduler_script run{graph};
    run.begin();
    BOOST_TEST(run.ok("a") == "start b, start c, start e");
    BOOST_TEST(run.ok("b") == "stop c, stop e");
    run.stopped("c");
    BOOST_TEST(run.stopped("e") == "finish failed failed");
    BOOST_TEST((run.scheduler().course().why()->code == weft::errc::quorum_missed));
}

BOOST_AUTO_TEST_CASE(a_branch_that_is_only_an_edge_to_the_join_counts_as_a_success)
{
    scheduler_script run{plain_graph("abj", "^a ab aj bj").build()};
    run.begin();
    BOOST_TEST(run.ok("a") == "start b");
    BOOST_TEST(run.ok("b") == "start j");
    BOOST_TEST(statuses(run) == "s s");
    BOOST_TEST(joined(run.path()) == "a b j");
}

BOOST_AUTO_TEST_CASE(branches_that_meet_nowhere_run_to_the_end)
{
    scheduler_script run{plain_graph("abcd", "^a ab ac cd").build()};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.ok("b") == "");
    BOOST_TEST(run.ok("c") == "start d");
    BOOST_TEST(run.ok("d") == "finish finished clean");
}

BOOST_AUTO_TEST_SUITE_END()
