#include "graph/build/edges_by_source.hpp"
#include "graph/build/node_names.hpp"

#include <boost/test/unit_test.hpp>

#include <initializer_list>
#include <utility>
#include <vector>

namespace {

using namespace weft::graph_detail;
using description = weft::graph_builder::description;

description described(std::initializer_list<const char*> nodes,
                      std::initializer_list<std::pair<const char*, const char*>> edges)
{
    description made;
    for (const char* name : nodes)
        made.nodes.push_back({made.names.add(name), nullptr, weft::node_options_by_default()});
    for (const auto& [from, to] : edges)
        made.edges.push_back({made.names.add(from), made.names.add(to), weft::edge_kind::plain,
                              weft::edge_after::success, false, 0, nullptr});
    return made;
}

std::vector<std::uint32_t> edges_of(const description& from, const char* source)
{
    const edges_by_source edges{from};
    const auto found = edges.of(from.names.find(source));
    return {found.begin(), found.end()};
}

BOOST_AUTO_TEST_SUITE(edges_by_source_test)

BOOST_AUTO_TEST_CASE(edges_of_a_source_keep_the_order_in_which_they_were_declared)
{
    const description from = described({"a", "b"}, {{"b", "a"}, {"a", "b"}, {"b", "nowhere"}, {"a", "a"}});
    BOOST_TEST(edges_of(from, "a") == (std::vector<std::uint32_t>{1, 3}), boost::test_tools::per_element());
    BOOST_TEST(edges_of(from, "b") == (std::vector<std::uint32_t>{0, 2}), boost::test_tools::per_element());
    BOOST_TEST(edges_of(from, "nowhere").empty());
}

BOOST_AUTO_TEST_CASE(of_two_nodes_with_one_name_the_first_is_known)
{
    const description from = described({"a", "b", "a"}, {{"a", "missing"}});
    const node_names names{from};
    BOOST_TEST(names.at("a") == 1u);
    BOOST_TEST(names.at("b") == 2u);
    BOOST_TEST(names.at(weft::start) == weft::start_node);
    BOOST_TEST(names.at(weft::end) == weft::end_node);
    BOOST_TEST(!names.contains("missing"));
    BOOST_TEST(!names.contains("never named"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
