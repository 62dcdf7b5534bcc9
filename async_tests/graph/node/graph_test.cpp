#include <boost/test/unit_test.hpp>

#include "graph_keys.hpp"

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(graph_test)

namespace {

bool always_true(const weft::state_view&) { return true; }

std::string join_in(std::string_view nodes, std::string_view edges, std::string_view source = "a")
{
    return std::string{keyed_graph(nodes, edges).build().join_of(source)};
}

/** The names of the edges' targets, in the order in which they are tried. */
std::string targets(const weft::graph& graph, std::span<const weft::graph_edge> edges)
{
    std::string line;
    for (const weft::graph_edge& edge : edges) line.append(graph.name_of(edge.target));
    return line;
}

}  // namespace

BOOST_AUTO_TEST_CASE(edges_are_tried_by_kind_priority_and_declaration)
{
    weft::graph_builder builder = keyed_graph("abcdefgh", "^a ab");
    builder.edge_always("a", "c").edge("a", "d", {.priority = 1});
    builder.edge_when("a", "e", always_true).edge_when("a", "f", always_true, {.priority = 2});
    builder.edge_on_success("a", "g").edge_on_failure("a", "h").edge_on_failure("a", "g", {.priority = -1});
    const weft::graph graph = builder.build();
    const weft::graph_node& a = graph.node(graph.find("a"));
    BOOST_TEST(targets(graph, graph.on_success(a)) == "g");
    BOOST_TEST(targets(graph, graph.conditional(a)) == "fe");
    BOOST_TEST(targets(graph, graph.otherwise(a)) == "dbc");
    BOOST_TEST(targets(graph, graph.on_failure(a)) == "hg");
    BOOST_TEST(targets(graph, graph.all_edges(a)) == "gfedbchg");
}

BOOST_AUTO_TEST_CASE(branches_meet_at_the_first_node_that_each_must_reach)
{
    BOOST_TEST(join_in("abcj", "^a ab ac bj cj") == "j");
    BOOST_TEST(join_in("abcdefj", "^a ab bc cj ad de ef fj") == "j");
    BOOST_TEST(join_in("abcjk", "^a ab ac bj cj jk") == "j");
    BOOST_TEST(join_in("abj", "^a ab aj bj") == "j");
}

BOOST_AUTO_TEST_CASE(nested_fan_outs_have_joins_of_their_own)
{
    BOOST_TEST(join_in("abcdefj", "^a ab af bc bd ce de ej fj", "a") == "j");
    BOOST_TEST(join_in("abcdefj", "^a ab af bc bd ce de ej fj", "b") == "e");
}

BOOST_AUTO_TEST_CASE(edges_to_the_end_and_failure_edges_are_no_ways_round)
{
    BOOST_TEST(join_in("abcj", "^a ab ac bj b$ cj c$") == "j");
    const auto graph = keyed_graph("abcjx", "^a ab ac bj cj").edge_on_failure("b", "x").build();
    BOOST_TEST(graph.join_of("a") == "j");
}

BOOST_AUTO_TEST_CASE(a_conditional_way_round_moves_the_join_behind_it)
{
    const auto graph = keyed_graph("abcjk", "^a ab ac bj cj jk").edge_when("b", "k", always_true).build();
    BOOST_TEST(graph.join_of("a") == "k");
}

BOOST_AUTO_TEST_CASE(branches_that_share_no_node_have_no_join)
{
    BOOST_TEST(join_in("abc", "^a ab ac") == "");
    BOOST_TEST(join_in("abcd", "^a ab ac bd") == "");
    BOOST_TEST(join_in("ab", "^a ab", "a") == "");
    BOOST_TEST(keyed_graph("ab", "^a ab").build().join_of("nobody") == "");
}

BOOST_AUTO_TEST_CASE(loops_do_not_hide_a_join)
{
    // Back from the join, and within a branch.
    BOOST_TEST(join_in("abcj", "^a ab ac bj cj ja j$") == "j");
    BOOST_TEST(keyed_graph("abcdj", "^a ab ac bd dj cj").edge_when("d", "b", always_true).build().join_of("a") == "j");
}

BOOST_AUTO_TEST_CASE(a_loop_without_a_way_out_still_has_joins)
{
    BOOST_TEST(join_in("abcj", "^a ab ac bj cj ja") == "j");
    BOOST_TEST(join_in("abcd", "^a ab ac bd db cd") == "d");
}

