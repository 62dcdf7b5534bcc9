#include "turn_graphs.hpp"

using namespace weft_tests;
using namespace std::chrono_literals;
using weft::turn_context;
using weft::turn_dimension;
using weft::turn_end;

BOOST_AUTO_TEST_SUITE(turn_engine_test)

namespace {

std::string refused(auto&& action)
{
    try {
        action();
    } catch (const weft::error& e) {
        BOOST_TEST((e.code() == weft::errc::invalid_graph));
        return e.detail();
    }
    return "nothing was refused";
}

/** The dimension of the limit that a run meets. */
turn_dimension limit_of(const engine_type& engine)
{
    try {
        run_turns(engine);
    } catch (const weft::turn_limit_error& e) {
        BOOST_TEST(engine.dead_letters().empty());
        return e.dimension();
    }
    BOOST_FAIL("no limit was met");
    return {};
}

/** a -> a -> …; each visit takes 10 ms and uses a tool and 7 tokens. */
engine_type spending(weft::turn_limits limits)
{
    const auto work = [](notes&, turn_context& context) -> weft::task<void> {
        context.report_tool_call();
        context.report_tokens(7);
        co_await weft::sleep_for(10ms);
    };
    graph_type graph;
    graph.add_node("a", work).add_edge("a", "a").set_entry_point("a");
    return graph.build({.limits = limits});
}

}  // namespace

BOOST_AUTO_TEST_CASE(IVY_18_at_most_one_edge_leaves_a_node)
{
    const auto to_end = [](const notes&) { return std::string{turn_end}; };
    const auto first = [](std::vector<notes> all) { return all.front(); };
    const std::string text = "Node 'a' already has an outbound edge. Each node may have at most one.";
    graph_type graph = nodes("abc");
    graph.add_edge("a", "b");
    BOOST_TEST(refused([&] { graph.add_edge("a", "c"); }) == text);
    BOOST_TEST(refused([&] { graph.add_conditional_edge("a", to_end); }) == text);
    BOOST_TEST(refused([&] { graph.add_parallel_edge("a", {"b", "c"}, first, "b"); }) == text);
    graph_type other = nodes("abc");
    other.add_conditional_edge("a", to_end);
    BOOST_TEST(refused([&] { other.add_edge("a", "b"); }) == text);
    graph_type third = nodes("abc");
    third.add_parallel_edge("a", {"b", "c"}, first, std::string{turn_end});
    BOOST_TEST(refused([&] { third.add_conditional_edge("a", to_end); }) == text);
}

BOOST_AUTO_TEST_CASE(IVY_18_names_are_checked_where_they_are_used)
{
    graph_type graph = nodes("ab");
    const auto nothing = [](notes&) {};
    const auto first = [](std::vector<notes> all) { return all.front(); };
    BOOST_TEST(refused([&] { graph.add_node(" ", nothing); }) == "addNode: Node ID must be a non-empty string.");
    BOOST_TEST(refused([&] { graph.add_node("a", nothing); }) == "addNode: Node 'a' already exists.");
    BOOST_TEST(refused([&] { graph.add_edge("x", "a"); }) == "addEdge: Node 'x' does not exist.");
    BOOST_TEST(refused([&] { graph.add_edge("a", "x"); }) == "addEdge: Node 'x' does not exist.");
    BOOST_TEST(refused([&] { graph.set_entry_point("x"); }) == "setEntryPoint: Node 'x' does not exist.");
    BOOST_TEST(refused([&] { graph.add_conditional_edge("x", [](const notes&) { return ""; }); }) ==
               "addConditionalEdge: Node 'x' does not exist.");
    BOOST_TEST(has(refused([&] { graph.add_conditional_edge("a", nullptr); }), "must be callable"));
    BOOST_TEST(has(refused([&] { graph.add_parallel_edge("a", {"b"}, first, "b"); }), "At least two targets"));
    BOOST_TEST(has(refused([&] { graph.add_parallel_edge("a", {"b", "x"}, first, "b"); }), "Node 'x' does not exist."));
}

BOOST_AUTO_TEST_CASE(IVY_18_the_whole_graph_is_validated)
{
    graph_type none;
    none.add_node("a", marks('a'));
    BOOST_REQUIRE(none.validate().size() == 1u);
    BOOST_TEST(none.validate().front() == "Entry point is not set.");
    graph_type lost = nodes("abc");
    lost.add_edge("a", "b");
    BOOST_TEST(refused([&] { static_cast<void>(lost.build()); }) ==
               "Graph validation failed:\n  - Node 'c' is unreachable from the entry point.");
    lost.add_conditional_edge("b", [](const notes&) { return std::string{turn_end}; });
    BOOST_TEST(lost.validate().empty());  // a conditional edge may lead everywhere
    static_cast<void>(lost.build());
    BOOST_TEST(has(refused([&] { static_cast<void>(lost.build()); }), "already been built"));
    BOOST_TEST(has(refused([&] { lost.add_edge("c", "a"); }), "already been built"));
    BOOST_CHECK_THROW(static_cast<void>(nodes("a").build({.limits = {.max_steps = 0}})), weft::error);
}

