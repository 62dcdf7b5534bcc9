#include <boost/test/unit_test.hpp>

#include "nodes.hpp"

#include <weft/engine/run_handle.hpp>
#include <weft/engine/scheduler/frontier.hpp>

using namespace weft_tests;
using weft::command;

BOOST_AUTO_TEST_SUITE(subgraph_test)

namespace {

weft::graph inner_of(auto work)
{
    return empty_graph("inner").node("x", work).node("y", writes(1ms, 7)).edge(weft::start, "x").edge("x", "y").build();
}

weft::graph outer_of(weft::subgraph inner, weft::node_options options = {})
{
    return empty_graph("outer")
        .node("a", writes(1ms, 1)).node("in", std::move(inner), std::move(options)).node("z", [] {})
        .edge(weft::start, "a").edge("a", "in").edge("in", "z")
        .build();
}

}  // namespace

BOOST_AUTO_TEST_CASE(keys_of_the_same_name_are_shared)
{
    std::int64_t seen = 0;
    const auto look = [&](weft::node_context& context) { seen = context.get(value); };
    const auto result = simulate(outer_of(weft::subgraph{inner_of(look)}));
    BOOST_TEST((result.status == weft::run_status::finished));
    BOOST_TEST(seen == 1);
    BOOST_TEST(result.state.get(value) == 7);
    BOOST_TEST(path_of(result) == "a in z");
}

BOOST_AUTO_TEST_CASE(with_mappings_only_what_they_name_moves)
{
    const auto look = [](weft::node_context& context) { context.set(other, context.get(value) + 100); };
    auto inner = weft::subgraph{.graph = inner_of(look),
                                .inputs = {{"value", "value"}},
                                .outputs = {{"total", "other"}}};
    const auto result = simulate(outer_of(std::move(inner)));
    BOOST_TEST(result.state.get(value) == 1);
    BOOST_TEST(result.state.get(total) == 101);
    BOOST_TEST(result.state.find(other) == nullptr);
}

