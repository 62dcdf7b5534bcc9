#include <boost/test/unit_test.hpp>

#include "graph/graphs.hpp"

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

BOOST_AUTO_TEST_CASE(P9_a_node_that_several_branches_come_to_is_found_unless_they_meet_there)
{
    const auto shared = [] {
        weft::graph_builder builder = graph_of("sbcdz");
        add_edges(builder, "^s sb sc bd cd dz z$");
        builder.edge_when("b", "z", "value > 1");
        return builder;
    };
    const auto found = weft::analyse(shared().build());
    BOOST_REQUIRE(found.size() == 1u);
    BOOST_TEST(found[0].rule == "runs_twice");
    BOOST_TEST(found[0].message.find("s -> b -> d, and s -> c -> d") != std::string::npos);
    const std::vector<std::string> way{"s", "b", "d"};
    BOOST_TEST(found[0].witness == way, boost::test_tools::per_element());
    BOOST_TEST(found[0].remedy.find(".fan_in(\"s\", \"d\")") != std::string::npos);
    BOOST_TEST(rules_of(shared().fan_in("s", "d").build()) == "");
}

BOOST_AUTO_TEST_CASE(P9_an_exit_through_another_node_takes_the_join_away)
{
    weft::graph_builder exits = graph_of("sbcdx");
    add_edges(exits, "^s sb sc bd cd d$ x$");
    exits.edge_when("b", "x", "value > 1");
    BOOST_TEST(rules_of(exits.build()) == "runs_twice");

    // Two of three branches share a node: no join mends that.
    const auto found = weft::analyse(plain_graph("sabcdez", "^s sa sb sc ad bd bz dz ce e$ z$").build());
    BOOST_REQUIRE(found.size() == 1u);
    BOOST_TEST(found[0].rule == "runs_twice");
    BOOST_TEST(found[0].remedy.find("not all branches of 's' come to 'd'") == 0u);
}

BOOST_AUTO_TEST_CASE(P9_conditional_edges_beside_sure_ones_are_branches_too)
{
    weft::graph_builder builder = graph_of("sbcdx");
    builder.edge(weft::start, "s").edge_on_success("s", "b").edge_when("s", "c", "value > 1").edge("s", "x");
    add_edges(builder, "bd cd x$ d$");
    builder.edge_when("b", "x", "value > 5");
    const auto found = weft::analyse(builder.build());
    BOOST_REQUIRE(found.size() == 2u);  // x is the otherwise of the decision too
    BOOST_TEST(found[0].message.find("'x' may run once") == 0u);
    BOOST_TEST(found[1].message.find("s -> b -> d, and s -> c -> d") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(P9_nodes_behind_a_join_and_loops_and_handlers_of_failures_run_once)
{
    BOOST_TEST(rules_of(plain_graph("sbcdz", "^s sb sc bd cd dz z$").build()) == "");
    // Two of three branches meet early, and all meet later.
    BOOST_TEST(rules_of(plain_graph("sabcdz", "^s sa sb sc ad bd dz cz z$").build()) == "");
    weft::graph_builder handled = graph_of("sbcdh");
    add_edges(handled, "^s sb sc bd cd d$ h$");
    handled.edge_on_failure("b", "h").edge_on_failure("c", "h");
    BOOST_TEST(rules_of(handled.build()) == "");
    weft::graph_builder again = graph_of("sbcd");
    add_edges(again, "^s sb sc bd cd d$");
    again.edge_when("b", "s", "value < 3");
    BOOST_TEST(rules_of(again.build()) == "");
    weft::graph_builder once = graph_of("sbcz");
    once.node("d", [] {}, {.visits_max = 1});
    add_edges(once, "^s sb sc bd cd dz z$");
    once.edge_when("b", "z", "value > 1");
    BOOST_TEST(rules_of(once.build()) == "");
}

BOOST_AUTO_TEST_CASE(P11_branches_that_meet_early_write_as_one)
{
    weft::graph_builder builder = graph_of("sabcz");
    builder.node("d", [] {}, {.writes = {{"value"}}});
    add_edges(builder, "^s sa sb sc ad bd dz cz z$");
    BOOST_TEST(rules_of(builder.build()) == "");
}

BOOST_AUTO_TEST_CASE(a_node_with_conditional_edges_only_has_no_otherwise)
{
    const auto deciding = [](std::vector<std::string> conditions) {
        weft::graph_builder builder = graph_of("ab");
        builder.edge(weft::start, "a").edge("b", weft::end);
        for (const std::string& condition : conditions) builder.edge_when("a", "b", condition);
        return rules_of(builder.build());
    };
    BOOST_TEST(deciding({"value == 1"}) == "no_otherwise");
    BOOST_TEST(deciding({"value == 1", "value == 2"}) == "no_otherwise");
    BOOST_TEST(deciding({"value < 1", "value > 1"}) == "no_otherwise");
    BOOST_TEST(deciding({"value == 1 and other == 2", "not value == 1 and other == 2"}) == "no_otherwise");
    BOOST_TEST(deciding({"True"}) == "condition_after_success");
    BOOST_TEST(deciding({"value", "not value"}) == "");
    BOOST_TEST(deciding({"value < 0.8", "( value >= 0.8 )"}) == "");
    BOOST_TEST(deciding({"value == 1", "value != 1"}) == "");
    BOOST_TEST(deciding({"value == 1", "not (value == 1)"}) == "");
    weft::graph_builder predicates = graph_of("ab");
    predicates.edge(weft::start, "a").edge("b", weft::end).edge_when("a", "b", holds());
    BOOST_TEST(rules_of(predicates.build()) == "");
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
