#include "turn_graphs.hpp"

using namespace weft_tests;
using namespace std::chrono_literals;
using weft::turn_context;
using weft::turn_end;

BOOST_AUTO_TEST_SUITE(turn_runs_test)

BOOST_AUTO_TEST_CASE(IVY_22_a_failure_is_kept_with_the_state_before_it_and_thrown)
{
    graph_type graph = nodes("a");
    const auto spoil = [](notes& state) {
        state.trail += "spoilt";
        throw std::logic_error{"broken"};
    };
    graph.add_node("b", spoil).add_edge("a", "b");
    const auto engine = graph.build();
    BOOST_CHECK_THROW(run_turns(engine, {"-", 0}, request_type{}.correlation_id("c-1")), std::logic_error);
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
    BOOST_CHECK_THROW(run_turns(engine), std::logic_error);
    const auto letters = engine.dead_letters();
    BOOST_REQUIRE(letters.size() == 1u);
    BOOST_TEST(letters[0].node_id == "b");
    BOOST_TEST(letters[0].state.trail == "a");
}

BOOST_AUTO_TEST_CASE(IVY_22_dead_letters_are_bounded)
{
    graph_type graph;
    const auto fail = [](notes& state) { throw std::logic_error{std::to_string(state.number)}; };
    graph.add_node("a", fail).set_entry_point("a");
    const auto engine = graph.build({.dead_letters_max = 2});
    for (int i = 0; i < 5; ++i) BOOST_CHECK_THROW(run_turns(engine, {"", i}), std::logic_error);
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
    BOOST_TEST(run_turns(graph.build()).state.trail == "aba");
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
    const auto keep = [&kept](const weft::turn_checkpoint<notes>& at) { kept.push_back(at); };
    run_turns(engine, {}, request_type{}.correlation_id("c").on_checkpoint(keep));
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
    const auto at = [](std::string node) {
        return weft::turn_checkpoint<notes>{"c", std::move(node), 0, {"!", 0}, {}, {}};
    };
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
    const auto paused = run_turns(engine, {}, request_type{}.pause(pause.get_token()));
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
    const auto result = run_turns(*engine);
    BOOST_TEST(result.state.trail == "inner3");
    BOOST_TEST(result.spent.tool_calls == 3u);
}

BOOST_AUTO_TEST_CASE(hooks_stand_around_every_node_and_their_failures_count)
{
    std::string seen;
    options_type options;
    options.on_before_node = [&seen](std::string_view node, const notes& s) {
        seen.append("<").append(node).append(s.trail);
    };
    options.on_after_node = [&seen](std::string_view, const notes& s) { seen.append(s.trail).append(">"); };
    run_turns(nodes("ab").add_edge("a", "b").build(options));
    BOOST_TEST(seen == "<aa><baab>");
    options.on_after_node = [](std::string_view, const notes&) { throw std::logic_error{"hook"}; };
    const auto engine = nodes("a").build(options);
    BOOST_CHECK_THROW(run_turns(engine), std::logic_error);
    BOOST_TEST(engine.dead_letters().size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
