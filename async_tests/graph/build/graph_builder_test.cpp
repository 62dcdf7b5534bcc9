#include <boost/test/unit_test.hpp>

#include "graph/node/graph_keys.hpp"

#include <algorithm>

using namespace weft_tests;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(graph_builder_test)

namespace {

bool always_true(const weft::state_view&) { return true; }

/** The mistakes of a description, one a line; empty if it is a graph. */
std::string mistakes_of(const weft::graph_builder& builder)
{
    const auto result = builder.try_build();
    std::string text;
    if (const auto* mistakes = std::get_if<std::vector<std::string>>(&result))
        for (const std::string& mistake : *mistakes) text += mistake + "\n";
    return text;
}

/** Whether a description has exactly one mistake, whose text has all parts. */
bool is_only_mistake(const weft::graph_builder& builder, std::vector<std::string_view> parts)
{
    const std::string text = mistakes_of(builder);
    bool holds = std::count(text.begin(), text.end(), '\n') == 1;
    for (const std::string_view part : parts) holds = holds && text.find(part) != std::string::npos;
    if (!holds) BOOST_TEST_MESSAGE("mistakes: " + text);
    return holds;
}

weft::graph_builder two_nodes() { return keyed_graph("ab", "^a ab"); }

}  // namespace

BOOST_AUTO_TEST_CASE(a_graph_without_mistakes_is_built_and_the_builder_can_go_on)
{
    weft::graph_builder builder = two_nodes();
    const weft::graph first = builder.build();
    const weft::graph_builder copy = builder;
    builder.node("c", [] {}).edge("b", "c");
    const weft::graph second = builder.build();
    BOOST_TEST(copy.build().node_count() == 2u);
    BOOST_TEST(first.node_count() == 2u);
    BOOST_TEST(second.node_count() == 3u);
    BOOST_TEST(first.name() == "test");
    BOOST_TEST(second.node_names() == (std::vector<std::string_view>{"a", "b", "c"}), boost::test_tools::per_element());
    BOOST_TEST(second.find("c") == 3u);
    BOOST_TEST(second.find("x") == weft::no_node);
    BOOST_TEST(second.find(weft::end) == weft::end_node);
}

BOOST_AUTO_TEST_CASE(a_chain_has_a_plain_edge_from_each_node_to_the_next)
{
    const auto described = [](auto&& add) {
        weft::graph_builder builder{"chain"};
        builder.node("a", [] {}).node("b", [] {});
        add(builder);
        return builder.build().explain();
    };
    const std::string chained = described([](auto& builder) { builder.chain({weft::start, "a", "b", weft::end}); });
    const std::string by_edges =
        described([](auto& builder) { builder.edge(weft::start, "a").edge("a", "b").edge("b", weft::end); });
    BOOST_TEST(chained == by_edges);
    weft::graph_builder builder = two_nodes();
    const std::string before = builder.build().explain();
    builder.chain({}).chain({"a"});
    BOOST_TEST(builder.build().explain() == before);
    BOOST_TEST(is_only_mistake(builder.chain({"b", "x"}), {"'x'"}));
}

