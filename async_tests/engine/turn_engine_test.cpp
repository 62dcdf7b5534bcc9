#include "ensembles.hpp"

#include <weft/async/sleep.hpp>
#include <weft/engine/turn_engine.hpp>

#include <stdexcept>

using namespace weft_tests;
using namespace std::chrono_literals;
using weft::turn_context;
using weft::turn_dimension;
using weft::turn_end;

BOOST_AUTO_TEST_SUITE(turn_engine_test)

namespace {

/** The state of the tests: what was done, and a number. */
struct notes {
    std::string trail;
    int number = 0;
};

using graph_type = weft::turn_graph<notes>;
using options_type = weft::turn_options<notes>;
using request_type = weft::turn_request<notes>;
using engine_type = weft::turn_engine<notes>;

auto marks(char letter)
{
    return [letter](notes& state) {
        state.trail.push_back(letter);
        ++state.number;
    };
}

/** Nodes for the letters, not connected; the first is the entry. */
graph_type nodes(std::string_view letters)
{
    graph_type graph;
    for (const char letter : letters) graph.add_node(std::string(1, letter), marks(letter));
    graph.set_entry_point(std::string(1, letters.front()));
    return graph;
}

weft::turn_result<notes> run(const engine_type& engine, notes initial = {}, request_type request = {})
{
    weft::testing::simulation sim{1};
    return sim.run(engine.run(std::move(initial), std::move(request)));
}

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
        run(engine);
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
    BOOST_TEST(none.validate() == std::vector<std::string>{"Entry point is not set."}, boost::test_tools::per_element());
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
    const auto result = run(engine, initial);
    BOOST_TEST(result.state.trail == "-abc");
    BOOST_TEST(result.state.number == 4);
    BOOST_TEST(initial.trail == "-");
    BOOST_TEST(result.steps == 3u);
    BOOST_TEST(result.correlation_id.size() == 32u);
    BOOST_TEST(run(nodes("a").add_edge("a", std::string{turn_end}).build()).state.trail == "a");
}

BOOST_AUTO_TEST_CASE(a_router_chooses_and_may_lead_back)
{
    const auto thrice = [](const notes& state) { return state.number < 3 ? std::string{"a"} : std::string{"b"}; };
    BOOST_TEST(run(nodes("ab").add_conditional_edge("a", thrice).build()).state.trail == "aaab");
    const auto away = [](const notes&) { return std::string{turn_end}; };
    BOOST_TEST(run(nodes("ab").add_conditional_edge("a", away).build()).state.trail == "a");
}

BOOST_AUTO_TEST_CASE(a_router_that_names_no_node_is_told_and_kept_as_a_dead_letter)
{
    const auto engine = nodes("ab").add_conditional_edge("a", [](const notes&) { return std::string{"y"}; }).build();
    BOOST_TEST(has(error_of([&] { run(engine); }), "Node 'y' not found in graph (step 1). This likely means a conditional "
                                                   "edge returned an invalid node ID."));
    BOOST_TEST(engine.dead_letters().size() == 1u);
}

BOOST_AUTO_TEST_CASE(IVY_19_each_limit_has_its_dimension)
{
    BOOST_TEST((limit_of(spending({.max_total = 35ms})) == turn_dimension::time));
    BOOST_TEST((limit_of(spending({.max_tool_calls = 3})) == turn_dimension::tool_calls));
    BOOST_TEST((limit_of(spending({.max_total_tokens = 21})) == turn_dimension::tokens));
    BOOST_TEST((limit_of(spending({.max_steps = 3})) == turn_dimension::steps));
    BOOST_TEST((limit_of(spending({})) == turn_dimension::steps));
    BOOST_TEST(has(error_of([] { run(spending({})); }), "Max steps (100) exceeded at node 'a'. Possible infinite loop."));
    BOOST_TEST(has(error_of([] { run(spending({.max_tool_calls = 3})); }), "3 of 3 tool calls used at node 'a'"));
}

BOOST_AUTO_TEST_CASE(IVY_19_of_several_limits_the_first_in_order_is_told)
{
    // All are used up after the third visit, at 30 ms.
    BOOST_TEST((limit_of(spending({.max_steps = 3, .max_tool_calls = 3, .max_total = 30ms, .max_total_tokens = 21})) ==
                turn_dimension::time));
    BOOST_TEST((limit_of(spending({.max_steps = 3, .max_tool_calls = 3, .max_total_tokens = 21})) ==
                turn_dimension::tool_calls));
    BOOST_TEST((limit_of(spending({.max_steps = 3, .max_total_tokens = 21})) == turn_dimension::tokens));
}

