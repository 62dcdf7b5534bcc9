#include <boost/test/unit_test.hpp>

#include "graphs.hpp"

#include <weft/graph/analysis.hpp>

#include <boost/json/serialize.hpp>

#include <random>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(analysis_test)

namespace {

std::string rules_of(const weft::graph& graph)
{
    std::string rules;
    for (const weft::finding& f : weft::analyse(graph)) rules.append(rules.empty() ? "" : " ").append(f.rule);
    return rules;
}

auto holds()
{
    return [](const weft::state_view&) { return true; };
}

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_45_a_cycle_without_a_way_out_is_an_error)
{
    const auto found = weft::analyse(plain_graph("abc", "^a ab bc cb").build());
    BOOST_REQUIRE(found.size() == 1u);
    BOOST_TEST(found[0].rule == "endless_cycle");
    BOOST_TEST((found[0].level == weft::severity::error));
    const std::vector<std::string> way{"b", "c", "b"};
    BOOST_TEST(found[0].witness == way, boost::test_tools::per_element());
    BOOST_TEST(rules_of(plain_graph("a", "^a aa").build()) == "endless_cycle");
}

BOOST_AUTO_TEST_CASE(HIV_45_a_cycle_that_something_may_end_is_none)
{
    BOOST_TEST(rules_of(graph_of("ab").edge(weft::start, "a").edge("a", "b").edge_when("b", weft::end, holds())
                            .edge("b", "a").build()) == "");
    const auto may_end = [] { return weft::command::end(); };
    BOOST_TEST(rules_of(graph_of("a").node("x", may_end).edge(weft::start, "a").edge("a", "x").edge("x", "a").build())
               == "");
    const auto nothing = [] {};
    BOOST_TEST(rules_of(graph_of("a").node("x", nothing, {.visits_max = 3}).edge(weft::start, "a").edge("a", "x")
                            .edge("x", "a").build()) == "");
    BOOST_TEST(rules_of(graph_of("ab").edge(weft::start, "a").edge_llm("a", {"a"}, {.fallback = "b"}).build()) == "");
}

BOOST_AUTO_TEST_CASE(HIV_26_one_branch_at_most_speaks_with_a_person)
{
    // a fans out to b -> e and c -> f, which meet at d; the letters of `facing` speak with a person.
    const auto graph = [](std::string_view facing, weft::branch_policy policy = weft::branch_policy::fail_all) {
        weft::graph_builder builder = graph_of("a");
        for (const char letter : std::string_view{"bcdef"})
            builder.node(std::string(1, letter), [] {},
                         {.faces_client = facing.find(letter) != std::string_view::npos});
        add_edges(builder, "^a ab ac be cf ed fd");
        builder.fan_out("a", {.on_failure = policy});
        return builder.build();
    };
    BOOST_TEST(rules_of(graph("")) == "");                       // 1: no branch
    BOOST_TEST(rules_of(graph("b")) == "");                      // 2: one branch
    BOOST_TEST(rules_of(graph("bc")) == "several_client_facing");  // 3: two, with their first nodes
    BOOST_TEST(rules_of(graph("bf")) == "several_client_facing");  // 4: deeper in a branch
    BOOST_TEST(rules_of(graph("be")) == "");                     // 5: two nodes of one branch, one after another
    BOOST_TEST(rules_of(graph("bd")) == "");                     // 6: behind the join nothing is parallel
    BOOST_TEST(rules_of(graph("b", weft::branch_policy::first_success)) == "client_in_race");
    const auto found = weft::analyse(graph("bf"));
    BOOST_REQUIRE_EQUAL(found.size(), 1u);
    const std::vector<std::string> both{"b", "f"};
    BOOST_TEST(found[0].witness == both, boost::test_tools::per_element());
    BOOST_TEST((found[0].level == weft::severity::error));
}

