#include <boost/test/unit_test.hpp>

#include "graph/graphs.hpp"
#include "scheduler_script.hpp"

#include <weft/graph/node/subgraph.hpp>

#include <algorithm>

using namespace weft_tests;
using weft::branch_policy;

BOOST_AUTO_TEST_SUITE(scheduler_restart_test)

namespace {

weft::schedule_limits saving()
{
    weft::schedule_limits limits;
    limits.saves_end = true;
    limits.holds_for_save = true;
    return limits;
}

/** a -> (b, c, d) -> j under a policy. */
weft::graph three_branches(branch_policy policy, std::uint32_t concurrency_max = 0)
{
    return plain_graph("abcdj", "^a ab ac ad bj cj dj")
        .fan_out("a", {.on_failure = policy, .concurrency_max = concurrency_max})
        .build();
}

weft::state_update adds(int number) { return std::move(weft::state_update{}.set(total, number)); }

std::vector<std::string> left_of(scheduler_script& run, const weft::graph& of)
{
    std::vector<std::string> names;
    for (const weft::node_index n : run.scheduler().course().unfinished())
        names.emplace_back(of.name_of(n));
    return names;
}

/** Another process that goes on at what `run` kept last. */
scheduler_script restart(const scheduler_script& run, const weft::graph& of)
{
    BOOST_REQUIRE(!run.kept().empty());
    return scheduler_script{of, run.kept().back(), saving()};
}

using names = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_CASE(P1_fail_all_keeps_what_finished_branches_wrote_and_names_those_cut_short)
{
    const weft::graph graph = three_branches(branch_policy::fail_all);
    scheduler_script run{graph};
    run.begin();
    run.ok("a", adds(1));
    run.ok("c", adds(10));
    BOOST_TEST(run.fail("b") == "stop d");
    BOOST_TEST(run.stopped("d", adds(100)) == "finish failed failed");
    BOOST_TEST(run.state().get(total) == 11);
    BOOST_TEST(left_of(run, graph) == (names{"b", "d"}));
    for (const weft::run_branch& t : run.where().branches) BOOST_TEST((t.phase == weft::branch_phase::free));
}

BOOST_AUTO_TEST_CASE(P1_branches_that_had_not_begun_are_named_too)
{
    const weft::graph graph = three_branches(branch_policy::fail_all, 1);
    scheduler_script run{graph};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.fail("b") == "finish failed failed");
    BOOST_TEST(left_of(run, graph) == (names{"b", "c", "d"}));
}

BOOST_AUTO_TEST_CASE(P2_a_failed_run_goes_on_with_what_failed_or_was_cut_short)
{
    for (const branch_policy policy : {branch_policy::fail_all, branch_policy::continue_others,
                                       branch_policy::quorum(3)}) {
        const weft::graph graph = three_branches(policy);
        scheduler_script run{graph, saving()};
        run.begin();
        run.ok("a", adds(1));
        const bool tolerates = policy == branch_policy::continue_others;
        if (tolerates) run.fail("c");
        else run.ok("c", adds(10));
        run.fail("b");
        if (tolerates) run.fail("d");
        else run.stopped("d");
        scheduler_script again = restart(run, graph);
        if (tolerates) {
            BOOST_TEST(again.begin() == "start b, start c, start d");
            again.ok("c", adds(10));
        } else {
            BOOST_TEST(again.begin() == "start b, start d");
        }
        BOOST_TEST(again.trail().visits[graph.find("b")] == 1u);  // the same visit: its effects keep their keys
        BOOST_TEST(again.attempt_of("b") == 1u);
        again.ok("b", adds(100));
        BOOST_TEST(again.ok("d", adds(1000)) == "start j");
        BOOST_TEST(again.state().get(total) == 1111);
        again.ok("j");
        BOOST_TEST(again.saved() == "finish finished clean");
    }
}

BOOST_AUTO_TEST_CASE(P2_a_branch_goes_on_at_the_node_that_failed_with_what_it_had_written)
{
    // a -> (b -> e, c) -> j: e fails.
    const weft::graph graph = plain_graph("abcej", "^a ab ac be ej cj").build();
    scheduler_script run{graph, saving()};
    run.begin();
    run.ok("a");
    run.ok("b", adds(1));
    run.ok("c", adds(10));
    run.fail("e");
    scheduler_script again = restart(run, graph);
    BOOST_TEST(again.begin() == "start e");
    BOOST_TEST(again.ok("e", adds(100)) == "start j");
    BOOST_TEST(again.state().get(total) == 111);
}

BOOST_AUTO_TEST_CASE(P2_a_failure_in_an_inner_fan_out_leaves_the_outer_one_as_it_was)
{
    // a -> (b, k) -> j; b -> (c, d) -> e -> j; d fails, k is cut short.
    const weft::graph graph = plain_graph("abcdekj", "^a ab ak bc bd ce de ej kj").build();
    scheduler_script run{graph, saving()};
    run.begin();
    run.ok("a");
    run.ok("b", adds(1));
    run.ok("c", adds(10));
    BOOST_TEST(run.fail("d") == "stop k");
    run.stopped("k");
    scheduler_script again = restart(run, graph);
    BOOST_TEST(again.begin() == "start k, start d");
    again.ok("k", adds(1000));
    BOOST_TEST(again.ok("d", adds(100)) == "start e");
    BOOST_TEST(again.ok("e") == "start j");
    BOOST_TEST(again.state().get(total) == 1111);
}

