#include "ensembles.hpp"

#include <weft/graph/graph_builder.hpp>

using namespace weft_tests;
using builder = weft::ensemble_graph::builder;

BOOST_AUTO_TEST_SUITE(ensemble_graph_builder_test)

namespace {

/** A builder of a valid graph: a -> END. */
builder valid()
{
    builder made;
    made.name("g").state("a", says("a")).edge("a", "__END__").start("a");
    return made;
}

std::vector<std::string> mistakes_of(const builder& from)
{
    try {
        static_cast<void>(from.build());
    } catch (const weft::graph_error& e) {
        return e.mistakes();
    }
    return {"none"};
}

std::string first_mistake(const builder& from) { return mistakes_of(from).front(); }

}  // namespace

BOOST_AUTO_TEST_CASE(AGE_1_defaults)
{
    const weft::ensemble_graph graph = valid().build();
    BOOST_TEST(graph.max_steps() == 50u);
    BOOST_TEST((graph.on_max_steps() == weft::step_limit_action::return_last));
    BOOST_TEST(graph.injects_feedback_on_revisit());
    BOOST_TEST(graph.name() == "g");
    BOOST_TEST(graph.start() == "a");
    BOOST_TEST(weft::ensemble_graph::end == "__END__");
}

BOOST_AUTO_TEST_CASE(AGE_1_states_and_edges_keep_the_order_of_declaration)
{
    builder made = valid();
    made.state("c", says("c")).state("b", says("b")).edge("c", "b").edge("b", "c").edge("c", "a");
    const weft::ensemble_graph graph = made.build();
    BOOST_TEST(graph.states()[0].name == "a");
    BOOST_TEST(graph.states()[1].name == "c");
    BOOST_TEST(graph.states()[2].name == "b");
    BOOST_TEST(graph.edges()[1].from == "c");
    BOOST_TEST(graph.outgoing_edges("c").size() == 2u);
    BOOST_TEST(graph.outgoing_edges("c")[1].to == "a");
}