BOOST_AUTO_TEST_CASE(conflicts_are_found_through_branches_items_and_graphs_inside)
{
    const auto writes = [](const char* key) { return weft::node_options{.writes = {{key}}}; };
    weft::graph_builder branches = graph_of("ad");
    branches.node("b", [] {}, writes("value")).node("c", [] {}, writes("value"));
    add_edges(branches, "^a ab ac bd cd");
    BOOST_TEST(rules_of(branches.build()) == "possible_write_conflict");

    weft::graph_builder sums = graph_of("ad");
    sums.node("b", [] {}, writes("total")).node("c", [] {}, writes("total"));
    add_edges(sums, "^a ab ac bd cd");
    BOOST_TEST(rules_of(sums.build()) == "");

    const auto sends = [](weft::node_context&) { return weft::command::fan_out({}); };
    weft::graph_builder items = graph_of("d");
    items.node("a", sends, {.goes_to = {"b"}}).node("b", [] {}, writes("value"));
    add_edges(items, "^a bd");
    BOOST_TEST(rules_of(items.build()) == "possible_write_conflict");

    weft::graph_builder inner = graph_of("y");
    inner.node("x", [] {}, writes("value"));
    add_edges(inner, "^x xy");
    weft::graph_builder outer = graph_of("ad");
    outer.node("b", weft::subgraph{inner.build()}).node("c", [] {}, writes("value"));
    add_edges(outer, "^a ab ac bd cd");
    const auto found = weft::analyse(outer.build());
    BOOST_REQUIRE(found.size() == 1u);
    BOOST_TEST(found[0].message.find("(nodes 'b' and 'c')") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(edges_that_are_never_taken_and_ends_that_are_not_said)
{
    weft::graph_builder builder = graph_of("abc");
    builder.routing(weft::routing::first_match).edge(weft::start, "a").edge("a", "b").edge_when("a", "c", holds());
    builder.edge("b", weft::end);
    BOOST_TEST(rules_of(builder.build()) == "unused_edge dead_end");
    BOOST_TEST(rules_of(plain_graph("ab", "^a ab").build()) == "");
}

BOOST_AUTO_TEST_CASE(what_is_found_inside_carries_the_way_there)
{
    const weft::graph inner = plain_graph("xy", "^x xy yx").build();
    const auto found = weft::analyse(graph_of("a").node("in", weft::subgraph{inner}).edge(weft::start, "a")
                                         .edge("a", "in").build());
    BOOST_REQUIRE(found.size() == 1u);
    BOOST_TEST(found[0].witness.front() == "in/x");
}

BOOST_AUTO_TEST_CASE(graphs_that_come_to_their_end_get_no_error)
{
    std::mt19937 random{7};
    for (int round = 0; round < 200; ++round) {
        const std::size_t size = 2 + random() % 20;
        weft::graph_builder builder = graph_of(std::string_view{"abcdefghijklmnopqrstuvwxyz"}.substr(0, size));
        const auto name = [](std::size_t n) { return std::string(1, static_cast<char>('a' + n)); };
        builder.edge(weft::start, "a");
        for (std::size_t n = 0; n + 1 < size; ++n) {
            builder.edge(name(n), name(n + 1));  // forwards, so that an end is never far
            if (random() % 3 == 0) builder.edge_when(name(n), name(random() % size), holds());
            if (const std::size_t skip = n + 2 + random() % 3; skip < size && random() % 3 == 0)
                builder.edge(name(n), name(skip));
        }
        for (const weft::finding& f : weft::analyse(builder.build())) BOOST_TEST((f.level != weft::severity::error));
    }
}

BOOST_AUTO_TEST_CASE(findings_are_told_to_people_and_tools)
{
    const auto found = weft::analyse(plain_graph("ab", "^a ab ba").build());
    BOOST_TEST(weft::to_text(found.front()) ==
               "error endless_cycle: nothing leads out of a cycle that begins at 'a'\n  way: a -> b -> a\n"
               "  remedy: add a conditional edge that leaves it, or give a node of it visits_max");
    const std::string sarif = boost::json::serialize(boost::json::value(weft::to_sarif(found, "graphs/x.json")));
    BOOST_TEST(sarif.find(R"("version":"2.1.0")") != std::string::npos);
    BOOST_TEST(sarif.find(R"("ruleId":"endless_cycle","ruleIndex":0,"level":"error")") != std::string::npos);
    BOOST_TEST(sarif.find(R"("uri":"graphs/x.json")") != std::string::npos);
    BOOST_TEST(sarif.find("region") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(tools_are_told_the_place)
{
    const std::vector<weft::located_finding> found{
        {{"first", weft::severity::error, "wrong", "mend it", {}}, "my graphs/ü#1.json", weft::text_position{3, 7}},
        {{"second", weft::severity::note, "odd", "", {"a", "b"}}, "", {}},
        {{"first", weft::severity::error, "wrong again", "mend it", {}}, "y.json", {}}};
    const std::string sarif = boost::json::serialize(boost::json::value(weft::to_sarif(found)));
    for (const char* part :
         {R"("uri":"my%20graphs/%C3%BC%231.json"},"region":{"startLine":3,"startColumn":7})",
          R"("rules":[{"id":"first","help":{"text":"mend it"}},{"id":"second"}])", R"("text":"wrong. mend it")",
          R"x("ruleId":"second","ruleIndex":1,"level":"note","message":{"text":"odd (a -> b)"}})x",
          R"("ruleId":"first","ruleIndex":0)", R"("columnKind":"unicodeCodePoints")"})
        BOOST_TEST((sarif.find(part) != std::string::npos), part << " is not in " << sarif);
}

BOOST_AUTO_TEST_CASE(HIV_46_a_condition_that_may_have_been_meant_for_failures_is_a_note)
{
    const weft::node_options writes_value{.writes = std::vector<std::string>{"value"}};
    const auto graph = [&](std::string_view condition, weft::edge_options options = {}) {
        return graph_of("bc").node("a", [] {}, writes_value).edge(weft::start, "a")
            .edge_when("a", "b", condition, std::move(options)).edge("a", "c");
    };
    const auto found = weft::analyse(graph("other > 1").build());
    BOOST_REQUIRE_EQUAL(found.size(), 1u);
    BOOST_TEST(found[0].rule == "condition_after_success");
    BOOST_TEST((found[0].level == weft::severity::note));
    BOOST_TEST(rules_of(graph("value > 1").build()) == "");
    BOOST_TEST(rules_of(graph("output == 3").build()) == "");
    BOOST_TEST(rules_of(graph("other > 1", {.after = weft::edge_after::any}).build()) == "");
    BOOST_TEST(rules_of(graph("other > 1").edge_on_failure("a", "c").build()) == "");
    BOOST_TEST(rules_of(graph("other > 1").edge_always("a", "b").build()) == "");
}

BOOST_AUTO_TEST_SUITE_END()
