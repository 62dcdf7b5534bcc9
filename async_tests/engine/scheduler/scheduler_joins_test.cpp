#include <boost/test/unit_test.hpp>

#include "graph/graphs.hpp"
#include "scheduler_script.hpp"

using namespace weft_tests;
using weft::branch_policy;

BOOST_AUTO_TEST_SUITE(scheduler_joins_test)

namespace {

/** Runs a graph to its end, letting the node that was started first (or last) finish first. */
std::string path_when(const weft::graph& graph, bool is_first_first)
{
    scheduler_script run{graph};
    run.begin();
    while (!run.running().empty())
        run.ok(std::string{is_first_first ? run.running().front() : run.running().back()});
    return run.scheduler().course().status() == weft::run_status::finished ? joined(run.path()) : "did not finish";
}

}  // namespace

BOOST_AUTO_TEST_CASE(branches_of_unequal_length_meet_once)
{
    const auto graph = plain_graph("abcdefj", "^a ab bc cj ad de ef fj").build();
    BOOST_TEST(path_when(graph, true) == "a b d c e f j");
    BOOST_TEST(path_when(graph, false) == "a b d e f c j");
}

BOOST_AUTO_TEST_CASE(nested_fan_outs_meet_inside_out)
{
    const auto graph = plain_graph("abcdefgj", "^a ab ac bd be df ef fj cg gj").build();
    BOOST_TEST(path_when(graph, true) == "a b c d e g f j");
    BOOST_TEST(path_when(graph, false) == "a b c g d e f j");
}

BOOST_AUTO_TEST_CASE(branches_that_meet_early_run_their_meeting_node_once)
{
    // a -> (b, c, d); b and c meet at k, and k and d at j.
    const auto graph = plain_graph("abcdkj", "^a ab ac ad bk ck kj dj").build();
    BOOST_TEST(path_when(graph, true) == "a d b c k j");
    BOOST_TEST(path_when(graph, false) == "a d b c k j");
}