BOOST_AUTO_TEST_CASE(the_start_may_fan_out)
{
    BOOST_TEST(join_in("abj", "^a ^b aj bj", weft::start) == "j");
}

BOOST_AUTO_TEST_CASE(branches_that_meet_before_the_join_are_one_group)
{
    const auto graph = keyed_graph("abcdkj", "^a ab ac ad bk ck kj dj").build();
    BOOST_TEST(graph.join_of("a") == "j");
    BOOST_TEST(graph.node(graph.find("a")).branches_meet_early);
    const std::vector<weft::node_index> targets{graph.find("b"), graph.find("c"), graph.find("d")};
    const auto groups = graph.branch_groups(targets, graph.find("j"));
    BOOST_REQUIRE_EQUAL(groups.size(), 2u);
    BOOST_TEST(groups[0].size() == 2u);
    BOOST_TEST(groups[1].front() == graph.find("d"));
    const auto simple = keyed_graph("abcj", "^a ab ac bj cj").build();
    BOOST_TEST(!simple.node(simple.find("a")).branches_meet_early);
}

BOOST_AUTO_TEST_CASE(a_named_join_comes_before_the_found_one)
{
    BOOST_TEST(keyed_graph("abcjk", "^a ab ac bj cj jk").fan_in("a", "k").build().join_of("a") == "k");
}

BOOST_AUTO_TEST_CASE(a_single_plain_edge_is_known_as_the_only_way)
{
    const auto graph = keyed_graph("abcd", "^a ab bc").edge_when("c", "d", always_true).edge("c", "a").build();
    BOOST_TEST(graph.node(graph.find("a")).only_next == graph.find("b"));
    BOOST_TEST(graph.node(graph.find("c")).only_next == weft::no_node);
    BOOST_TEST(graph.node(graph.find("d")).only_next == weft::end_node);
}

BOOST_AUTO_TEST_CASE(explain_names_nodes_edges_limits_and_joins)
{
    weft::node_options options;
    options.visits_max = 3;
    options.retry.attempts_max = 2;
    const auto graph = keyed_graph("abcj", "^a ab ac bj cj")
                           .node("x", [] {}, options)
                           .edge_when("j", "x", always_true, {.priority = 1, .label = "score is low"})
                           .edge_when("x", "j", "1 > 2", {.label = "never"})
                           .edge_when("x", weft::end, "1 > 3")
                           .fan_out("a", {.on_failure = weft::branch_policy::wait_all})
                           .build();
    const std::string text = graph.explain();
    for (const char* part :
         {"graph test", "a, branches meet at j (wait_all)", "plain -> b", "when -> x [score is low] priority 1",
          "x, visits at most 3, attempts at most 2", "when -> j [never] if 1 > 2\n", "when -> __end__ [1 > 3]\n"})
        BOOST_TEST(text.find(part) != std::string::npos, part << " in " << text);
}

BOOST_AUTO_TEST_CASE(branches_that_may_write_one_key_are_warned_of)
{
    const auto build = [](weft::conflict_strategy strategy, const auto& key) {
        weft::node_options writes;
        writes.writes = weft::keys(key);
        weft::graph_builder builder{"warned"};
        builder.state(key).node("a", [] {}).node("b", [] {}, writes).node("c", [] {}).node("d", [] {}, writes);
        builder.node("j", [] {}, writes).conflict(strategy);
        builder.edge(weft::start, "a").edge("a", "b").edge("a", "c").edge("c", "d").edge("b", "j").edge("d", "j");
        return builder.build();
    };
    const auto warned = build(weft::conflict_strategy::last_wins, score);
    BOOST_REQUIRE_EQUAL(warned.warnings().size(), 1u);
    BOOST_TEST(warned.warnings()[0].rule == "possible_write_conflict");
    for (const char* part : {"'a'", "'score'", "'b'", "'d'"})
        BOOST_TEST(warned.warnings()[0].message.find(part) != std::string::npos);
    BOOST_TEST(warned.explain().find("possible_write_conflict") != std::string::npos);
    BOOST_TEST(build(weft::conflict_strategy::branch_order, score).warnings().empty());
    BOOST_TEST(build(weft::conflict_strategy::last_wins, total).warnings().empty());
}

BOOST_AUTO_TEST_SUITE_END()
