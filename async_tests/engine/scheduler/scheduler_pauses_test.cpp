#include <boost/test/unit_test.hpp>

#include "graph/graphs.hpp"
#include "scheduler_script.hpp"

using namespace weft_tests;
using weft::pause_point;

BOOST_AUTO_TEST_SUITE(scheduler_pauses_test)

namespace {

/** a -> b -> c, where `b` pauses as it says. */
weft::graph_builder pausing(pause_point where)
{
    weft::graph_builder builder = graph_of("ac");
    builder.node("b", [] {}, {.pauses = where});
    return std::move(add_edges(builder, "^a ab bc"));
}

weft::graph only_node(pause_point where)
{
    return graph_of("").node("a", [] {}, {.pauses = where}).edge(weft::start, "a").build();
}

/** Where a resume would begin. */
std::string unfinished(scheduler_script& run, const weft::graph& graph)
{
    std::vector<std::string_view> names;
    for (const weft::node_index node : run.scheduler().course().unfinished()) names.push_back(graph.name_of(node));
    return joined(names);
}

/** Goes on where `before` stands, from a copy as a checkpoint has it. */
scheduler_script resumed(const weft::graph& graph, const scheduler_script& before)
{
    return scheduler_script{graph, weft::frontier{before.where()}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_pauses_before_a_node_once_for_each_visit)
{
    const auto again = [](const weft::state_view& state) { return state.value_or(value, 0) == 0; };
    const weft::graph graph = pausing(pause_point::before).edge_when("c", "b", again).build();
    scheduler_script run{graph};
    BOOST_TEST(run.begin() == "start a");
    BOOST_TEST(run.ok("a") == "finish paused clean");
    BOOST_TEST(unfinished(run, graph) == "b");
    BOOST_TEST(run.where().steps == 1u);
    scheduler_script second = resumed(graph, run);
    BOOST_TEST(second.begin() == "start b");
    second.ok("b");
    BOOST_TEST(second.ok("c") == "finish paused clean");  // another visit
    scheduler_script third = resumed(graph, second);
    BOOST_TEST(third.begin() == "start b");
    third.ok("b", weft::state_update{}.set(value, 1));
    BOOST_TEST(third.ok("c") == "finish failed failed");  // no edge for that; the pauses are over
}

BOOST_AUTO_TEST_CASE(a_run_pauses_before_its_first_node)
{
    const weft::graph graph = only_node(pause_point::before);
    scheduler_script run{graph};
    BOOST_TEST(run.begin() == "finish paused clean");
    scheduler_script second = resumed(graph, run);
    BOOST_TEST(second.begin() == "start a");
    BOOST_TEST(second.ok("a") == "finish finished clean");
}

BOOST_AUTO_TEST_CASE(a_run_pauses_behind_a_node_when_its_way_is_chosen)
{
    const weft::graph graph = pausing(pause_point::after).build();
    scheduler_script run{graph};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.ok("b", weft::state_update{}.set(value, 7)) == "finish paused clean");
    BOOST_TEST(unfinished(run, graph) == "c");
    scheduler_script second = resumed(graph, run);
    BOOST_TEST(second.begin() == "start c");
    BOOST_TEST(second.state().get(value) == 7);
    BOOST_TEST(second.ok("c") == "finish finished clean");
}

BOOST_AUTO_TEST_CASE(a_condition_is_asked_before_the_pause)
{
    weft::graph_builder builder = graph_of("bc");
    builder.node("a", [] {}, {.pauses = pause_point::after}).edge(weft::start, "a").edge("a", "c");
    builder.edge_when("a", "b", [](const weft::state_view& state) { return state.get(value) == 1; });
    const weft::graph graph = builder.build();
    scheduler_script run{graph};
    run.begin();
    BOOST_TEST(run.ok("a", weft::state_update{}.set(value, 1)) == "finish paused clean");
    BOOST_TEST(unfinished(run, graph) == "b");
}

BOOST_AUTO_TEST_CASE(a_run_pauses_behind_its_last_node)
{
    const weft::graph graph = only_node(pause_point::after);
    scheduler_script run{graph};
    run.begin();
    BOOST_TEST(run.ok("a") == "finish paused clean");
    BOOST_TEST(unfinished(run, graph) == "__end__");
    scheduler_script second = resumed(graph, run);
    BOOST_TEST(second.begin() == "finish finished clean");
    BOOST_TEST(joined(second.path()) == "a");
}

BOOST_AUTO_TEST_CASE(both_pauses_of_a_node)
{
    const weft::graph graph = pausing(pause_point::both).build();
    scheduler_script run{graph};
    run.begin();
    BOOST_TEST(run.ok("a") == "finish paused clean");
    scheduler_script second = resumed(graph, run);
    BOOST_TEST(second.begin() == "start b");
    BOOST_TEST(second.ok("b") == "finish paused clean");
    scheduler_script third = resumed(graph, second);
    BOOST_TEST(third.begin() == "start c");
}

BOOST_AUTO_TEST_CASE(siblings_of_a_pausing_branch_finish_their_nodes_and_keep_their_place)
{
    weft::graph_builder builder = graph_of("abdj");
    builder.node("c", [] {}, {.pauses = pause_point::before});
    const weft::graph graph = add_edges(builder, "^a ab ac bd dj cj").build();
    scheduler_script run{graph};
    run.begin();
    BOOST_TEST(run.ok("a") == "start b");
    BOOST_TEST(run.ok("b") == "finish paused clean");
    scheduler_script second = resumed(graph, run);
    second.begin();
    BOOST_TEST(joined(second.running()) == "d c");
    second.ok("c");
    BOOST_TEST(second.ok("d") == "start j");
    BOOST_TEST(second.ok("j") == "finish finished clean");
}

BOOST_AUTO_TEST_CASE(the_limit_of_steps_comes_before_a_pause)
{
    const weft::graph graph = pausing(pause_point::before).build();
    weft::schedule_limits limits;
    limits.steps_max = 1;
    scheduler_script run{graph, limits};
    run.begin();
    BOOST_TEST(run.ok("a") == "finish failed failed");
}

BOOST_AUTO_TEST_SUITE_END()