BOOST_AUTO_TEST_CASE(an_edge_is_told_once_even_if_branches_meet_early)
{
    const auto graph = plain_graph("abcdkj", "^a ab ac ad bk ck kj dj").build();
    weft::scheduler scheduler{graph, weft::frontier{weft::state{graph.layout()}}, {.notices = true}};
    std::vector<std::string> edges;
    const auto drain = [&] {
        std::optional<weft::branch_index> started;
        while (const auto next = scheduler.next()) {
            if (next->what == weft::action::kind::start_node && !started) started = next->branch;
            if (next->notice == weft::action::notice_kind::edge_taken)
                edges.push_back(std::string{graph.name_of(next->source)} + std::string{graph.name_of(next->node)});
        }
        return started;
    };
    const auto a = drain();
    scheduler.node_succeeded(a.value(), {}, weft::command::next());
    drain();
    BOOST_TEST(edges == (std::vector<std::string>{"__start__a", "ab", "ac", "ad"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_failure_in_a_group_that_meets_early_fails_the_fan_out)
{
    const auto graph = plain_graph("abcdkj", "^a ab ac ad bk ck kj dj").build();
    scheduler_script run{graph};
    run.begin();
    BOOST_TEST(run.ok("a") == "start d, start b, start c");
    BOOST_TEST(run.fail("c") == "stop b");
    BOOST_TEST(run.stopped("b") == "stop d");
    BOOST_TEST(run.stopped("d") == "finish failed failed");
    BOOST_TEST(run.scheduler().course().why()->node == "c");
}

BOOST_AUTO_TEST_CASE(a_named_join_is_used_instead_of_the_first_common_node)
{
    // All meet at k; named is the later j.
    const auto graph = plain_graph("abckj", "^a ab ac bk ck kj").fan_in("a", "j").build();
    const auto graph_found = plain_graph("abckj", "^a ab ac bk ck kj").build();
    BOOST_TEST(graph.join_of("a") == "j");
    BOOST_TEST(graph_found.join_of("a") == "k");
    BOOST_TEST(path_when(graph, true) == "a b c k j");
    BOOST_TEST(path_when(graph_found, true) == "a b c k j");
}

BOOST_AUTO_TEST_CASE(a_branch_that_goes_to_a_dead_end_counts_as_settled)
{
    const auto graph = plain_graph("abcdj", "^a ab ac bj cd")
                           .edge_when("c", "j", [](const weft::state_view&) { return false; })
                           .build();
    BOOST_TEST(path_when(graph, true).find('j') != std::string::npos);
    BOOST_TEST(path_when(graph, false).find('j') != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_loop_back_forks_and_joins_anew)
{
    const auto again = [](const weft::state_view& s) { return s.value_or(total, 0) < 2; };
    const auto graph = plain_graph("abcj", "^a ab ac bj cj").edge_when("j", "a", again).edge("j", weft::end).build();
    scheduler_script run{graph};
    run.begin();
    for (int round = 0; round < 2; ++round) {
        BOOST_TEST(run.ok("a") == "start b, start c");
        BOOST_TEST(run.ok("c") == "");
        BOOST_TEST(run.ok("b") == "start j");
        BOOST_TEST(run.ok("j", weft::state_update{}.set(total, 1)) ==
                   (round == 0 ? "start a" : "finish finished clean"));
    }
    BOOST_TEST(joined(run.path()) == "a b c j a b c j");
}

BOOST_AUTO_TEST_CASE(an_inner_failure_goes_up_through_its_branch)
{
    // a -> (b, k) -> j; b -> (c, d) -> e. continue_others outside, fail_all inside.
    const auto graph = plain_graph("abcdejk", "^a ab ak bc bd ce de ej kj")
                           .fan_out("a", {.on_failure = branch_policy::continue_others})
                           .build();
    scheduler_script run{graph};
    run.begin();
    run.ok("a");
    run.ok("b");
    BOOST_TEST(run.fail("d") == "stop c");
    BOOST_TEST(run.stopped("c") == "");
    BOOST_TEST(run.ok("k") == "start j");
    const auto branches = run.branches("j");
    BOOST_TEST((branches[0].status == weft::branch_status::failed));
    BOOST_TEST(branches[0].error->node == "d");
}

BOOST_AUTO_TEST_CASE(an_outer_failure_stops_inner_branches_at_every_depth)
{
    const auto graph = plain_graph("abcdefgjk", "^a ab ak bc bd ce cf eg fg gj dj kj").build();
    scheduler_script run{graph};
    run.begin();
    run.ok("a");
    run.ok("b");
    BOOST_TEST(run.ok("c") == "start e, start f");
    BOOST_TEST(run.fail("k") == "stop e, stop f, stop d");
    BOOST_TEST(run.stopped("e") == "");
    BOOST_TEST(run.stopped("f") == "");
    BOOST_TEST(run.stopped("d") == "finish failed failed");
    BOOST_TEST(run.scheduler().course().why()->node == "k");
}

BOOST_AUTO_TEST_CASE(an_outer_failure_drops_inner_branches_that_have_not_started)
{
    const auto graph =
        plain_graph("abcdejk", "^a ab ak bc bd ce de ej kj").fan_out("b", {.concurrency_max = 1}).build();
    scheduler_script run{graph};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.ok("b") == "start c");
    BOOST_TEST(run.fail("k") == "stop c");
    BOOST_TEST(run.stopped("c") == "finish failed failed");
    BOOST_TEST(joined(run.path()) == "a b k c");
}

BOOST_AUTO_TEST_CASE(a_race_inside_a_race_stops_everything_that_lost)
{
    const auto graph = plain_graph("abcdejk", "^a ab ak bc bd ce de ej kj")
                           .fan_out("a", {.on_failure = branch_policy::first_success})
                           .fan_out("b", {.on_failure = branch_policy::first_success})
                           .build();
    scheduler_script run{graph};
    run.begin();
    run.ok("a");
    run.ok("b");
    BOOST_TEST(run.ok("c") == "stop d");
    BOOST_TEST(run.ok("k") == "");
    BOOST_TEST(run.stopped("d") == "start j");
    BOOST_TEST(joined(run.path()) == "a b k c d j");
}

BOOST_AUTO_TEST_CASE(a_thousand_branches_meet_once)
{
    weft::graph_builder builder{"wide"};
    builder.state(total).node("a", [] {}).node("j", [] {}).edge(weft::start, "a");
    for (int i = 0; i < 1000; ++i) {
        const std::string name = "b" + std::to_string(i);
        builder.node(name, [] {}).edge("a", name).edge(name, "j");
    }
    scheduler_script run{builder.build(), {.steps_max = 0, .in_flight_max = 0}};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.running().size() == 1000u);
    while (run.running().size() > 1) run.ok(std::string{run.running().back()}, weft::state_update{}.set(total, 1));
    BOOST_TEST(run.ok(std::string{run.running().back()}, weft::state_update{}.set(total, 1)) == "start j");
    BOOST_TEST(run.state().get(total) == 1000);
}

BOOST_AUTO_TEST_SUITE_END()