BOOST_AUTO_TEST_CASE(mistakes_in_mappings_are_told_when_the_graph_is_built)
{
    const auto mistakes = [](weft::subgraph inner) {
        weft::graph_builder builder = empty_graph();
        builder.node("in", std::move(inner)).edge(weft::start, "in");
        auto built = builder.try_build();
        return std::get<std::vector<std::string>>(built);
    };
    const weft::graph inner = inner_of([] {});
    const auto unknown = mistakes(weft::subgraph{.graph = inner,
                                                 .inputs = {{"nope", "value"}},
                                                 .outputs = {{"value", "words"}}});
    BOOST_REQUIRE(unknown.size() == 2u);
    BOOST_TEST(unknown[0].find("graph 'inner' does not declare 'nope'") != std::string::npos);
    BOOST_TEST(unknown[1].find("different types") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_failure_inside_fails_the_node_and_names_both)
{
    const auto result = simulate(outer_of(weft::subgraph{inner_of(fails(1ms))}));
    BOOST_TEST((result.why->code == weft::errc::model_rejected));
    BOOST_TEST(result.why->node == "in");
    BOOST_TEST(result.message().find("graph 'inner'") != std::string::npos);
    BOOST_TEST(result.message().find("node 'x', visit 1") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_retry_of_the_node_begins_the_graph_anew)
{
    int runs = 0;
    const auto work = [&runs](weft::node_context&) {
        if (++runs < 3) throw std::runtime_error{"not yet"};
    };
    const auto result = simulate(outer_of(weft::subgraph{inner_of(work)}, tries(3)));
    BOOST_TEST((result.status == weft::run_status::finished));
    BOOST_TEST(runs == 3);
    BOOST_TEST(result.retries == 2u);
    BOOST_TEST((result.quality == weft::run_quality::clean));
}

BOOST_AUTO_TEST_CASE(its_limit_of_steps_is_its_own)
{
    const auto again = [](weft::node_context& context) {
        return context.visit() < 5 ? weft::command::again() : weft::command::next();
    };
    BOOST_TEST((simulate(outer_of(weft::subgraph{.graph = inner_of(again),
                                                 .steps_max = 6})).status == weft::run_status::finished));
    const auto result = simulate(outer_of(weft::subgraph{.graph = inner_of(again), .steps_max = 4}));
    BOOST_TEST((result.why->code == weft::errc::steps_exceeded));
}

BOOST_AUTO_TEST_CASE(events_from_inside_carry_the_way_there)
{
    const weft::graph middle = empty_graph("middle").node("deep", weft::subgraph{inner_of([] {})})
                                   .edge(weft::start, "deep").build();
    std::vector<std::string> started;
    std::uint64_t last = 0;
    bool is_dense = true;
    const auto watch = [&](const weft::run_event& event) {
        is_dense &= event.sequence == ++last;
        if (event.what == weft::run_event::kind::node_started)
            started.push_back(event.address + ":" + std::string{event.node});
    };
    simulate(outer_of(weft::subgraph{middle}), weft::run_request{}.on_event(watch));
    const std::vector<std::string> expected{":a", ":in", "in:deep", "in/deep:x", "in/deep:y", ":z"};
    BOOST_TEST(started == expected, boost::test_tools::per_element());
    BOOST_TEST(is_dense);
}

BOOST_AUTO_TEST_CASE(a_stop_of_the_run_reaches_inside)
{
    weft::testing::simulation sim{1};
    std::stop_source stop;
    const auto halt = [&stop](weft::node_context& context) {
        stop.request_stop();
        return sleep_node(context, 1h);
    };
    const auto result =
        run_in(sim, outer_of(weft::subgraph{inner_of(halt)}), weft::run_request{}.stop(stop.get_token()));
    BOOST_TEST((result.status == weft::run_status::cancelled));
    BOOST_TEST((sim.elapsed() < 1s));
}

BOOST_AUTO_TEST_CASE(a_timeout_of_the_node_reaches_inside)
{
    weft::testing::simulation sim{1};
    const auto result = run_in(sim, outer_of(weft::subgraph{inner_of(sleeps(1h))}, {.timeout = 5s}));
    BOOST_TEST((result.why->code == weft::errc::node_timeout));
    BOOST_TEST((sim.elapsed() < 10s));
}

namespace {

weft::task<weft::run_result> pause_soon(weft::engine engine, weft::run_request request)
{
    weft::run_handle running = co_await engine.start(std::move(request));
    co_await weft::sleep_for(5ms);
    running.pause();
    weft::run_result result = co_await running.result();
    co_return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_pause_stops_inside_and_a_resume_goes_on_there)
{
    int first = 0;
    const auto slow = [&first](weft::node_context& context) {
        ++first;
        return sleep_node(context, 20ms);
    };
    const weft::graph graph = outer_of(weft::subgraph{inner_of(slow)});
    weft::testing::simulation sim{1};
    const weft::run_result paused = sim.run(pause_soon(weft::engine{graph}, weft::run_request{}));
    BOOST_REQUIRE((paused.status == weft::run_status::paused));
    BOOST_TEST(first == 1);
    const auto resumed = simulate(graph, weft::run_request{}.resume(paused.paused_at));
    BOOST_TEST((resumed.status == weft::run_status::finished));
    BOOST_TEST(first == 1);  // the inner node that had completed does not run again
    BOOST_TEST(resumed.state.get(value) == 7);
    BOOST_TEST(resumed.steps == 3u);
}

BOOST_AUTO_TEST_CASE(a_pause_reaches_all_graphs_that_wait)
{
    const auto inner = [] {
        return weft::subgraph{empty_graph("inner").node("n", fails(1ms), tries(9, 1h)).edge(weft::start, "n").build()};
    };
    weft::graph_builder builder = empty_graph("outer");
    builder.node("s", [] {}).node("x", inner()).node("y", inner()).edge(weft::start, "s");
    const weft::engine engine{builder.edge("s", "x").edge("s", "y").build()};
    weft::testing::simulation sim{1};
    const weft::run_result result = sim.run(pause_soon(engine, weft::run_request{}));
    BOOST_TEST((result.status == weft::run_status::paused));
    BOOST_TEST((sim.elapsed() < 1s));
}

BOOST_AUTO_TEST_CASE(a_kept_frontier_remembers_where_it_stood_inside)
{
    int first = 0;
    const weft::graph graph = outer_of(weft::subgraph{inner_of([&first](weft::node_context&) { ++first; })});
    std::vector<weft::frontier> kept;
    auto options = weft::run_options{}.on_save([&](const weft::frontier& where) { kept.push_back(where); });
    simulate(graph, weft::run_request{}.options(std::move(options)));
    for (const weft::frontier& from : kept) {
        const int before = first;
        const auto result = simulate(graph, weft::run_request{}.resume(std::make_shared<const weft::frontier>(from)));
        BOOST_TEST((result.status == weft::run_status::finished));
        BOOST_TEST(result.state.get(value) == 7);
        const bool has_inner = from.extras && !from.extras->inner.empty();
        if (has_inner) BOOST_TEST(first == before);
    }
    BOOST_TEST(kept.size() == 3u);
}

BOOST_AUTO_TEST_CASE(what_an_inner_node_wrote_before_a_pause_is_not_lost)
{
    const auto mark = [](weft::node_context& context) { context.set(other, 5); };
    const weft::graph inner = empty_graph("inner")
        .node("x", mark).node("y", [] {}, {.pauses = weft::pause_point::before})
        .edge(weft::start, "x").edge("x", "y")
        .build();
    const weft::graph graph = outer_of(weft::subgraph{inner});
    const auto paused = simulate(graph);
    BOOST_REQUIRE((paused.status == weft::run_status::paused));
    BOOST_TEST(paused.state.find(other) == nullptr);
    const auto resumed = simulate(graph, weft::run_request{}.resume(paused.paused_at));
    BOOST_TEST(resumed.message() == "finished");
    BOOST_TEST(resumed.state.get(other) == 5);
}

BOOST_AUTO_TEST_CASE(functions_make_the_inputs_and_take_the_outputs)
{
    const auto make = [](const weft::node_context& outer) {
        return weft::state_update{}.set(value, outer.get(value) + 1);
    };
    const auto take = [](const weft::state& inner, weft::node_context& outer) {
        outer.set(total, inner.get(value) * 100 + inner.get(other));
        return command::go_to("far");
    };
    const auto work = [](weft::node_context& context) { context.set(other, context.get(value)); };
    weft::subgraph unshared{
        .graph = inner_of(work), .shares_keys = false, .make_inputs = make, .take_outputs = take};
    const weft::graph graph = empty_graph("outer")
        .node("a", writes(1ms, 1))
        .node("in", unshared, {.goes_to = {"far"}})
        .node("near", [] {}).node("far", [] {})
        .edge(weft::start, "a").edge("a", "in").edge("in", "near")
        .build();
    const auto result = simulate(graph);
    BOOST_TEST(path_of(result) == "a in far");
    BOOST_TEST(result.state.get(total) == 703);  // `y` leaves 7, `x` has seen 2, `a` has added 1
    BOOST_TEST(result.state.get(value) == 1);
    const auto broken = [](const weft::state&, weft::node_context&) -> command {
        throw std::runtime_error{"no output"};
    };
    unshared.take_outputs = broken;
    const auto failed = simulate(outer_of(unshared));
    BOOST_TEST(failed.why->node == "in");
    BOOST_TEST(failed.message().find("no output") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(functions_come_beside_what_is_shared)
{
    const auto take = [](const weft::state& inner, weft::node_context& outer) {
        outer.overwrite(total, inner.get(value));
        return command::end();
    };
    const auto result = simulate(outer_of(weft::subgraph{.graph = inner_of([] {}), .take_outputs = take}));
    BOOST_TEST(path_of(result) == "a in");
    BOOST_TEST(result.state.get(value) == 7);
    BOOST_TEST(result.state.get(total) == 7);
}

BOOST_AUTO_TEST_CASE(what_happens_at_its_limit_of_steps_may_be_its_own)
{
    const auto again = [](weft::node_context&) { return command::again(); };
    const auto inner = [&](std::optional<weft::step_limit_action> at_limit = {}) {
        return weft::subgraph{.graph = inner_of(again), .steps_max = 3, .at_limit = at_limit};
    };
    BOOST_TEST((simulate(outer_of(inner())).status == weft::run_status::failed));
    const auto kept = simulate(outer_of(inner(weft::step_limit_action::return_last)));
    BOOST_TEST(path_of(kept) == "a in z");
    const auto lenient = weft::run_options{}.at_limit(weft::step_limit_action::return_last);
    BOOST_TEST((simulate(outer_of(inner()), with(lenient)).status == weft::run_status::finished));
    BOOST_TEST((simulate(outer_of(inner(weft::step_limit_action::fail)), with(lenient)).status ==
                weft::run_status::failed));
}

BOOST_AUTO_TEST_CASE(AGE_11_a_graph_in_a_loop_and_a_loop_in_a_graph)
{
    const auto count = [](weft::node_context& context) {
        context.set(total, 1);
        return context.visit() < 3 ? weft::command::again() : weft::command::next();
    };
    const weft::graph loop = empty_graph("loop").node("count", count).edge(weft::start, "count").build();
    const auto enough = [](weft::node_context& context) {
        return context.get(total) < 9 ? weft::command::label("more") : weft::command::next();
    };
    const weft::graph outer = empty_graph("outer")
        .node("in", weft::subgraph{loop}).node("check", enough)
        .edge(weft::start, "in").edge("in", "check").edge_label("check", {{"more", "in"}}).edge("check", weft::end)
        .build();
    const auto result = simulate(outer);
    BOOST_TEST(result.state.get(total) == 9);
    BOOST_TEST(path_of(result) == "in check in check in check");
}

BOOST_AUTO_TEST_SUITE_END()
