#include <boost/test/unit_test.hpp>

#include "engine/scheduler/edge_rules.hpp"
#include "graph/graphs.hpp"

using namespace weft_tests;
using weft::no_node;
using route_kind = weft::success_route::kind;

BOOST_AUTO_TEST_SUITE(edge_rules_test)

namespace {

/** Where a run goes on behind `a`: `"follow b"`, `"fork b c"`. */
std::string route_from_a(const weft::graph& of, const weft::graph_edge* chosen = nullptr,
                         weft::node_index by_llm = no_node)
{
    const weft::success_route route = route_after_success(of, of.node(of.find("a")), chosen, by_llm);
    switch (route.what) {
    case route_kind::ask_model: return "ask model";
    case route_kind::follow: return "follow " + std::string{of.name_of(route.edge->target)};
    case route_kind::go: return "go " + std::string{of.name_of(route.target)};
    case route_kind::none: return "none";
    case route_kind::fork: break;
    }
    std::string text = "fork";
    for (const weft::node_index target : route.targets) text.append(" ").append(of.name_of(target));
    return text;
}

bool holds(const weft::state_view&) { return true; }

std::string failure_target(const weft::graph& of, weft::errc code)
{
    const weft::graph_edge* const edge = failure_edge_of(of, of.node(of.find("a")), code);
    return edge ? std::string{of.name_of(edge->target)} : "none";
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_edge_is_followed_and_several_fork)
{
    BOOST_TEST(route_from_a(plain_graph("ab", "^a ab").build()) == "follow b");
    BOOST_TEST(route_from_a(plain_graph("abc", "^a ab ac").build()) == "fork b c");
    BOOST_TEST(route_from_a(plain_graph("ab", "^a ab a$").build()) == "go b");
}

BOOST_AUTO_TEST_CASE(a_node_without_edges_ends_its_branch)
{
    const weft::graph graph = plain_graph("a", "^a").build();
    BOOST_TEST(route_from_a(graph) == "go " + std::string{weft::end});
}

BOOST_AUTO_TEST_CASE(the_chosen_edge_takes_the_place_of_the_others_but_not_of_sure_ones)
{
    weft::graph_builder builder = plain_graph("abcd", "^a ab");
    builder.edge_when("a", "c", holds);
    const weft::graph graph = builder.edge("c", "d").build();
    const weft::graph_edge* const chosen = &graph.conditional(graph.node(graph.find("a"))).front();
    BOOST_TEST(route_from_a(graph, chosen) == "follow c");
    BOOST_TEST(route_from_a(graph) == "follow b");

    weft::graph_builder sure = graph_of("abc");
    sure.edge(weft::start, "a").edge_on_success("a", "b").edge_when("a", "c", holds);
    const weft::graph both = sure.build();
    BOOST_TEST(route_from_a(both, &both.conditional(both.node(both.find("a"))).front()) == "fork b c");
    BOOST_TEST(route_from_a(both) == "go b");
}

BOOST_AUTO_TEST_CASE(a_node_whose_conditions_all_fail_and_that_has_no_other_edge_goes_nowhere)
{
    weft::graph_builder builder = graph_of("ab");
    const weft::graph graph = builder.edge(weft::start, "a").edge_when("a", "b", holds).build();
    BOOST_TEST(route_from_a(graph) == "none");
    const std::string text = text_of_no_match(graph, graph.node(graph.find("a")));
    BOOST_TEST(text == "none of its conditions holds (to b); add a plain edge as the otherwise");
}

BOOST_AUTO_TEST_CASE(a_model_is_asked_once)
{
    weft::graph_builder builder = graph_of("abc");
    builder.edge(weft::start, "a").edge_llm("a", {"b", "c"}, {.fallback = "b"});
    const weft::graph graph = builder.build();
    BOOST_TEST(route_from_a(graph) == "ask model");
    BOOST_TEST(route_from_a(graph, nullptr, graph.find("c")) == "go c");
    const auto fired = edges_fired(graph, graph.node(graph.find("a")), nullptr, graph.find("c"));
    BOOST_TEST_REQUIRE(fired.size() == 1u);
    BOOST_TEST(fired.front().target == graph.find("c"));
    BOOST_TEST(fired.front().declared != weft::no_edge);
}

BOOST_AUTO_TEST_CASE(a_failure_takes_its_own_edge_before_that_of_any_failure_and_that_before_always)
{
    weft::graph_builder builder = graph_of("abcd");
    builder.edge(weft::start, "a").edge_always("a", "b");
    builder.edge("b", "c").edge("c", "d");
    const weft::graph always = builder.build();
    BOOST_TEST(failure_target(always, weft::errc::node_failed) == "b");
    builder.edge_on_failure("a", "c").edge_on_budget("a", "d");
    const weft::graph graph = builder.build();
    BOOST_TEST(failure_target(graph, weft::errc::node_failed) == "c");
    BOOST_TEST(failure_target(graph, weft::errc::steps_exceeded) == "d");
}

BOOST_AUTO_TEST_CASE(an_always_edge_is_no_way_out)
{
    weft::graph_builder builder = graph_of("ab");
    const weft::graph graph = builder.edge(weft::start, "a").edge_always("a", "b").build();
    const weft::graph_node& node = graph.node(graph.find("a"));
    BOOST_TEST(failure_edge_of(graph, node, weft::errc::steps_exceeded));
    BOOST_TEST(!edge_out_of(graph, node, weft::errc::steps_exceeded));
}

BOOST_AUTO_TEST_SUITE_END()
