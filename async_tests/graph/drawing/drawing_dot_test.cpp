#include <boost/test/unit_test.hpp>

#include "graph/node/graph_keys.hpp"

#include <weft/graph/drawing.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(drawing_dot_test)

namespace {

std::string drawn(const weft::graph_builder& builder, const weft::drawing_options& options = {})
{
    return weft::to_dot(builder.build(), options);
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/** The rest of the line that begins so, without indentation. */
std::string line_of(const std::string& text, const std::string& begin)
{
    const std::size_t at = text.find(" " + begin);
    return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at) - at - 1);
}

}  // namespace

BOOST_AUTO_TEST_CASE(start_and_end_are_round_and_plain_edges_solid)
{
    const std::string text = drawn(keyed_graph("a", "^a a$"));
    BOOST_TEST(has(line_of(text, "n0 ["), "shape=circle"));
    BOOST_TEST(has(line_of(text, "n1 ["), "label=\"a\", shape=box"));
    BOOST_TEST(has(line_of(text, "n2 ["), "shape=doublecircle"));
    BOOST_TEST(has(line_of(text, "n0 -> n1"), "[arrowhead=normal"));
    auto deciding = keyed_graph("ab", "^a b$ a$");
    deciding.edge_when("a", "b", [](const weft::state_view&) { return true; });
    BOOST_TEST(has(line_of(drawn(deciding), "n1 -> n2"), "style=dashed"));
}

BOOST_AUTO_TEST_CASE(a_node_without_edges_leads_to_the_end)
{
    BOOST_TEST(line_of(drawn(keyed_graph("a", "^a")), "n1 -> n2") != "");
}

BOOST_AUTO_TEST_CASE(fan_outs_are_clusters_and_joins_hexagons)
{
    const std::string text = drawn(keyed_graph("abcj", "^a ab ac bj cj j$"));
    const std::size_t begin = text.find("subgraph cluster_0 {");
    const std::size_t end = text.find("    }\n", begin);
    const std::string inside = text.substr(begin, end - begin);
    BOOST_TEST(has(inside, "label=\"fan-out of a: fail_all\""));
    BOOST_TEST(has(inside, "label=\"b\""));
    BOOST_TEST(has(inside, "label=\"c\""));
    BOOST_TEST(!has(inside, "label=\"j\""));
    BOOST_TEST(has(line_of(text, "n4 ["), "shape=hexagon"));
}

BOOST_AUTO_TEST_CASE(branches_that_meet_early_have_a_box_of_their_own)
{
    // "b" and "c" meet at "m" before they meet "d".
    const std::string text = drawn(keyed_graph("abcdmj", "^a ab ac ad bm cm mj dj j$"));
    BOOST_TEST(has(text, "label=\"meet early at m\""));
    BOOST_TEST(has(line_of(text, "n5 ["), "shape=hexagon"));
}

BOOST_AUTO_TEST_CASE(branches_that_never_meet_have_a_box_to_the_end)
{
    const std::string text = drawn(keyed_graph("abc", "^a ab ac"));
    BOOST_TEST(has(text, "fan-out of a"));
    BOOST_TEST(!has(text, "hexagon"));
}

BOOST_AUTO_TEST_CASE(sent_branches_with_a_named_join_have_a_box)
{
    weft::graph_builder b{"map"};
    b.node("split", [] {}, {.goes_to = {"work"}}).node("work", [] {}).node("merge", [] {});
    b.edge(weft::start, "split").edge("work", "merge").fan_in("split", "merge");
    const std::string text = drawn(b);
    BOOST_TEST(has(text, "fan-out of split"));
    BOOST_TEST(has(line_of(text, "n1 -> n2"), "style=dotted"));
    BOOST_TEST(has(line_of(text, "n3 ["), "shape=hexagon"));
}

BOOST_AUTO_TEST_CASE(labels_are_escaped_for_the_language_and_for_its_escapes)
{
    weft::graph_builder b{"a \"title\""};
    b.node("\"q\" \\N &lt; x\ny", [] {}, {.description = "\"d\" &amp;"}).edge(weft::start, "\"q\" \\N &lt; x\ny");
    const std::string text = drawn(b);
    BOOST_TEST(has(text, "label=\"a \\\"title\\\"\""));
    BOOST_TEST(has(text, "label=\"\\\"q\\\" \\\\N &amp;lt; x\\ny\""));
    BOOST_TEST(has(text, "tooltip=\"\\\"d\\\" &amp;amp;\""));
}

BOOST_AUTO_TEST_CASE(a_deferred_node_says_so)
{
    weft::graph_builder b{"g"};
    b.node("a", [] {}).node("last", [] {}, {.is_deferred = true}).edge(weft::start, "a").edge("a", "last");
    BOOST_TEST(has(line_of(drawn(b), "n2 ["),
                   "label=\"last\\nwhen the run ends\", shape=box, style=\"filled,rounded,dashed\""));
}

BOOST_AUTO_TEST_CASE(edges_of_loops_that_lead_back_are_turned_around_so_that_the_start_stays_on_top)
{
    const std::string text = drawn(keyed_graph("ab", "^a ab ba b$"));
    BOOST_TEST(has(line_of(text, "n1 -> n2 [arrowhead="), "=normal"));
    BOOST_TEST(has(line_of(text, "n1 -> n2 [dir=back"), "arrowtail=normal"));
    BOOST_TEST(!has(text, "n2 -> n1"));
}

BOOST_AUTO_TEST_CASE(a_run_shows_in_classes_colours_and_labels)
{
    const auto g = keyed_graph("ab", "^a ab b$").build();
    weft::run_overlay ran{g};
    ran.nodes[1] = {.visits = 2, .elapsed = std::chrono::seconds{200}};
    ran.edges = {1, 0, 0};
    const std::string text = weft::to_dot(g, {.overlay = ran});
    BOOST_TEST(has(line_of(text, "n1 ["), "label=\"a\\n2 visits, 3.33 min\""));
    BOOST_TEST(has(line_of(text, "n1 ["), "class=\"plain ran\""));
    BOOST_TEST(has(line_of(text, "n2 ["), "class=\"plain idle\""));
    BOOST_TEST(has(line_of(text, "n0 -> n1"), "class=\"unconditional ran\""));
    BOOST_TEST(has(line_of(text, "n1 -> n2"), "class=\"unconditional idle\""));
}

BOOST_AUTO_TEST_CASE(a_legend_explains_the_edges)
{
    const auto b = keyed_graph("a", "^a");
    BOOST_TEST(!has(drawn(b), "legend"));
    const std::string text = drawn(b, {.has_legend = true});
    BOOST_TEST(has(text, "subgraph cluster_legend"));
    for (const char* kind : {"without a condition", "if the condition holds", "after a failure", "chosen by a model",
                             "by command of the node"})
        BOOST_TEST(has(text, kind));
}

BOOST_AUTO_TEST_CASE(the_dark_theme_has_its_own_colours)
{
    const std::string text = drawn(keyed_graph("a", "^a"), {.theme = weft::drawing_theme::dark});
    BOOST_TEST(has(text, "bgcolor=\"#12161d\""));
    BOOST_TEST(!has(text, "#ffffff"));
}

BOOST_AUTO_TEST_SUITE_END()