BOOST_AUTO_TEST_CASE(IVY_19_a_limit_that_is_not_reached_does_not_matter)
{
    const auto work = [](notes&, turn_context& context) { context.report_tool_call(2); };
    graph_type graph;
    graph.add_node("a", work).add_node("b", work).add_edge("a", "b").set_entry_point("a");
    const auto result = run(graph.build({.limits = {.max_steps = 2, .max_tool_calls = 3}}));
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

BOOST_AUTO_TEST_CASE(IVY_22_a_failure_is_kept_with_the_state_before_it_and_thrown)
{
    graph_type graph = nodes("a");
    const auto spoil = [](notes& state) {
        state.trail += "spoilt";
        throw std::logic_error{"broken"};
    };
    graph.add_node("b", spoil).add_edge("a", "b");
    const auto engine = graph.build();
    BOOST_CHECK_THROW(run(engine, {"-", 0}, request_type{}.correlation_id("c-1")), std::logic_error);
    const auto letters = engine.dead_letters();
    BOOST_REQUIRE(letters.size() == 1u);
    BOOST_TEST(letters[0].node_id == "b");
    BOOST_TEST(letters[0].state.trail == "-a");
    BOOST_TEST(letters[0].message == "broken");
    BOOST_TEST(letters[0].correlation_id == "c-1");
}

BOOST_AUTO_TEST_CASE(IVY_22_the_failure_of_a_router_is_kept_with_the_state_before_its_node)
{
    const auto broken = [](const notes&) -> std::string { throw std::logic_error{"no way"}; };
    const auto engine = nodes("ab").add_edge("a", "b").add_conditional_edge("b", broken).build();
    BOOST_CHECK_THROW(run(engine), std::logic_error);
    const auto letters = engine.dead_letters();
    BOOST_REQUIRE(letters.size() == 1u);
    BOOST_TEST(letters[0].node_id == "b");
    BOOST_TEST(letters[0].state.trail == "a");
}

BOOST_AUTO_TEST_CASE(IVY_22_dead_letters_are_bounded)
{
    graph_type graph;
    graph.add_node("a", [](notes& state) { throw std::logic_error{std::to_string(state.number)}; }).set_entry_point("a");
    const auto engine = graph.build({.dead_letters_max = 2});
    for (int i = 0; i < 5; ++i) BOOST_CHECK_THROW(run(engine, {"", i}), std::logic_error);
    const auto letters = engine.dead_letters();
    BOOST_REQUIRE(letters.size() == 2u);
    BOOST_TEST(letters[0].message == "3");
    BOOST_TEST(letters[1].message == "4");
}

BOOST_AUTO_TEST_CASE(IVY_20_a_retry_begins_with_the_state_before)
{
    int attempts = 0;
    const auto flaky = [&attempts](notes& state) {
        state.trail += "x";
        if (++attempts < 3) throw std::runtime_error{"not yet"};
    };
    graph_type graph;
    graph.add_node("a", flaky, {.max_retries = 2}).set_entry_point("a");
    weft::testing::simulation sim{1};
    const auto engine = graph.build();
    const auto result = sim.run(engine.run({}));
    BOOST_TEST(result.state.trail == "x");
    BOOST_TEST((sim.elapsed() == 300ms));
    BOOST_TEST(engine.dead_letters().empty());
}

namespace {

weft::task<void> mark_late(notes& state, char letter)
{
    co_await weft::sleep_for(50ms);
    state.trail.push_back(letter);
}

}  // namespace

BOOST_AUTO_TEST_CASE(IVY_21_branches_run_at_once_on_copies_and_are_merged)
{
    const auto slow = [](char letter) { return [letter](notes& state) { return mark_late(state, letter); }; };
    graph_type graph = nodes("az");
    graph.add_node("b", slow('b')).add_node("c", slow('c')).add_node("d", slow('d'));
    std::size_t seen = 0;
    const auto merge = [&seen](std::vector<notes> all) {
        seen = all.size();
        notes merged;
        for (const notes& one : all) merged.trail.append(merged.trail.empty() ? "" : "+").append(one.trail);
        return merged;
    };
    graph.add_parallel_edge("a", {"d", "b", "c"}, merge, "z");
    weft::testing::simulation sim{1};
    const auto result = sim.run(graph.build().run({}));
    BOOST_TEST(result.state.trail == "ad+ab+acz");
    BOOST_TEST(seen == 3u);
    BOOST_TEST((sim.elapsed() < 100ms));
}

BOOST_AUTO_TEST_CASE(IVY_21_a_parallel_edge_may_lead_to_the_end_and_a_target_may_run_alone)
{
    graph_type graph = nodes("abc");
    const auto first = [](std::vector<notes> all) { return all.front(); };
    graph.add_edge("a", "b").add_parallel_edge("b", {"a", "c"}, first, std::string{turn_end});
    BOOST_TEST(run(graph.build()).state.trail == "aba");
}

BOOST_AUTO_TEST_CASE(a_checkpoint_goes_on_with_what_is_left_and_fresh_steps)
{
    const auto work = [](notes& state, turn_context& context) {
        state.trail.push_back(context.id().front());
        context.report_tool_call();
        context.report_tokens(10);
    };
    const auto make = [&](weft::turn_limits limits) {
        graph_type graph;
        for (const char* id : {"a", "b", "c", "d"}) graph.add_node(id, work);
        graph.add_edge("a", "b").add_edge("b", "c").add_edge("c", "d").set_entry_point("a");
        return graph.build({.limits = limits});
    };
    std::vector<weft::turn_checkpoint<notes>> kept;
    const auto engine = make({.max_steps = 4, .max_tool_calls = 5});
    run(engine, {}, request_type{}.correlation_id("c").on_checkpoint([&](const auto& at) { kept.push_back(at); }));
    BOOST_REQUIRE(kept.size() == 3u);
    BOOST_TEST(kept[1].current_node == "c");
    BOOST_TEST(kept[1].step_count == 2u);
    BOOST_TEST(kept[1].state.trail == "ab");
    BOOST_TEST(kept[1].spent.tokens == 20u);
    weft::testing::simulation sim{1};
    const auto whole = sim.run(engine.resume(kept[1]));
    BOOST_TEST(whole.state.trail == "abcd");
    BOOST_TEST(whole.spent.tool_calls == 4u);
    BOOST_TEST(whole.correlation_id == "c");
    BOOST_TEST(kept[1].state.trail == "ab");
    BOOST_TEST(sim.run(make({.max_steps = 2}).resume(kept[1])).state.trail == "abcd");  // two steps are left to do
    BOOST_CHECK_THROW(sim.run(make({.max_tool_calls = 3}).resume(kept[1])), weft::turn_limit_error);
}

BOOST_AUTO_TEST_CASE(a_checkpoint_written_by_hand)
{
    const auto engine = nodes("abc").add_edge("a", "b").add_edge("b", "c").build();
    weft::testing::simulation sim{1};
    const auto at = [](std::string node) { return weft::turn_checkpoint<notes>{"c", std::move(node), 0, {"!", 0}, {}, {}}; };
    BOOST_TEST(sim.run(engine.resume(at("b"))).state.trail == "!bc");
    BOOST_TEST(sim.run(engine.resume(at("__END__"))).state.trail == "!");
    BOOST_TEST(has(error_of([&] { sim.run(engine.resume(at("x"))); }), "Node 'x' does not exist."));
}

BOOST_AUTO_TEST_CASE(a_run_that_is_paused_gives_a_checkpoint)
{
    std::stop_source pause;
    graph_type graph = nodes("ab");
    graph.add_node("p", [&pause](notes&) { pause.request_stop(); }).add_edge("a", "p").add_edge("p", "b");
    const auto engine = graph.build();
    const auto paused = run(engine, {}, request_type{}.pause(pause.get_token()));
    BOOST_REQUIRE(paused.paused_at.has_value());
    BOOST_TEST(paused.paused_at->current_node == "b");
    weft::testing::simulation sim{1};
    BOOST_TEST(sim.run(engine.resume(*paused.paused_at)).state.trail == "ab");
}

namespace {

/** Runs the engine once more, unless this is that run. */
weft::task<void> run_within(notes& outer, const engine_type& with)
{
    if (outer.number > 0) co_return;
    notes first{"inner", 1};
    const auto inner = co_await with.run(std::move(first));
    outer.trail = inner.state.trail + std::to_string(inner.spent.tool_calls);
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_engine_serves_runs_at_once_and_within_its_own_nodes)
{
    std::optional<engine_type> engine;
    const auto nest = [&engine](notes& state) { return run_within(state, *engine); };
    const auto spend = [](notes&, turn_context& context) { context.report_tool_call(3); };
    graph_type graph;
    graph.add_node("a", nest).add_node("b", spend).add_edge("a", "b").set_entry_point("a");
    engine = graph.build({.limits = {.max_tool_calls = 4}});
    const auto result = run(*engine);
    BOOST_TEST(result.state.trail == "inner3");
    BOOST_TEST(result.spent.tool_calls == 3u);
}

BOOST_AUTO_TEST_CASE(hooks_stand_around_every_node_and_their_failures_count)
{
    std::string seen;
    options_type options;
    options.on_before_node = [&seen](std::string_view node, const notes& s) { seen.append("<").append(node).append(s.trail); };
    options.on_after_node = [&seen](std::string_view, const notes& s) { seen.append(s.trail).append(">"); };
    run(nodes("ab").add_edge("a", "b").build(options));
    BOOST_TEST(seen == "<aa><baab>");
    options.on_after_node = [](std::string_view, const notes&) { throw std::logic_error{"hook"}; };
    const auto engine = nodes("a").build(options);
    BOOST_CHECK_THROW(run(engine), std::logic_error);
    BOOST_TEST(engine.dead_letters().size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