BOOST_AUTO_TEST_CASE(AGE_1_state_no_feedback_adds_to_its_set)
{
    builder made = valid();
    made.state_no_feedback("b", says("b")).edge("b", "a");
    BOOST_TEST(made.build().no_feedback_states() == std::vector<std::string>{"b"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(AGE_1_edges_with_and_without_condition_are_both_kept)
{
    builder made = valid();
    made.edge("a", "a", [](const auto&) { return false; }).edge("a", "a", [](const auto&) { return false; }, "again");
    const weft::ensemble_graph graph = made.build();
    const auto edges = graph.edges();
    BOOST_TEST(edges[0].is_unconditional());
    BOOST_TEST(edges[0].condition_description() == "unconditional");
    BOOST_TEST(!edges[1].is_unconditional());
    BOOST_TEST(edges[1].condition_description() == "predicate");
    BOOST_TEST(edges[2].condition_description() == "again");
}

BOOST_AUTO_TEST_CASE(AGE_1_the_name_of_the_graph_must_not_be_blank)
{
    BOOST_TEST(first_mistake(valid().name(" \t")) == "Graph name must be non-blank");
}

BOOST_AUTO_TEST_CASE(AGE_1_states_must_not_be_empty)
{
    BOOST_TEST(first_mistake(builder{}.name("g").start("a")) == "Graph 'g' must declare at least one state");
}

BOOST_AUTO_TEST_CASE(AGE_1_names_of_states_are_refused_at_once)
{
    builder made = valid();
    BOOST_TEST(has(error_of([&] { made.state(" ", says("")); }), "State name must be non-blank"));
    BOOST_TEST(has(error_of([&] { made.state("a", says("")); }), "Duplicate state name 'a'"));
    BOOST_TEST(made.build().states().size() == 1u);
}

BOOST_AUTO_TEST_CASE(AGE_1_the_name_of_the_end_is_reserved)
{
    builder made = valid();
    made.state("__END__", says(""));
    BOOST_TEST(first_mistake(made) == "Graph 'g' state name '__END__' is reserved");
}

BOOST_AUTO_TEST_CASE(AGE_1_a_state_without_a_task)
{
    builder made = valid();
    made.state("b", std::shared_ptr<const weft::ensemble_task>{}).edge("b", "a");
    BOOST_TEST(first_mistake(made) == "Graph 'g' state 'b' has no task");
}

BOOST_AUTO_TEST_CASE(AGE_8_a_task_that_nobody_does_is_refused)
{
    builder made = valid();
    made.state("b", weft::ensemble_task{"words only"}).edge("b", "a");
    BOOST_TEST(has(first_mistake(made), "Graph 'g' state 'b': Task has no LLM source"));
}

BOOST_AUTO_TEST_CASE(AGE_1_the_limit_of_steps_is_at_least_one)
{
    BOOST_TEST(first_mistake(valid().max_steps(0)) == "Graph 'g' maxSteps must be >= 1, got: 0");
    BOOST_TEST(first_mistake(valid().max_steps(-3)) == "Graph 'g' maxSteps must be >= 1, got: -3");
}

BOOST_AUTO_TEST_CASE(AGE_1_a_start_is_required_known_and_not_the_end)
{
    BOOST_TEST(first_mistake(valid().start("")) == "Graph 'g' must declare a start state via .start(name)");
    BOOST_TEST(first_mistake(valid().start("x")) == "Graph 'g' start state 'x' is not a declared state. Known: [a]");
    BOOST_TEST(first_mistake(valid().start_state("__END__")) == "Graph 'g' start state must not be Graph.END");
}

BOOST_AUTO_TEST_CASE(AGE_1_edges_name_known_states)
{
    BOOST_TEST(first_mistake(valid().edge("x", "a")) ==
               "Graph 'g' edge[1] 'from' = 'x' is not a declared state. Known: [a]");
    BOOST_TEST(first_mistake(valid().edge("a", "x")) ==
               "Graph 'g' edge[1] 'to' = 'x' is neither Graph.END nor a declared state. Known: [a]");
    BOOST_TEST(has(first_mistake(valid().edge("__END__", "a")), "END is terminal"));
    BOOST_TEST(first_mistake(valid().edge("", "a")) == "Graph 'g' edge[1] 'from' must be non-blank");
    BOOST_TEST(first_mistake(valid().edge("a", " ")) == "Graph 'g' edge[1] 'to' must be non-blank");
}

BOOST_AUTO_TEST_CASE(AGE_1_every_state_has_an_edge_that_leaves_it)
{
    builder made = valid();
    made.state("b", says("b"));
    BOOST_TEST(has(first_mistake(made), "Graph 'g' state 'b' has no outgoing edges"));
}

BOOST_AUTO_TEST_CASE(AGE_1_no_feedback_names_a_known_state)
{
    BOOST_TEST(first_mistake(valid().no_feedback("x")) ==
               "Graph 'g' stateNoFeedback 'x' is not a declared state. Known: [a]");
}

BOOST_AUTO_TEST_CASE(AGE_1_mistakes_are_told_together_in_the_order_of_the_checks)
{
    builder made;
    made.state("b", says("b")).max_steps(0).edge("b", "x").no_feedback("y");
    const auto mistakes = mistakes_of(made);
    BOOST_REQUIRE(mistakes.size() == 5u);
    BOOST_TEST(has(mistakes[0], "name must be non-blank"));
    BOOST_TEST(has(mistakes[1], "maxSteps"));
    BOOST_TEST(has(mistakes[2], "must declare a start state"));
    BOOST_TEST(has(mistakes[3], "edge[0] 'to' = 'x'"));
    BOOST_TEST(has(mistakes[4], "stateNoFeedback 'y'"));
}

BOOST_AUTO_TEST_CASE(AGE_1_states_that_no_edge_reaches_are_allowed)
{
    builder made = valid();
    made.state("b", says("b")).edge("b", "a");
    BOOST_TEST(path_of(run_ensemble(made.build())) == "a");
}

BOOST_AUTO_TEST_SUITE_END()
