#include <boost/test/unit_test.hpp>

#include "engine/nodes.hpp"

#include <weft/engine/scheduler/frontier.hpp>
#include <weft/engine/trace/run_overlay_recorder.hpp>
#include <weft/graph/drawing.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(run_overlay_recorder_test)

namespace {

bool holds(const weft::state_view&) { return true; }
bool fails_to_hold(const weft::state_view&) { return false; }

weft::run_request watched(weft::run_overlay_recorder& recorder, weft::run_options limits = {})
{
    return weft::run_request{}
        .options(std::move(limits))
        .on_event([&recorder](const weft::run_event& event) { recorder.add(event); });
}

weft::run_overlay recorded(const weft::graph& g, weft::run_options limits = {})
{
    weft::run_overlay_recorder recorder{g};
    simulate(g, watched(recorder, std::move(limits)));
    return recorder.overlay();
}

using counts = std::vector<std::uint32_t>;

void check_equal(const counts& found, const counts& expected)
{
    BOOST_TEST(found == expected, boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_CASE(visits_times_and_edges_are_counted)
{
    const auto g = empty_graph()
                       .node("a", sleeps(2s)).node("b", [](weft::node_context& c) {
                           return c.visit() < 3 ? weft::command::label("again") : weft::command::label("done");
                       })
                       .edge(weft::start, "a").edge("a", "b")
                       .edge_label("b", {{"again", "a"}, {"done", std::string{weft::end}}})
                       .build();
    const weft::run_overlay ran = recorded(g);
    BOOST_TEST(ran.nodes[1].visits == 3u);
    BOOST_TEST((ran.nodes[1].elapsed == 6s));
    BOOST_TEST(ran.nodes[2].visits == 3u);
    check_equal(ran.edges, {1, 3, 2, 1});
    BOOST_TEST(ran.jumps.empty());
    BOOST_TEST(ran.steps == 6u);
    BOOST_TEST(ran.termination == "finished");
    BOOST_TEST(!ran.was_cut_short);
}

BOOST_AUTO_TEST_CASE(AGE_9_of_two_edges_between_the_same_nodes_only_the_one_that_was_taken_has_fired)
{
    const auto g = empty_graph()
                       .node("a", [] {}).node("b", [] {})
                       .edge(weft::start, "a")
                       .edge_when("a", "b", fails_to_hold, {.label = "first"})
                       .edge_when("a", "b", holds, {.label = "second"})
                       .edge("b", weft::end)
                       .build();
    const weft::run_overlay ran = recorded(g);
    check_equal(ran.edges, {1, 0, 1, 1});
    const auto dag = weft::to_dag_json(g, {.overlay = ran});
    std::string fired;
    for (const auto& edge : dag.at("graphEdges").as_array()) fired += edge.at("fired").as_bool() ? '1' : '0';
    BOOST_TEST(fired == "011");
    BOOST_TEST(dag.at("graphTerminationReason") == "terminal");
    BOOST_TEST(dag.at("graphStepsRun").as_int64() == 2);
}

BOOST_AUTO_TEST_CASE(all_edges_of_a_fan_out_fire_those_to_the_end_too)
{
    const auto g = empty_graph()
                       .node("a", [] {}).node("b", [] {}).node("c", [] {}).node("j", [] {})
                       .edge(weft::start, "a")
                       .edge_on_success("a", "b")
                       .edge_when("a", "c", holds)
                       .edge("a", weft::end)
                       .edge_on_success("a", weft::end)
                       .edge("b", "j").edge("c", "j").edge("j", weft::end)
                       .build();
    check_equal(recorded(g).edges, {1, 1, 1, 0, 1, 1, 1, 1});
}

BOOST_AUTO_TEST_CASE(two_edges_that_lead_to_one_node_both_fire)
{
    const auto g = empty_graph()
                       .node("a", [] {}).node("b", [] {})
                       .edge(weft::start, "a").edge_on_success("a", "b").edge_when("a", "b", holds)
                       .edge("b", weft::end)
                       .build();
    const weft::run_overlay ran = recorded(g);
    check_equal(ran.edges, {1, 1, 1, 1});
    BOOST_TEST(ran.nodes[2].visits == 1u);
}

BOOST_AUTO_TEST_CASE(ways_without_an_edge_are_kept_by_source_and_target)
{
    const auto g = empty_graph()
                       .node("a", [](weft::node_context& c) {
                           return c.visit() < 3 ? weft::command::go_to("a") : weft::command::go_to("b");
                       }, {.goes_to = {"a", "b"}})
                       .node("b", [] {})
                       .edge(weft::start, "a")
                       .build();
    const weft::run_overlay ran = recorded(g);
    check_equal(ran.edges, {1});
    BOOST_TEST(ran.times_jumped(1, 1) == 2u);
    BOOST_TEST(ran.times_jumped(1, 2) == 1u);
    BOOST_TEST(ran.times_jumped(2, weft::end_node) == 1u);
    BOOST_TEST(ran.times_jumped(2, 1) == 0u);
}

BOOST_AUTO_TEST_CASE(a_model_without_an_answer_leads_along_the_fallback)
{
    auto builder = empty_graph();
    builder.node("a", [] {}).node("b", [] {}).node("c", [] {}).edge(weft::start, "a");
    builder.edge_llm("a", {"b"}, {.fallback = "c"});
    const weft::run_overlay ran = recorded(builder.build());
    check_equal(ran.edges, {1, 0});
    BOOST_TEST(ran.times_jumped(1, 3) == 1u);
    auto among = empty_graph();
    among.node("a", [] {}).node("b", [] {}).node("c", [] {}).edge(weft::start, "a");
    among.edge_llm("a", {"b", "c"}, {.fallback = "c"});
    check_equal(recorded(among.build()).edges, {1, 0, 1});
}

BOOST_AUTO_TEST_CASE(failures_are_told_from_attempts_that_succeed_later_and_from_stops)
{
    const auto g = empty_graph()
                       .node("mended", [](weft::node_context& c) {
                           if (c.attempt() < 3) throw weft::error{weft::errc::model_overloaded, "test"};
                       }, {.retry = {.attempts_max = 3}})
                       .node("slow", sleeps(1h)).node("broken", fails(1min)).node("join", [] {}).node("last", [] {})
                       .edge(weft::start, "mended").edge("mended", "slow").edge("mended", "broken")
                       .edge("slow", "join").edge("broken", "join").edge("join", weft::end)
                       .edge_on_failure("mended", "last")
                       .build();
    const weft::run_overlay ran = recorded(g);
    BOOST_TEST(ran.nodes[1].failures == 2u);
    BOOST_TEST(!ran.nodes[1].has_failed);
    BOOST_TEST(ran.nodes[1].visits == 1u);
    BOOST_TEST(ran.nodes[2].failures == 0u);
    BOOST_TEST((ran.nodes[2].elapsed == 1min));
    BOOST_TEST(ran.nodes[3].failures == 1u);
    BOOST_TEST(ran.nodes[3].has_failed);
    BOOST_TEST(ran.nodes[4].visits == 0u);
}

BOOST_AUTO_TEST_CASE(what_happens_within_a_node_is_kept_apart_whatever_the_node_is_called)
{
    auto innermost = empty_graph("innermost").node("x", sleeps(1s)).edge(weft::start, "x").build();
    auto inner = empty_graph("inner")
                     .node("a/b", weft::subgraph{innermost}).node("x", sleeps(3s))
                     .edge(weft::start, "a/b").edge("a/b", "x")
                     .build();
    const auto g = empty_graph()
                       .node("a", weft::subgraph{inner}).node("again", [](weft::node_context& c) {
                           return c.visit() < 2 ? weft::command::go_to("a") : weft::command::end();
                       }, {.goes_to = {"a"}})
                       .edge(weft::start, "a").edge("a", "again")
                       .build();
    const weft::run_overlay ran = recorded(g);
    BOOST_TEST(ran.steps == 4u);
    const weft::run_overlay* within = ran.within(1);
    BOOST_REQUIRE(within);
    BOOST_TEST(within->nodes[2].visits == 2u);
    BOOST_TEST((within->nodes[2].elapsed == 6s));
    BOOST_TEST(within->termination == "finished");
    const weft::run_overlay* deepest = within->within(1);
    BOOST_REQUIRE(deepest);
    BOOST_TEST(deepest->nodes[1].visits == 2u);
    BOOST_TEST((deepest->nodes[1].elapsed == 2s));
    BOOST_TEST(!ran.within(2));
}

BOOST_AUTO_TEST_CASE(a_limit_of_steps_is_told)
{
    const auto g = empty_graph().node("a", [] {}).edge(weft::start, "a").edge("a", "a").build();
    weft::run_options limits;
    limits.steps_max(3).at_limit(weft::step_limit_action::return_last);
    const weft::run_overlay ran = recorded(g, limits);
    BOOST_TEST(ran.was_cut_short);
    BOOST_TEST(ran.termination == "finished");
    BOOST_TEST(ran.steps == 3u);
}

BOOST_AUTO_TEST_CASE(a_run_that_was_paused_goes_on_in_the_same_recorder)
{
    const auto g = empty_graph()
                       .node("a", sleeps(1s)).node("b", sleeps(1s))
                       .edge(weft::start, "a").edge("a", "b").edge("b", weft::end)
                       .build();
    weft::run_overlay_recorder recorder{g};
    std::shared_ptr<const weft::frontier> kept;
    weft::run_options limits;
    limits.on_save([&kept](const weft::frontier& at) {
        if (!kept) kept = std::make_shared<const weft::frontier>(at);
    });
    simulate(g, watched(recorder, limits));
    BOOST_REQUIRE(kept);
    simulate(g, watched(recorder).resume(kept));
    BOOST_TEST(recorder.overlay().nodes[1].visits == 1u);
    BOOST_TEST(recorder.overlay().nodes[2].visits == 1u);
    BOOST_TEST(recorder.overlay().steps == 2u);
}

BOOST_AUTO_TEST_CASE(events_of_strangers_do_no_harm)
{
    const auto g = empty_graph().node("a", [] {}).edge(weft::start, "a").build();
    weft::run_overlay_recorder recorder{g};
    weft::run_event event;
    event.what = weft::run_event::kind::node_started;
    event.node = "unknown";
    recorder.add(event);
    event.address = "a/b";
    recorder.add(event);
    event.address.clear();
    event.what = weft::run_event::kind::edge_taken;
    event.edge = 77;
    recorder.add(event);
    BOOST_TEST(recorder.overlay().steps == 0u);
    check_equal(recorder.overlay().edges, {0});
}

BOOST_AUTO_TEST_SUITE_END()
