#include <boost/test/unit_test.hpp>

#include "engine/scheduler/fan_out_plan.hpp"
#include "graph/graphs.hpp"

using namespace weft_tests;
using weft::node_index;
using weft::no_node;

BOOST_AUTO_TEST_SUITE(fan_out_plan_test)

namespace {

weft::pooled_vector<node_index> nodes(const weft::graph& of, std::string_view names)
{
    weft::pooled_vector<node_index> all;
    for (const char name : names) all.push_back(of.find(std::string(1, name)));
    return all;
}

weft::region planned(const weft::graph& of, std::string_view targets, bool is_group = false)
{
    weft::region r;
    r.source = of.find("a");
    plan_branches(of, r, nodes(of, targets), is_group);
    return r;
}

weft::sent_items items_to(const weft::graph& of, std::string_view targets)
{
    weft::sent_items items(targets.size());
    for (std::size_t i = 0; i < items.size(); ++i) items[i].target = of.find(targets.substr(i, 1));
    return items;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_target_is_a_branch_and_they_meet_at_the_join_of_the_node)
{
    const weft::graph graph = plain_graph("abcj", "^a ab ac bj cj").build();
    const weft::region r = planned(graph, "bc");
    BOOST_TEST(r.size() == 2u);
    BOOST_TEST(r.join == graph.find("j"));
    BOOST_TEST(!r.has_group(0));
    BOOST_TEST(r.first_node_of(1) == graph.find("c"));
}

BOOST_AUTO_TEST_CASE(targets_that_meet_before_the_others_are_one_branch)
{
    const weft::graph graph = plain_graph("abcdmj", "^a ab ac ad bm cm mj dj").build();
    const weft::region r = planned(graph, "bcd");
    BOOST_TEST(r.size() == 2u);
    BOOST_TEST(r.join == graph.find("j"));
    BOOST_TEST(r.has_group(0));
    BOOST_TEST(!r.has_group(1));
    const weft::region inner = planned(graph, "bc", true);
    BOOST_TEST(inner.size() == 2u);
    BOOST_TEST(inner.join == graph.find("m"));
}

BOOST_AUTO_TEST_CASE(items_meet_behind_the_nodes_that_they_are_sent_to)
{
    const weft::graph graph = plain_graph("abcj", "^a ab ac bj cj").build();
    const weft::graph_node& node = graph.node(graph.find("a"));
    const weft::item_plan plan = plan_items(graph, node, items_to(graph, "cbbc"));
    BOOST_TEST((plan.targets == std::vector{graph.find("b"), graph.find("c")}));
    BOOST_TEST(plan.join == graph.find("j"));
}

BOOST_AUTO_TEST_CASE(without_items_the_declared_targets_say_where_to_go_on)
{
    weft::graph_builder builder = graph_of("bj");
    builder.node("a", [] {}, {.goes_to = {"b"}});
    const weft::graph graph = add_edges(builder, "^a bj").build();
    const weft::item_plan plan = plan_items(graph, graph.node(graph.find("a")), {});
    BOOST_TEST(plan.join == graph.find("j"));
}

BOOST_AUTO_TEST_CASE(values_move_along_the_edge_into_a_branch)
{
    weft::graph_builder builder = graph_of("abc");
    builder.edge(weft::start, "a").edge("a", "b", {.map = {{"other", "value"}}}).edge("a", "c");
    const weft::graph graph = builder.build();
    weft::branch_state view{weft::state{graph.layout()}};
    weft::region r = planned(graph, "bc");
    r.view = &view;
    BOOST_TEST(moved_into(graph, r, graph.find("b")).empty());  // there is no value to move
    weft::write_set writes;
    writes.push_back({graph.layout()->find("value"), true, false, weft::make_box<std::int64_t>(7)});
    view.commit(std::move(writes));
    const weft::write_set moved = moved_into(graph, r, graph.find("b"));
    BOOST_TEST_REQUIRE(moved.size() == 1u);
    BOOST_TEST(moved.front().slot == graph.layout()->find("other"));
    BOOST_TEST(moved_into(graph, r, graph.find("c")).empty());
}

BOOST_AUTO_TEST_SUITE_END()