BOOST_AUTO_TEST_CASE(all_mistakes_come_in_one_error)
{
    weft::graph_builder builder{"messy"};
    builder.node("a", [] {}).node("a", [] {}).edge("a", "nowhere").edge("nobody", "a");
    BOOST_CHECK_EXCEPTION(static_cast<void>(builder.build()), weft::graph_error, [](const weft::graph_error& e) {
        const std::string text = e.what();
        return e.code() == weft::errc::invalid_graph && e.mistakes().size() == 4 &&
               text.find("graph 'messy'") != std::string::npos && text.find("4 mistakes") != std::string::npos &&
               text.find("node[1] 'a'") != std::string::npos && text.find("edge[0]") != std::string::npos &&
               text.find("edge[1]") != std::string::npos && text.find("__start__") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(a_graph_needs_a_name_and_nodes)
{
    BOOST_TEST(is_only_mistake(weft::graph_builder{"x"}, {"has no nodes"}));
    weft::graph_builder unnamed{""};
    unnamed.node("a", [] {}).edge(weft::start, "a");
    BOOST_TEST(is_only_mistake(unnamed, {"has no name"}));
}

BOOST_AUTO_TEST_CASE(names_of_nodes_are_there_unique_and_not_reserved)
{
    BOOST_TEST(is_only_mistake(two_nodes().node("b", [] {}), {"node[2] 'b'", "name of node[1]"}));
    BOOST_TEST(mistakes_of(two_nodes().node("", [] {})).find("node[2] '' has no name") != std::string::npos);
    for (const std::string_view name : {weft::start, weft::end})
        BOOST_TEST(mistakes_of(two_nodes().node(std::string{name}, [] {})).find("reserved") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(limits_of_a_node_are_possible)
{
    const auto with = [](weft::node_options options) {
        return two_nodes().node("c", [] {}, std::move(options)).edge("b", "c");
    };
    BOOST_TEST(mistakes_of(with({})) == "");
    for (const weft::retry_policy& retry :
         {weft::retry_policy{.attempts_max = -1}, weft::retry_policy{.initial = -1ms},
          weft::retry_policy{.factor = 0.5}, weft::retry_policy{.delay_max = -1ms}})
        BOOST_TEST(is_only_mistake(with({.retry = retry}), {"node[2] 'c'", "retry policy"}));
    BOOST_TEST(is_only_mistake(with({.timeout = -1ms}), {"node[2] 'c'", "negative timeout"}));
    BOOST_TEST(is_only_mistake(with({.goes_to = {"x"}}), {"node[2] 'c'", "goes_to 'x'", "Known: a, b, c"}));
}

BOOST_AUTO_TEST_CASE(edges_lead_from_node_to_node)
{
    BOOST_TEST(is_only_mistake(two_nodes().edge("x", "b"), {"edge[2] 'x' -> 'b'", "starts at an unknown", "a, b"}));
    BOOST_TEST(is_only_mistake(two_nodes().edge("b", "x"), {"edge[2] 'b' -> 'x'", "leads to an unknown", "a, b"}));
    BOOST_TEST(is_only_mistake(two_nodes().edge(weft::end, "b"), {"edge[2]", "starts at the end"}));
    BOOST_TEST(is_only_mistake(two_nodes().edge("b", weft::start), {"edge[2]", "leads to the start"}));
    BOOST_TEST(is_only_mistake(two_nodes().edge_when("b", "a", weft::edge_predicate{}), {"edge[2]", "no predicate"}));
    BOOST_TEST(is_only_mistake(two_nodes().edge_on_failure(weft::start, "b"), {"edge[2]", "cannot fail"}));
    BOOST_TEST(is_only_mistake(two_nodes().edge_always(weft::start, "b"), {"edge[2]", "cannot fail"}));
}

BOOST_AUTO_TEST_CASE(F14_an_unknown_node_is_told_with_the_name_that_is_meant)
{
    const auto named = [] {
        weft::graph_builder builder{"test"};
        builder.node("plan", [] {}).node("write", [] {}).edge(weft::start, "plan").edge("plan", "write");
        return builder;
    };
    BOOST_TEST(is_only_mistake(named().edge("write", "paln"), {"Known: plan, write (did you mean 'plan'?)"}));
    BOOST_TEST(is_only_mistake(named().edge("wirte", "plan"), {"did you mean 'write'?"}));
    BOOST_TEST(is_only_mistake(named().fan_in("plan", "writes"), {"did you mean 'write'?"}));
    BOOST_TEST(mistakes_of(named().edge("write", "elsewhere")).find("did you mean") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(F14_the_end_is_a_target_of_a_label)
{
    BOOST_TEST(mistakes_of(two_nodes().edge_label("a", {{"good", weft::end}, {"bad", "b"}})) == "");
}

BOOST_AUTO_TEST_CASE(an_edge_is_not_repeated_except_with_another_condition)
{
    BOOST_TEST(is_only_mistake(two_nodes().edge("a", "b"), {"edge[2] 'a' -> 'b'", "repeats edge[1]"}));
    BOOST_TEST(mistakes_of(two_nodes().edge_on_failure("a", "b")) == "");
    BOOST_TEST(mistakes_of(two_nodes().edge_when("a", "b", always_true).edge_when("a", "b", always_true)) == "");
}

BOOST_AUTO_TEST_CASE(something_leads_from_the_start_and_to_every_node)
{
    BOOST_TEST(is_only_mistake(keyed_graph("ab", "ab ba"), {"no edge begins at '__start__'", "'a'"}));
    BOOST_TEST(is_only_mistake(keyed_graph("abc", "^a ab cb"), {"node 'c' is unreachable", "goes_to"}));
}

BOOST_AUTO_TEST_CASE(a_node_is_reachable_by_command_or_failure_edge)
{
    BOOST_TEST(mistakes_of(two_nodes().node("c", [] {}, {.goes_to = {"d"}}).node("d", [] {}).edge("b", "c")) == "");
    BOOST_TEST(mistakes_of(two_nodes().node("c", [] {}).edge_on_failure("a", "c")) == "");
    BOOST_TEST(mistakes_of(two_nodes().node("c", [] {}).edge_when("a", "c", always_true)) == "");
}

BOOST_AUTO_TEST_CASE(fan_outs_are_of_nodes_once_and_possible)
{
    const auto fork = [] { return keyed_graph("abc", "^a ab ac"); };
    BOOST_TEST(is_only_mistake(fork().fan_out("x", {}), {"fan_out of 'x'", "Known: a, b, c"}));
    BOOST_TEST(is_only_mistake(fork().fan_out("a", {}).fan_out("a", {}), {"fan_out of 'a'", "twice"}));
    BOOST_TEST(is_only_mistake(fork().fan_out("a", {.branch_timeout = -1ms}), {"'a'", "negative branch_timeout"}));
    const auto quorum = [&](std::uint32_t k) {
        return fork().fan_out("a", {.on_failure = weft::branch_policy::quorum(k)});
    };
    BOOST_TEST(is_only_mistake(quorum(0), {"quorum of 0"}));
    BOOST_TEST(is_only_mistake(quorum(3), {"needs 3", "at most 2"}));
    BOOST_TEST(mistakes_of(quorum(2)) == "");
}

BOOST_AUTO_TEST_CASE(a_named_join_is_a_node_that_every_branch_can_reach)
{
    const auto fork = [] { return keyed_graph("abcj", "^a ab ac bj cj"); };
    BOOST_TEST(mistakes_of(fork().fan_in("a", "j")) == "");
    BOOST_TEST(is_only_mistake(fork().fan_in("a", "x"), {"fan_in of 'a' at 'x'", "'x' is no node"}));
    BOOST_TEST(is_only_mistake(fork().fan_in("x", "j"), {"fan_in of 'x' at 'j'", "'x' is no node"}));
    BOOST_TEST(is_only_mistake(keyed_graph("abcj", "^a ab ac bj").fan_in("a", "j"), {"'c' never gets there"}));
}

BOOST_AUTO_TEST_CASE(keys_have_names_one_type_and_are_declared)
{
    constexpr weft::state_key<int> unnamed{""};
    constexpr weft::state_key<int> other_type{"topic"};
    constexpr weft::state_key<int> undeclared{"undeclared"};
    BOOST_TEST(is_only_mistake(two_nodes().state(unnamed), {"no name"}));
    BOOST_TEST(is_only_mistake(two_nodes().state(other_type), {"key 'topic'", "twice"}));
    BOOST_TEST(is_only_mistake(two_nodes().conflict(undeclared, weft::conflict_strategy::error), {"'undeclared'"}));
    const auto with = [](weft::node_options options) { return two_nodes().node("c", [] {}, options).edge("b", "c"); };
    BOOST_TEST(is_only_mistake(with({.reads = weft::keys(undeclared)}), {"node 'c'", "'undeclared'"}));
    BOOST_TEST(is_only_mistake(with({.writes = weft::keys(undeclared)}), {"node 'c'", "'undeclared'"}));
}

BOOST_AUTO_TEST_CASE(a_thousand_nodes_are_built)
{
    weft::graph_builder builder{"long"};
    for (int i = 0; i < 1000; ++i) {
        builder.node("n" + std::to_string(i), [] {});
        builder.edge(i == 0 ? std::string{weft::start} : "n" + std::to_string(i - 1), "n" + std::to_string(i));
    }
    BOOST_TEST(builder.build().node_count() == 1000u);
}

BOOST_AUTO_TEST_CASE(initial_values_are_there_when_a_state_begins)
{
    const weft::graph g = keyed_graph("a", "^a").initial(score, 7).build();
    const weft::state first{g.layout()};
    BOOST_TEST(first.get(score) == 7);
    BOOST_TEST(first.find(topic) == nullptr);
}

BOOST_AUTO_TEST_CASE(initial_values_are_of_declared_keys)
{
    auto builder = keyed_graph("a", "^a");
    builder.initial(home, {}).initial(weft::state_key<std::string>{"score"}, "seven");
    const auto built = builder.try_build();
    const auto& mistakes = std::get<std::vector<std::string>>(built);
    BOOST_REQUIRE(mistakes.size() == 2u);
    BOOST_TEST(mistakes[0] == "initial value of key 'home', which the graph does not declare");
    BOOST_TEST(mistakes[1] == "initial value of key 'score' has another type than the key");
}

BOOST_AUTO_TEST_SUITE_END()
