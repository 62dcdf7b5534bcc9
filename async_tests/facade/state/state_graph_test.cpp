#include "facade/ensemble/ensembles.hpp"
#include "graph/graphs.hpp"

#include <weft/async/sleep.hpp>
#include <weft/facade/state_graph.hpp>

#include <stdexcept>

using namespace weft_tests;
using namespace std::chrono_literals;
using weft::compiled_state_graph;
using weft::message;
using weft::state_command;
using weft::state_graph;
using weft::state_request;

BOOST_AUTO_TEST_SUITE(state_graph_test)

namespace {

/** A graph whose nodes, one for each letter, say their names; a -> b -> … -> END, and a is the entry. */
state_graph line_of(std::string_view nodes)
{
    state_graph graph{"test", value, total};
    std::string before;
    for (const char letter : nodes) {
        const std::string name(1, letter);
        graph.add_node(name, [name] { return name; });
        graph.add_edge(before.empty() ? std::string{weft::start} : before, name);
        before = name;
    }
    graph.add_edge(before, std::string{weft::end});
    return graph;
}

state_request hello(std::string thread = "t")
{
    return state_request{{message::user("hi")}}.thread(std::move(thread));
}

weft::state_result invoke(const compiled_state_graph& graph, state_request request = hello())
{
    weft::testing::simulation sim{1};
    return sim.run(graph.invoke(std::move(request)));
}

std::string said(const weft::state_result& result)
{
    std::string line;
    for (const message& m : result.context()) line.append(line.empty() ? "" : " ").append(m.text());
    return line;
}

/** The id of the error that an action throws. */
std::string id_of(auto&& action)
{
    try {
        action();
    } catch (const weft::state_graph_error& e) {
        BOOST_TEST(has(e.what(), "[" + e.id() + "] "));
        return e.id();
    }
    return "none";
}
std::string compile_error(const state_graph& graph, weft::state_compile_options options = {})
{
    return id_of([&] { static_cast<void>(graph.compile(std::move(options))); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(PYA_1_GRAPH_002_no_entry_point)
{
    state_graph graph{"g"};
    graph.add_node("a", [] {}).add_edge("a", "__end__");
    BOOST_TEST(compile_error(graph) == "GRAPH_002");
    BOOST_TEST(compile_error(graph.set_entry_point("a")) == "none");
}

BOOST_AUTO_TEST_CASE(PYA_1_GRAPH_003_orphaned_nodes)
{
    state_graph graph = line_of("ab");
    graph.add_node("lost", [] {});
    BOOST_TEST(compile_error(graph) == "GRAPH_003");
    BOOST_TEST(compile_error(graph.add_edge("lost", "a")) == "none");  // a command may lead there
    const auto route = [](const weft::state_view&) { return std::string{"leaf"}; };
    state_graph other = line_of("ab");
    other.add_node("leaf", [] {}).add_conditional_edges("a", route);
    BOOST_TEST(compile_error(other) == "none");  // without a map every node may be meant
}

BOOST_AUTO_TEST_CASE(PYA_1_GRAPH_004_edges_and_interrupts_of_unknown_nodes)
{
    const auto label = [](const weft::state_view&) { return std::string{"x"}; };
    BOOST_TEST(compile_error(line_of("a").add_edge("a", "x")) == "GRAPH_004");
    BOOST_TEST(compile_error(line_of("a").add_edge("x", "a")) == "GRAPH_004");
    BOOST_TEST(compile_error(line_of("a").set_entry_point("x").add_edge("a", "a")) == "GRAPH_004");
    BOOST_TEST(compile_error(line_of("a").add_conditional_edges("a", label, {{"x", "y"}})) == "GRAPH_004");
    BOOST_TEST(compile_error(line_of("a").add_conditional_edges("x", label)) == "GRAPH_004");
    BOOST_TEST(compile_error(line_of("a"), {.interrupt_before = {"x"}}) == "GRAPH_004");
    BOOST_TEST(compile_error(line_of("a"), {.interrupt_after = {"x"}}) == "GRAPH_004");
}

BOOST_AUTO_TEST_CASE(PYA_1_GRAPH_005_and_006_tool_nodes)
{
    const auto graph = [](bool is_known, bool is_tool_node) {
        state_graph made = line_of("a");
        made.add_node("agent", [] {}, {.tool_node = "tools"}).add_edge("agent", "a");
        if (is_known) made.add_node("tools", [] {}, {.is_tool_node = is_tool_node}).add_edge("tools", "agent");
        return made;
    };
    BOOST_TEST(compile_error(graph(false, false)) == "GRAPH_005");
    BOOST_TEST(compile_error(graph(true, false)) == "GRAPH_006");
    BOOST_TEST(compile_error(graph(true, true)) == "none");
}

BOOST_AUTO_TEST_CASE(PYA_1_arguments_of_add_node_and_override_node)
{
    state_graph graph = line_of("a");
    for (const char* name : {"", "a", "__start__", "__end__"})
        BOOST_TEST(id_of([&] { graph.add_node(name, [] {}); }) == "GRAPH_000");
    graph.override_node("a", [] { return "other"; });
    BOOST_TEST(said(invoke(graph.compile())) == "hi other");
    BOOST_CHECK_THROW(graph.override_node("x", [] {}), weft::error);
}

BOOST_AUTO_TEST_CASE(PYA_2_a_label_leads_where_the_map_says)
{
    const auto graph = [](std::string label) {
        state_graph made = line_of("abc");
        const auto route = [label](const weft::state_view&) { return label; };
        made.add_conditional_edges("a", route, {{"far", "c"}, {"out", "__end__"}});
        return made.compile();
    };
    BOOST_TEST(said(invoke(graph("far"))) == "hi a c");
    BOOST_TEST(said(invoke(graph("out"))) == "hi a");
    const std::string text = error_of([&] { invoke(graph("fra")); });
    BOOST_TEST(has(text, "node 'a' gave 'fra'. Allowed: 'far', 'out'"));
}

BOOST_AUTO_TEST_CASE(PYA_2_conditional_edges_come_in_their_order_before_the_static_one)
{
    const auto first = [](const weft::state_view& s) {
        return s.get(value) == 1 ? std::optional<std::string>{"c"} : std::nullopt;
    };
    const auto second = [](const weft::state_view& s) {
        return s.get(value) <= 2 ? std::optional<std::string>{"out"} : std::nullopt;
    };
    state_graph made = line_of("abc");
    made.add_conditional_edges("a", first).add_conditional_edges("a", second, {{"out", "__end__"}});
    const auto said_with = [&](int number) {
        return said(invoke(made.compile(), hello().input(weft::state_update{}.set(value, number))));
    };
    BOOST_TEST(said_with(1) == "hi a c");
    BOOST_TEST(said_with(2) == "hi a");
    BOOST_TEST(said_with(3) == "hi a b c");
}

BOOST_AUTO_TEST_CASE(PYA_2_without_a_map_an_unknown_name_lists_the_nodes)
{
    state_graph made = line_of("ab");
    made.add_conditional_edges("a", [](const weft::state_view&) { return std::string{"x"}; });
    BOOST_TEST(has(error_of([&] { invoke(made.compile()); }), "Allowed: 'a', 'b', '__end__'"));
}

BOOST_AUTO_TEST_CASE(PYA_3_a_command_goes_before_the_edges_and_merges_its_update)
{
    const auto run = [](state_command command) {
        state_graph made = line_of("abc");
        made.override_node("a", [command] { return command; });
        return invoke(made.compile());
    };
    BOOST_TEST(said(run(state_command{"x"}.go_to("c"))) == "hi x c");
    BOOST_TEST(said(run(state_command{}.go_to("__end__"))) == "hi");
    const auto with_update = run(state_command{"x"}.update(weft::state_update{}.set(total, 5)).go_to("c"));
    BOOST_TEST(with_update.state.get(total) == 5);
    BOOST_TEST(said(run(state_command{"x"})) == "hi x b c");  // no target: the static edge
    BOOST_TEST(id_of([&] { run(state_command{}.go_to("nowhere")); }) == "NODE_001");
}

BOOST_AUTO_TEST_CASE(PYA_3_a_command_goes_on_in_the_parent_graph)
{
    state_graph inner = line_of("xy");
    inner.override_node("x", [] { return state_command{"leaves"}.go_to_in_parent("c"); });
    const compiled_state_graph compiled = inner.compile();
    const auto enter = [] { return state_command{"a"}.go_to("in"); };
    state_graph outer = line_of("abc");
    outer.add_node("in", compiled).override_node("a", enter).add_edge("in", "b");
    const auto result = invoke(outer.compile());
    BOOST_TEST(said(result) == "hi a leaves c");
    BOOST_TEST(has(error_of([&] { invoke(compiled); }), "in the parent graph, and there is none"));
    inner.override_node("x", [] { return "stays"; });
    state_graph other = line_of("abc");
    other.add_node("in", inner.compile()).override_node("a", enter).add_edge("in", "b");
    BOOST_TEST(said(invoke(other.compile())) == "hi a stays y b c");
}

BOOST_AUTO_TEST_CASE(PYA_3_nodes_give_what_they_like)
{
    state_graph graph{"g", value, total};
    graph.add_node("nothing", [] {}).add_node("text", [] { return "text"; });
    graph.add_node("message", [] { return message::user("message"); });
    graph.add_node("several", [] { return std::vector{message::user("1"), message::user("2")}; });
    graph.add_node("state", [](weft::node_context& c) { return weft::state_update{}.set(total, c.get(value)); });
    const auto slow = [](weft::node_context&) -> weft::task<std::string> {
        co_await weft::sleep_for(1ms);
        co_return "slow";
    };
    graph.add_node("slow", slow).set_entry_point("nothing").add_edge("nothing", "text").add_edge("text", "message");
    graph.add_edge("message", "several").add_edge("several", "state").add_edge("state", "slow");
    const auto result = invoke(graph.compile(), hello().input(weft::state_update{}.set(value, 3)));
    BOOST_TEST(said(result) == "hi text message 1 2 slow");
    BOOST_TEST(result.state.get(total) == 3);
}

BOOST_AUTO_TEST_CASE(PYA_4_exactly_as_many_nodes_as_the_recursion_limit_may_run)
{
    const compiled_state_graph five = line_of("abcde").compile();
    BOOST_TEST(said(invoke(five, hello().recursion_limit(5))) == "hi a b c d e");
    BOOST_TEST(id_of([&] { invoke(five, hello().recursion_limit(4)); }) == "RECURSION_000");
    BOOST_TEST(id_of([&] { invoke(line_of("ab").compile(), hello().recursion_limit(1)); }) == "RECURSION_000");
    BOOST_TEST(said(invoke(line_of("a").compile(), hello().recursion_limit(1))) == "hi a");
    int runs = 0;
    state_graph endless{"g"};
    endless.add_node("a", [&runs] { ++runs; }).set_entry_point("a").add_edge("a", "a");
    BOOST_TEST(id_of([&] { invoke(endless.compile()); }) == "RECURSION_000");
    BOOST_TEST(runs == 25);
}

BOOST_AUTO_TEST_SUITE_END()
