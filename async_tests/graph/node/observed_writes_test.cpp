#include <boost/test/unit_test.hpp>

#include "engine/nodes.hpp"

#include <weft/graph/analysis.hpp>
#include <weft/graph/node/node_writes.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(observed_writes_test)

namespace {

/** s fans out to a and b, which meet at z; both write `value` and say so nowhere. */
weft::graph_builder undeclared()
{
    weft::graph_builder builder = graph_of("sz");
    builder.node("a", [](weft::node_context& context) { context.set(value, 1); });
    builder.node("b", writes(1ms, 2));
    add_edges(builder, "^s sa sb az bz z$");
    return builder;
}

std::vector<weft::finding> conflicts_of(const weft::graph& graph)
{
    std::vector<weft::finding> found = weft::analyse(graph);
    std::erase_if(found, [](const weft::finding& f) { return f.rule != "possible_write_conflict"; });
    return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(P11_an_undeclared_node_is_told_by_what_it_wrote_in_earlier_runs)
{
    const weft::graph graph = undeclared().build();
    BOOST_TEST(conflicts_of(graph).empty());
    BOOST_TEST((simulate(graph).status == weft::run_status::finished));
    const std::vector<weft::finding> found = conflicts_of(graph);
    BOOST_REQUIRE_EQUAL(found.size(), 1u);
    BOOST_TEST(found[0].message.find("nodes 'a' and 'b'") != std::string::npos);
    BOOST_TEST(found[0].message.find("key 'value'") != std::string::npos);
    const weft::graph copy = graph;  // of one graph
    BOOST_TEST(conflicts_of(copy).size() == 1u);
    BOOST_TEST(conflicts_of(undeclared().build()).empty());
}

BOOST_AUTO_TEST_CASE(P11_the_error_of_a_conflict_names_the_nodes_that_write_the_key)
{
    weft::graph_builder builder = graph_of("spqz");
    builder.node("a", writes(1ms, 1)).node("b", writes(2ms, 2)).conflict(weft::conflict_strategy::error);
    add_edges(builder, "^s sp sq pa qb az bz z$");
    const weft::run_result result = simulate(builder.build());
    BOOST_REQUIRE(result.why);
    BOOST_TEST((result.why->code == weft::errc::write_conflict));
    BOOST_TEST(result.message().find("'p' and 'q'") != std::string::npos);  // the branches
    BOOST_TEST(result.message().find("nodes that write it: 'a', 'b'") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_node_that_declares_what_it_writes_is_not_observed)
{
    weft::graph_builder builder = graph_of("s");
    builder.node("a", writes(1ms, 1), {.writes = weft::keys(value, total, words, other)});
    add_edges(builder, "^s sa a$");
    const weft::graph graph = builder.build();
    BOOST_TEST(!graph.node(graph.find("a")).observes_writes);
    BOOST_TEST(graph.node(graph.find("s")).observes_writes);
    (void)simulate(graph);
    BOOST_TEST(weft::written_slots(graph, graph.find("a")).size() == 4u);
    BOOST_TEST(weft::written_slots(graph, graph.find("s")).empty());
}

BOOST_AUTO_TEST_CASE(keys_beyond_the_first_word_are_observed)
{
    weft::observed_writes seen{200};
    weft::write_set writes;
    for (const std::uint32_t slot : {0u, 63u, 64u, 127u, 128u, 199u}) writes.push_back({slot, false, false, nullptr});
    seen.note(writes);
    std::vector<std::uint32_t> slots;
    for (std::uint32_t slot = 0; slot < 200; ++slot)
        if (seen.has(slot)) slots.push_back(slot);
    const std::vector<std::uint32_t> expected{0, 63, 64, 127, 128, 199};
    BOOST_TEST(slots == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
