#include <boost/test/unit_test.hpp>

#include "graph/spec_samples.hpp"

#include <weft/graph/graph_spec_writer.hpp>

#include <algorithm>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(node_registry_test)

namespace {

/** A registry that has the functions whose names begin with `any`, and notes what it was asked for. */
weft::node_registry asking(std::vector<std::string>& asked)
{
    weft::node_registry registry;
    registry.add_function("own", [] {});
    registry.functions_otherwise([&asked](std::string_view name) -> std::shared_ptr<const weft::node_body> {
        asked.emplace_back(name);
        return name.starts_with("any") ? weft::make_node_body([] {}) : nullptr;
    });
    return registry;
}

std::string calling(std::string_view function)
{
    return spec_text("'nodes': [{'name': 'x', 'settings': {'function': '" + std::string{function} +
                     "'}}], 'edges': [{'from': '__start__', 'to': 'x'}]");
}

}  // namespace

BOOST_AUTO_TEST_CASE(functions_that_are_not_registered_come_from_somewhere_else)
{
    std::vector<std::string> asked;
    const weft::node_registry registry = asking(asked);
    BOOST_TEST(mistakes_in(calling("anything"), registry).empty());
    BOOST_TEST((asked == std::vector<std::string>{"anything"}));
    BOOST_TEST(mistakes_in(calling("own"), registry).empty());
    BOOST_TEST(asked.size() == 1U);
    BOOST_TEST((registry.function_names() == std::vector<std::string_view>{"own"}));
}

BOOST_AUTO_TEST_CASE(what_nobody_has_stays_a_mistake)
{
    std::vector<std::string> asked;
    weft::node_registry registry = asking(asked);
    BOOST_TEST(lacks(mistakes_in(calling("onw"), registry), {"there is no function 'onw' (did you mean 'own'?)"}) ==
               "");
    registry.functions_otherwise(nullptr);
    BOOST_TEST(lacks(mistakes_in(calling("anything"), registry), {"there is no function 'anything'"}) == "");
}

BOOST_AUTO_TEST_CASE(a_function_without_a_name_is_not_asked_for)
{
    std::vector<std::string> asked;
    weft::node_registry registry = asking(asked);
    registry.functions_otherwise([](std::string_view) { return weft::make_node_body([] {}); });
    BOOST_TEST(lacks(mistakes_in(calling(weft::unnamed_function), registry), {"has no name: register it"}) == "");
}

BOOST_AUTO_TEST_CASE(graphs_inside_of_graphs_and_of_files_ask_too)
{
    std::vector<std::string> asked;
    const weft::node_registry registry = asking(asked);
    const std::string inner = "{'name': 'i', 'nodes': [{'name': 'any inner'}], 'edges': [{'from': '__start__', 'to': "
                              "'any inner'}]}";
    BOOST_TEST(mistakes_in(spec_text("'nodes': [{'name': 'in', 'kind': 'subgraph', 'settings': {'graph': " + inner +
                                     "}}], 'edges': [{'from': '__start__', 'to': 'in'}]"), registry).empty());
    BOOST_TEST((asked == std::vector<std::string>{"any inner"}));
    asked.clear();
    weft::node_registry all;
    all.functions_otherwise([&asked](std::string_view name) {
        asked.emplace_back(name);
        return weft::make_node_body([] {});
    });
    (void)weft::load_graph_file(graph_samples() / "report.json", all);
    for (const char* name : {"search", "condense", "query", "write"})
        BOOST_TEST((std::find(asked.begin(), asked.end(), name) != asked.end()), name);
}

BOOST_AUTO_TEST_SUITE_END()
