#include <boost/test/unit_test.hpp>

#include "nodes.hpp"

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(expression_edges_test)

namespace {

constexpr weft::state_key<double> confidence{"confidence"};
constexpr weft::state_key<std::string> category{"category"};

weft::graph triage()
{
    const auto judge = [](weft::node_context& context) { context.set(confidence, 0.5); };
    return empty_graph()
        .state(confidence, category)
        .node("judge", judge).node("sure", [] {}).node("bill", [] {}).node("ask", [] {})
        .edge(weft::start, "judge")
        .edge_when("judge", "sure", "output['confidence'] >= 0.8")
        .edge_when("judge", "bill", "category in ['billing', 'technical']")
        .edge("judge", "ask")
        .build();
}

std::vector<std::string> mistakes_of(std::string_view expression)
{
    weft::graph_builder builder = graph_of("ab");
    builder.edge(weft::start, "a").edge_when("a", "b", expression);
    auto built = builder.try_build();
    if (auto* mistakes = std::get_if<std::vector<std::string>>(&built)) return *mistakes;
    return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_8_the_first_condition_that_holds_is_followed)
{
    const weft::graph graph = triage();
    BOOST_TEST(path_of(simulate(graph, weft::run_request{}.input(category, "billing"))) == "judge bill");
    BOOST_TEST(path_of(simulate(graph, weft::run_request{}.input(category, "praise"))) == "judge ask");
    BOOST_TEST(path_of(simulate(graph)) == "judge ask");
}

BOOST_AUTO_TEST_CASE(HIV_8_an_evaluation_error_is_false_and_told)
{
    const weft::graph graph = graph_of("abc")
                                  .edge(weft::start, "a").edge_when("a", "b", "value / 0 > 1").edge("a", "c")
                                  .build();
    std::string told;
    const auto watch = [&told](const weft::run_event& event) {
        if (event.what == weft::run_event::kind::edge_condition_error)
            told = std::string{event.source} + " -> " + std::string{event.node} + ": " + event.text;
    };
    BOOST_TEST(path_of(simulate(graph, weft::run_request{}.input(value, 1).on_event(watch))) == "a c");
    BOOST_TEST(told.starts_with("a -> b: line 1"));
    BOOST_TEST(told.find("ZeroDivisionError") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(mistakes_are_told_when_the_graph_is_built)
{
    BOOST_TEST(mistakes_of("value > 3").empty());
    const auto syntax = mistakes_of("value >");
    BOOST_REQUIRE(syntax.size() == 1u);
    BOOST_TEST(syntax[0].find("edge[1] 'a' -> 'b', condition \"value >\"") == 0u);
    BOOST_TEST(syntax[0].find("line 1, column") != std::string::npos);
    const auto unknown = mistakes_of("valeu > 3 and otehr");
    BOOST_REQUIRE(unknown.size() == 2u);
    BOOST_TEST(unknown[0].find("value") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(outputs_are_those_of_the_node_before_the_edge)
{
    const auto writes_words = [](weft::node_context& context) { context.set(words, "x"); };
    const weft::graph graph = empty_graph()
        .node("a", writes(1ms, 3)).node("b", writes_words).node("c", [] {})
        .edge(weft::start, "a").edge("a", "b").edge_when("b", "c", "'words' in output and 'value' not in output")
        .edge("b", weft::end)
        .build();
    BOOST_TEST(path_of(simulate(graph)) == "a b c");
}

BOOST_AUTO_TEST_SUITE_END()
