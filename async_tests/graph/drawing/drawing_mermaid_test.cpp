#include <boost/test/unit_test.hpp>

#include "graph/node/graph_keys.hpp"

#include <weft/graph/drawing.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(drawing_mermaid_test)

namespace {

bool holds(const weft::state_view&) { return true; }

std::string drawn(weft::graph_builder& builder, const weft::drawing_options& options = {})
{
    return weft::to_mermaid(builder.build(), options);
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/** The label of the only node, as it is written. */
std::string label_of(std::string name)
{
    weft::graph_builder b{"g"};
    b.node(name, [] {}).edge(weft::start, name);
    const std::string text = drawn(b);
    const std::size_t begin = text.find("n1[\"") + 4;
    return text.substr(begin, text.find("\"]\n", begin) - begin);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_chain_is_drawn_whole)
{
    auto b = keyed_graph("ab", "^a ab b$");
    BOOST_TEST(drawn(b) == R"(---
title: "test"
---
flowchart TB
    n0(("start"))
    n1["a"]
    n2["b"]
    n3((("end")))
    n0 --> n1
    n1 --> n2
    n2 --> n3
    classDef special fill:#dfe8f6,stroke:#51617a,color:#1a2230
    class n0,n3 special
)");
}

BOOST_AUTO_TEST_CASE(conditions_are_dashed_with_their_label_and_other_edges_solid)
{
    auto b = keyed_graph("abc", "^a b$ c$");
    b.edge_when("a", "b", holds, {.label = "score >= 8"}).edge_when("a", "c", holds).edge("a", weft::end);
    const std::string text = drawn(b);
    BOOST_TEST(has(text, "    n1 -.->|\"score #62;= 8\"| n2\n"));
    BOOST_TEST(has(text, "    n1 -.->|\"condition\"| n3\n"));
    BOOST_TEST(has(text, "    n1 --> n4\n"));
}

BOOST_AUTO_TEST_CASE(failure_edges_models_and_commands_are_told_apart)
{
    auto b = keyed_graph("abcd", "^a b$ c$ d$");
    b.edge_on_failure("a", "b").edge_llm("a", {"c", "d"}, {.fallback = "b"});
    b.node("e", [] {}, {.goes_to = {"a"}}).edge("d", "e");
    const std::string text = drawn(b);
    BOOST_TEST(has(text, "    n1 -->|\"model\"| n3\n    n1 -->|\"model\"| n4\n    n1 -->|\"on failure\"| n2\n"));
    BOOST_TEST(has(text, "    n1 -->|\"fallback\"| n2\n"));
    BOOST_TEST(has(text, "    n5 -.-> n1\n"));
    BOOST_TEST(has(text, "linkStyle 1,2,4 stroke:#7a3bb5\n"));
    BOOST_TEST(has(text, "linkStyle 3 stroke:#b3261e\n"));
    BOOST_TEST(has(text, "stroke-dasharray:1 5\n"));
}

BOOST_AUTO_TEST_CASE(a_fan_out_is_a_box_with_its_policy_and_its_join_a_hexagon)
{
    auto b = keyed_graph("abcj", "^a ab ac bj cj j$");
    b.fan_out("a", {.on_failure = weft::branch_policy::quorum(1), .concurrency_max = 2});
    const std::string text = drawn(b);
    BOOST_TEST(has(text, R"(    subgraph c0["fan-out of a: quorum 1, 2 at once"]
        n2["b"]
        n3["c"]
    end
)"));
    BOOST_TEST(has(text, "    n4{{\"j\"}}\n"));
}

BOOST_AUTO_TEST_CASE(fan_outs_within_fan_outs_are_nested)
{
    auto b = keyed_graph("abcdejk", "^a ab ac cd ce dj ej jk bk k$");
    const std::string text = drawn(b);
    BOOST_TEST(has(text, R"(    subgraph c0["fan-out of a: fail_all"]
        n2["b"]
        n3["c"]
        n6{{"j"}}
        subgraph c1["fan-out of c: fail_all"]
            n4["d"]
            n5["e"]
        end
    end
)"));
}

BOOST_AUTO_TEST_CASE(fan_outs_that_cross_are_boxes_that_do_not)
{
    // Branches of "a" and of "b" share "y", neither has the other's.
    auto b = keyed_graph("abxyz", "^a ax ay b$ x$ y$ z$");
    b.edge_on_failure("a", "b").edge("b", "y").edge("b", "z");
    const std::string text = drawn(b);
    std::size_t boxes = 0;
    for (std::size_t at = text.find("subgraph"); at != std::string::npos; at = text.find("subgraph", at + 1)) ++boxes;
    BOOST_TEST(boxes >= 1u);
    for (const char* node : {"n3[\"x\"]", "n4[\"y\"]", "n5[\"z\"]"}) {
        const std::size_t first = text.find(node);
        BOOST_TEST(first != std::string::npos);
        BOOST_TEST(text.find(node, first + 1) == std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(graphs_within_nodes_are_unfolded_as_deep_as_wanted)
{
    auto innermost = keyed_graph("x", "^x x$");
    auto inner = keyed_graph("y", "");
    inner.node("deeper", weft::subgraph{innermost.build()}).edge(weft::start, "deeper").edge("deeper", "y");
    auto b = keyed_graph("a", "a$");
    b.node("inner", weft::subgraph{inner.build()}).edge(weft::start, "inner").edge("inner", "a");
    const std::string whole = drawn(b);
    BOOST_TEST(has(whole, "    subgraph c0[\"inner\"]\n"));
    BOOST_TEST(has(whole, "        subgraph c1[\"deeper\"]\n"));
    BOOST_TEST(has(whole, "[\"x\"]"));
    const std::string half = drawn(b, {.unfold_depth = 1});
    BOOST_TEST(has(half, "    subgraph c0[\"inner\"]\n"));
    BOOST_TEST(has(half, "[[\"deeper\"]]"));
    BOOST_TEST(!has(half, "[\"x\"]"));
    const std::string folded = drawn(b, {.unfold_depth = 0});
    BOOST_TEST(has(folded, "[[\"inner\"]]"));
    BOOST_TEST(!has(folded, "subgraph"));
}

BOOST_AUTO_TEST_CASE(labels_are_escaped)
{
    BOOST_TEST(label_of("end") == "end");
    BOOST_TEST(label_of("a \"b\" [c]") == "a #34;b#34; #91;c#93;");
    BOOST_TEST(label_of("<b> & #quot;") == "#60;b#62; #38; #35;quot#59;");
    BOOST_TEST(label_of("two\nlines") == "two<br>lines");
    BOOST_TEST(label_of("fetch_weather") == "fetch_weather");
    BOOST_TEST(label_of("_em_ *x* `y`") == "#95;em#95; #42;x#42; #96;y#96;");
    BOOST_TEST(label_of("1. first") == "1#46; first");
    BOOST_TEST(label_of("v1.2") == "v1.2");
    BOOST_TEST(label_of("back\\slash") == "back#92;slash");
    BOOST_TEST(label_of("style a:#fff;") == "style a#58;#35;fff#59;");
    BOOST_TEST(label_of("日本語 é") == "日本語 é");
    BOOST_TEST(label_of("bad \xff utf-8 \x01") == "bad \uFFFD utf-8 \uFFFD");
    BOOST_TEST(label_of(std::string(1'000, 'w')) == std::string(160, 'w') + "…");
}

BOOST_AUTO_TEST_CASE(a_title_is_safe_in_front_matter)
{
    auto b = keyed_graph("a", "^a");
    BOOST_TEST(drawn(b, {.title = "a \"b\"\n---\\"}).starts_with(
        "---\ntitle: \"a \\\"b\\\"\\n---\\\\\"\n---\nflowchart TB\n"));
    BOOST_TEST(has(drawn(b, {.direction = weft::drawing_direction::right}), "flowchart LR\n"));
}

BOOST_AUTO_TEST_CASE(a_run_marks_what_was_taken_what_was_not_and_what_failed)
{
    auto b = keyed_graph("abc", "^a ab c$ b$");
    b.edge_on_failure("b", "c");
    const auto g = b.build();
    weft::run_overlay ran{g};
    ran.nodes[1] = {.visits = 3, .elapsed = std::chrono::milliseconds{1'500}};
    ran.nodes[2] = {.visits = 1, .failures = 2, .has_failed = true, .elapsed = std::chrono::microseconds{12}};
    ran.edges = {1, 3, 0, 0, 0};
    const std::string text = weft::to_mermaid(g, {.overlay = ran});
    BOOST_TEST(has(text, "n1[\"a<br>3 visits, 1.50 s\"]"));
    BOOST_TEST(has(text, "n2[\"b<br>1 visit, 12.0 µs<br>2 failures\"]"));
    BOOST_TEST(has(text, "n3[\"c\"]"));
    BOOST_TEST(has(text, "    class n2 failed\n"));
    BOOST_TEST(has(text, "    class n3,n4 idle\n"));
    BOOST_TEST(has(text, "n1 -->|\"×3\"| n2"));
    BOOST_TEST(has(text, "linkStyle 0,1 stroke:#0b57c4,stroke-width:4px\n"));
    BOOST_TEST(has(text, "linkStyle 2,3,4 stroke:#a3abb8\n"));
}

BOOST_AUTO_TEST_CASE(a_colour_that_is_none_is_refused)
{
    auto b = keyed_graph("a", "^a");
    weft::drawing_colours colours = weft::drawing_colours::light();
    colours.edge = "red;}";
    BOOST_CHECK_EXCEPTION(drawn(b, {.light = colours}), weft::error,
                          says(weft::errc::invalid_configuration, {"colours.light.edge", "red;}", "#rrggbb"}));
}

BOOST_AUTO_TEST_CASE(what_is_drawn_is_the_same_every_time)
{
    auto b = keyed_graph("abcdejk", "^a ab ac cd ce dj ej jk bk k$");
    BOOST_TEST(drawn(b) == drawn(b));
}

BOOST_AUTO_TEST_SUITE_END()
