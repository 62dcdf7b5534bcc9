#include <boost/test/unit_test.hpp>

#include "graphs.hpp"
#include "testing/doubling.hpp"

#include <weft/graph/analysis.hpp>
#include <weft/graph/graph_spec_reader.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(linear_analysis_test)

namespace {

std::string name(std::size_t i) { return "n" + std::to_string(i); }

/** A start that leads to `count` nodes, which all lead to one. */
weft::graph_builder star(std::size_t count)
{
    weft::graph_builder builder{"star"};
    builder.state(value).node("s", [] {}).node("z", [] {}).edge(weft::start, "s");
    for (std::size_t i = 0; i < count; ++i)
        builder.node(name(i), [] {}, {.writes = {{"value"}}}).edge("s", name(i)).edge(name(i), "z");
    return builder;
}

/** A chain that the start leads to everywhere, first to its end. */
weft::graph_builder comb(std::size_t count)
{
    weft::graph_builder builder{"comb"};
    builder.node("s", [] {}).edge(weft::start, "s");
    for (std::size_t i = count; i-- > 0;) builder.node(name(i), [] {}).edge("s", name(i));
    for (std::size_t i = 0; i + 1 < count; ++i) builder.edge(name(i), name(i + 1));
    return builder;
}

/** Each node leads to all that come later. */
weft::graph_builder dense(std::size_t nodes)
{
    weft::graph_builder builder{"dense"};
    builder.state(value).edge(weft::start, name(0));
    for (std::size_t i = 0; i < nodes; ++i) builder.node(name(i), [] {}, {.writes = {{"value"}}});
    for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t k = i + 1; k < nodes; ++k) builder.edge(name(i), name(k));
    return builder;
}

}  // namespace

BOOST_AUTO_TEST_CASE(F7_graphs_are_built_and_analysed_in_linear_time)
{
    const auto analysed = [](auto make) {
        return [make](std::size_t count) { (void)weft::analyse(make(count).build()); };
    };
    check_linear("a star", analysed(star), 1000);
    check_linear("a comb", analysed(comb), 1000);
}

BOOST_AUTO_TEST_CASE(F7_a_dense_graph_costs_its_nodes_times_its_edges_at_most)
{
    // Twice the nodes are four times the edges, and so at most eight times the work.
    check_growth("a dense graph", [](std::size_t nodes) { (void)weft::analyse(dense(nodes).build()); }, 12, 9.0, 2);
}

BOOST_AUTO_TEST_CASE(F7_mistakes_cost_what_one_of_them_costs)
{
    const auto read = [](std::size_t count) {
        std::string text = R"({"name": "wrong", "state": [)";
        for (std::size_t i = 0; i < count; ++i) {
            text.append(i == 0 ? "" : ", ").append(R"({"name": "key_)" + std::to_string(i));
            text.append(R"(", "type": "integer"})");
        }
        text += R"(], "nodes": [{"name": "a", "kind": "join"}], "edges": [)";
        for (std::size_t i = 0; i < count; ++i) {
            text.append(i == 0 ? "" : ", ").append(R"({"from": "a", "to": "b)" + std::to_string(i));
            text.append(R"(", "when": "kee_)" + std::to_string(i) + R"( > 1", "map": {"kay_1": "key_2"}})");
        }
        text += "]}";
        BOOST_CHECK_THROW((void)weft::load_graph(text, {}), weft::graph_spec_error);
    };
    check_linear("mistakes of a graph file", read, 500);
}

BOOST_AUTO_TEST_SUITE_END()