BOOST_AUTO_TEST_CASE(nodes_change_one_state_and_end_where_no_edge_leaves)
{
    const auto engine = nodes("abc").add_edge("a", "b").add_edge("b", "c").build();
    const notes initial{"-", 1};
    const auto result = run_turns(engine, initial);
    BOOST_TEST(result.state.trail == "-abc");
    BOOST_TEST(result.state.number == 4);
    BOOST_TEST(initial.trail == "-");
    BOOST_TEST(result.steps == 3u);
    BOOST_TEST(result.correlation_id.size() == 32u);
    BOOST_TEST(run_turns(nodes("a").add_edge("a", std::string{turn_end}).build()).state.trail == "a");
}

BOOST_AUTO_TEST_CASE(a_router_chooses_and_may_lead_back)
{
    const auto thrice = [](const notes& state) { return state.number < 3 ? std::string{"a"} : std::string{"b"}; };
    BOOST_TEST(run_turns(nodes("ab").add_conditional_edge("a", thrice).build()).state.trail == "aaab");
    const auto away = [](const notes&) { return std::string{turn_end}; };
    BOOST_TEST(run_turns(nodes("ab").add_conditional_edge("a", away).build()).state.trail == "a");
}

BOOST_AUTO_TEST_CASE(a_router_that_names_no_node_is_told_and_kept_as_a_dead_letter)
{
    const auto engine = nodes("ab").add_conditional_edge("a", [](const notes&) { return std::string{"y"}; }).build();
    BOOST_TEST(has(error_of([&] { run_turns(engine); }), "Node 'y' not found in graph (step 1). This likely means a "
                                                   "conditional edge returned an invalid node ID."));
    BOOST_TEST(engine.dead_letters().size() == 1u);
}

BOOST_AUTO_TEST_CASE(IVY_19_each_limit_has_its_dimension)
{
    BOOST_TEST((limit_of(spending({.max_total = 35ms})) == turn_dimension::time));
    BOOST_TEST((limit_of(spending({.max_tool_calls = 3})) == turn_dimension::tool_calls));
    BOOST_TEST((limit_of(spending({.max_total_tokens = 21})) == turn_dimension::tokens));
    BOOST_TEST((limit_of(spending({.max_steps = 3})) == turn_dimension::steps));
    BOOST_TEST((limit_of(spending({})) == turn_dimension::steps));
    BOOST_TEST(has(error_of([] { run_turns(spending({})); }),
                   "Max steps (100) exceeded at node 'a'. Possible infinite loop."));
    BOOST_TEST(has(error_of([] { run_turns(spending({.max_tool_calls = 3})); }), "3 of 3 tool calls used at node 'a'"));
}

BOOST_AUTO_TEST_CASE(IVY_19_of_several_limits_the_first_in_order_is_told)
{
    // All are used up after the third visit, at 30 ms.
    const weft::turn_limits all{.max_steps = 3, .max_tool_calls = 3, .max_total = 30ms, .max_total_tokens = 21};
    BOOST_TEST((limit_of(spending(all)) == turn_dimension::time));
    BOOST_TEST((limit_of(spending({.max_steps = 3, .max_tool_calls = 3, .max_total_tokens = 21})) ==
                turn_dimension::tool_calls));
    BOOST_TEST((limit_of(spending({.max_steps = 3, .max_total_tokens = 21})) == turn_dimension::tokens));
}

BOOST_AUTO_TEST_CASE(IVY_19_a_limit_that_is_not_reached_does_not_matter)
{
    const auto work = [](notes&, turn_context& context) { context.report_tool_call(2); };
    graph_type graph;
    graph.add_node("a", work).add_node("b", work).add_edge("a", "b").set_entry_point("a");
    const auto result = run_turns(graph.build({.limits = {.max_steps = 2, .max_tool_calls = 3}}));
    BOOST_TEST(result.spent.tool_calls == 4u);
    BOOST_TEST(result.steps == 2u);
}

BOOST_AUTO_TEST_CASE(IVY_19_the_limit_of_time_stops_a_node_that_hangs)
{
    const auto hang = [](notes&) -> weft::task<void> { co_await weft::sleep_for(1h); };
    graph_type graph;
    graph.add_node("a", hang).set_entry_point("a");
    BOOST_TEST((limit_of(graph.build({.limits = {.max_total = 1s}})) == turn_dimension::time));
}

BOOST_AUTO_TEST_SUITE_END()
