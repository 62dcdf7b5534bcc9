#include <boost/test/unit_test.hpp>

#include "engine/scheduler/edge_choice.hpp"
#include "graph/graphs.hpp"

using namespace weft_tests;
using weft::edge_choice;

BOOST_AUTO_TEST_SUITE(edge_choice_test)

namespace {

bool is_never_called(const weft::state_view&) { throw std::logic_error{"the rule evaluates nothing"}; }
std::string gives_nothing(const weft::state_view&) { return {}; }

weft::graph with_two_conditions()
{
    weft::graph_builder builder = graph_of("abc");
    builder.edge(weft::start, "a").edge_when("a", "b", is_never_called).edge_when("a", "c", is_never_called);
    return builder.build();
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_first_edge_that_holds_is_taken_and_no_further_one_is_asked)
{
    const weft::graph graph = with_two_conditions();
    edge_choice choice{graph, graph.node(graph.find("a")), false};
    BOOST_TEST_REQUIRE(choice.asked());
    BOOST_TEST(choice.asked()->target == graph.find("b"));
    choice.answer(true);
    BOOST_TEST(!choice.asked());
    BOOST_TEST(choice.chosen()->target == graph.find("b"));
}

BOOST_AUTO_TEST_CASE(edges_are_asked_in_their_order_until_one_holds)
{
    const weft::graph graph = with_two_conditions();
    edge_choice choice{graph, graph.node(graph.find("a")), false};
    choice.answer(false);
    BOOST_TEST(choice.asked()->target == graph.find("c"));
    choice.answer(false);
    BOOST_TEST(!choice.asked());
    BOOST_TEST(!choice.chosen());
    BOOST_TEST(!choice.wrong().has_value());
}

BOOST_AUTO_TEST_CASE(a_choice_that_is_given_up_takes_no_edge)
{
    const weft::graph graph = with_two_conditions();
    edge_choice choice{graph, graph.node(graph.find("a")), false};
    choice.answer(false);
    choice.give_up();
    BOOST_TEST(!choice.asked());
    BOOST_TEST(!choice.chosen());
}

BOOST_AUTO_TEST_CASE(a_decision_is_asked_once_for_all_its_edges)
{
    weft::graph_builder builder = graph_of("abcd");
    builder.edge(weft::start, "a").edge_route("a", gives_nothing, {{"left", "b"}, {"right", "c"}});
    const weft::graph graph = builder.edge("b", "d").build();
    const weft::graph_node& node = graph.node(graph.find("a"));
    edge_choice right{graph, node, false};
    right.answer_label("right");
    BOOST_TEST(!right.asked());
    BOOST_TEST(right.chosen()->target == graph.find("c"));

    edge_choice nowhere{graph, node, false};
    nowhere.answer_label("up");
    BOOST_TEST(!nowhere.asked());
    BOOST_TEST(!nowhere.chosen());
    BOOST_TEST_REQUIRE(nowhere.wrong().has_value());
    BOOST_TEST((nowhere.wrong()->code == weft::errc::unknown_label));
    BOOST_TEST(nowhere.wrong()->detail == "'up'; the labels are 'left', 'right'");
}

BOOST_AUTO_TEST_CASE(after_a_failure_only_edges_are_asked_that_lead_on_from_there)
{
    weft::graph_builder builder = graph_of("abc");
    builder.edge(weft::start, "a").edge_when("a", "b", is_never_called);
    builder.edge_when("a", "c", is_never_called, {.after = weft::edge_after::failure});
    const weft::graph graph = builder.build();
    const weft::graph_node& node = graph.node(graph.find("a"));
    edge_choice rescue{graph, node, true};
    BOOST_TEST_REQUIRE(rescue.asked());
    BOOST_TEST(rescue.asked()->target == graph.find("c"));
    rescue.answer(false);
    BOOST_TEST(!rescue.asked());
}

BOOST_AUTO_TEST_SUITE_END()