BOOST_AUTO_TEST_CASE(P2_a_failure_that_an_outer_fan_out_tolerates_leaves_nothing_behind)
{
    const weft::graph graph = plain_graph("abcdekj", "^a ab ak bc bd ce de ej kj")
                                  .fan_out("a", {.on_failure = branch_policy::continue_others})
                                  .build();
    weft::schedule_limits limits;
    limits.saves = true;  // each step goes through a checkpoint, with what is broken off in it
    scheduler_script run{graph, limits};
    run.begin();
    run.ok("a");
    run.ok("b");
    run.ok("c");
    run.fail("d");
    const auto is_broken_off = [](const weft::run_branch& t) { return t.phase == weft::branch_phase::broken_off; };
    BOOST_TEST(std::any_of(run.where().branches.begin(), run.where().branches.end(), is_broken_off));
    scheduler_script from_there{graph, run.where(), limits};
    BOOST_TEST(from_there.begin() == "start k");
    BOOST_TEST(from_there.ok("k") == "start j");
    BOOST_TEST(run.ok("k") == "start j");
    for (const weft::region& r : run.where().regions) BOOST_TEST(!r.is_open);
    const auto is_used = [](const weft::run_branch& t) { return t.phase != weft::branch_phase::free; };
    BOOST_TEST(std::count_if(run.where().branches.begin(), run.where().branches.end(), is_used) == 1);
}

BOOST_AUTO_TEST_CASE(P2_a_run_that_used_up_its_steps_goes_on_with_more)
{
    const weft::graph graph = plain_graph("abc", "^a ab bc").build();
    weft::schedule_limits limits = saving();
    limits.steps_max = 2;
    scheduler_script run{graph, limits};
    run.begin();
    run.ok("a");
    run.ok("b");
    scheduler_script again = restart(run, graph);
    BOOST_TEST(again.begin() == "start c");
}

namespace {

weft::graph inner_chain() { return plain_graph("xy", "^x xy").build(); }

/** a -> in -> z, where `in` is a graph, with a second try, a way on after a failure, or neither. */
weft::graph with_inner_graph(weft::node_options options = {}, bool has_way_on = false)
{
    weft::graph_builder builder = graph_of("az");
    builder.node("i", weft::subgraph{inner_chain()}, std::move(options));
    add_edges(builder, "^a ai iz");
    if (has_way_on) builder.edge_on_failure("i", "z");
    return builder.build();
}

/** Where `x` has written 10 and `y` has failed. */
std::shared_ptr<const weft::frontier> failed_inner()
{
    const weft::graph inner = inner_chain();
    scheduler_script run{inner};
    run.scheduler().restart().leave();
    run.begin();
    run.ok("x", adds(10));
    run.fail("y");
    return run.scheduler().restart().take();
}

std::size_t inner_places(const weft::frontier& where) { return where.extras ? where.extras->inner.size() : 0; }

}  // namespace

BOOST_AUTO_TEST_CASE(P2_a_run_within_a_node_leaves_where_a_resume_goes_on)
{
    const std::shared_ptr<const weft::frontier> left = failed_inner();
    BOOST_REQUIRE(left);
    const weft::graph inner = inner_chain();
    scheduler_script again{inner, *left};
    BOOST_TEST(again.begin() == "start y");
    BOOST_TEST(again.state().get(total) == 10);
    BOOST_TEST(again.attempt_of("y") == 1u);
    scheduler_script stopped{inner};
    stopped.scheduler().restart().leave();
    stopped.begin();
    stopped.stop();
    BOOST_TEST(stopped.stopped("x", adds(1), true) == "finish cancelled failed");
    scheduler_script from_there{inner, *stopped.scheduler().restart().take()};
    BOOST_TEST(from_there.begin() == "start x");
    BOOST_TEST(from_there.state().get(total) == 1);  // what was published
    scheduler_script alone{inner};
    alone.begin();
    alone.fail("x");
    BOOST_TEST(!alone.scheduler().restart().take());
}

BOOST_AUTO_TEST_CASE(P2_a_failed_node_keeps_where_its_graph_stands)
{
    const weft::graph graph = with_inner_graph();
    scheduler_script run{graph, saving()};
    run.begin();
    run.ok("a");
    run.scheduler().restart().note_inner(0, failed_inner());
    run.fail("i");
    BOOST_REQUIRE(!run.kept().empty());
    scheduler_script again{graph, run.kept().back(), saving()};
    BOOST_TEST(again.begin() == "start i");
    BOOST_REQUIRE(again.scheduler().where().inner_of(0));
    BOOST_TEST(again.scheduler().where().inner_of(0)->root->root().get(total) == 10);
    BOOST_TEST(again.ok("i") == "start z");
    BOOST_TEST(inner_places(again.where()) == 0u);
}

BOOST_AUTO_TEST_CASE(P2_another_attempt_and_a_way_on_forget_where_a_graph_stood)
{
    for (const bool is_retried : {true, false}) {
        const weft::graph graph = with_inner_graph(is_retried ? tries(2) : weft::node_options{}, !is_retried);
        scheduler_script run{graph, saving()};
        run.begin();
        run.ok("a");
        run.scheduler().restart().note_inner(0, failed_inner());
        BOOST_TEST(run.fail("i") == (is_retried ? "wait i 1000" : "start z"));
        BOOST_TEST(inner_places(run.where()) == 0u);
    }
}

BOOST_AUTO_TEST_CASE(P2_a_node_that_ends_while_the_run_is_stopped_says_where_its_graph_stands)
{
    const weft::graph graph = with_inner_graph();
    scheduler_script run{graph, saving()};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.stop() == "stop i");
    run.scheduler().restart().note_inner(0, failed_inner());
    run.stopped("i");
    BOOST_REQUIRE(!run.kept().empty());
    scheduler_script again{graph, run.kept().back(), saving()};
    again.begin();
    BOOST_TEST(again.scheduler().where().inner_of(0) != nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
