#include <boost/test/unit_test.hpp>

#include "graph/graphs.hpp"
#include "scheduler_script.hpp"

using namespace weft_tests;
using weft::command;

BOOST_AUTO_TEST_SUITE(scheduler_routing_test)

namespace {

auto holds(bool yes)
{
    return [yes](const weft::state_view&) { return yes; };
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_label_leads_where_its_edge_does)
{
    weft::graph_builder builder = graph_of("abc");
    builder.edge(weft::start, "a").edge_label("a", {{"left", "b"}, {"right", "c"}, {"out", std::string{weft::end}}});
    scheduler_script script{builder.build()};
    script.begin();
    BOOST_TEST(script.answer("a", command::label("right")) == "start c");
    scheduler_script ends{builder.build()};
    ends.begin();
    BOOST_TEST(ends.answer("a", command::label("out")) == "finish finished clean");
}

BOOST_AUTO_TEST_CASE(PYA_2_an_unknown_label_fails_the_node_and_lists_the_labels)
{
    weft::graph_builder builder = graph_of("abc");
    builder.edge(weft::start, "a").edge_label("a", {{"left", "b"}, {"right", "c"}});
    scheduler_script script{builder.build()};
    script.begin();
    BOOST_TEST(script.answer("a", command::label("rigth")) == "finish failed failed");
    BOOST_TEST((script.scheduler().course().why()->code == weft::errc::unknown_label));
    BOOST_TEST(script.scheduler().course().why()->message.find("'rigth'; the node has the labels 'left', 'right'") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_node_with_labels_only_must_answer_with_one)
{
    weft::graph_builder builder = graph_of("ab");
    builder.edge(weft::start, "a").edge_label("a", {{"on", "b"}});
    scheduler_script script{builder.build()};
    script.begin();
    BOOST_TEST(script.ok("a") == "finish failed failed");
    BOOST_TEST((script.scheduler().course().why()->code == weft::errc::no_edge_matched));
}

BOOST_AUTO_TEST_CASE(with_first_match_only_the_first_edge_that_matches_is_taken)
{
    const auto begun = [](auto describe) {
        weft::graph_builder builder = graph_of("abcd");
        builder.routing(weft::routing::first_match).edge(weft::start, "a");
        describe(builder);
        for (const char* node : {"b", "c", "d"}) builder.edge(node, weft::end);
        scheduler_script script{builder.build()};
        script.begin();
        return script.ok("a");
    };
    BOOST_TEST(begun([](auto& b) { b.edge("a", "b").edge("a", "c").edge("a", "d"); }) == "start b");
    BOOST_TEST(begun([](auto& b) { b.edge_when("a", "b", holds(false)).edge("a", "c").edge("a", "d"); }) == "start c");
    BOOST_TEST(begun([](auto& b) { b.edge("a", "b").edge_when("a", "c", holds(true)).edge("a", "d"); }) == "start b");
    BOOST_TEST(begun([](auto& b) {
                   b.edge_when("a", "b", holds(true)).edge_when("a", "c", holds(true)).edge("a", "d");
               }) == "start b");
    BOOST_TEST(begun([](auto& b) {
                   b.edge("a", "b").edge("a", "c", {.priority = 1}).edge_when("a", "d", holds(true), {.priority = 2});
               }) == "start d");
}

BOOST_AUTO_TEST_CASE(first_match_may_be_chosen_for_one_node)
{
    weft::graph_builder builder = graph_of("bcde");
    builder.node("a", [] {}, {.routing = weft::routing::first_match});
    add_edges(builder, "^a ab ac bd be");
    scheduler_script script{builder.build()};
    script.begin();
    BOOST_TEST(script.ok("a") == "start b");
    BOOST_TEST(script.ok("b") == "start d, start e");
}

BOOST_AUTO_TEST_CASE(a_model_is_asked_only_if_no_condition_holds)
{
    const auto graph = [](bool yes) {
        weft::graph_builder builder = graph_of("abcd");
        builder.edge(weft::start, "a").edge_when("a", "b", holds(yes)).edge("a", "d");
        builder.edge_llm("a", {"c", "d"}, {.fallback = "d"});
        return builder.build();
    };
    scheduler_script conditional{graph(true)};
    conditional.begin();
    BOOST_TEST(conditional.ok("a") == "start b");
    scheduler_script asked{graph(false)};
    asked.begin();
    BOOST_TEST(asked.ok("a") == "decide a");
    BOOST_TEST(asked.decide("a", "c") == "start c");
}

BOOST_AUTO_TEST_CASE(what_a_model_chooses_goes_beside_the_edges_on_success)
{
    weft::graph_builder builder = graph_of("abc");
    builder.edge(weft::start, "a").edge_on_success("a", "b").edge_llm("a", {"c"}, {.fallback = "c"});
    scheduler_script script{builder.build()};
    script.begin();
    script.ok("a");
    BOOST_TEST(script.decide("a", "c") == "start b, start c");
}

BOOST_AUTO_TEST_CASE(a_stop_reaches_a_model_that_is_being_asked)
{
    weft::graph_builder builder = graph_of("ab");
    builder.edge(weft::start, "a").edge_llm("a", {"b"}, {.fallback = "b"});
    scheduler_script script{builder.build()};
    script.begin();
    script.ok("a");
    BOOST_TEST(script.stop() == "stop a");
    BOOST_TEST(script.decide("a", "b") == "finish cancelled failed");
}

BOOST_AUTO_TEST_CASE(a_kept_frontier_asks_the_model_anew)
{
    weft::graph_builder builder = graph_of("ab");
    builder.edge(weft::start, "a").edge_llm("a", {"b"}, {.fallback = "b"});
    const weft::graph graph = builder.build();
    scheduler_script first{graph};
    first.begin();
    first.ok("a");
    scheduler_script second{graph, weft::frontier{first.where()}};
    BOOST_TEST(second.begin() == "decide a");
    BOOST_TEST(second.decide("a", "b") == "start b");
}

BOOST_AUTO_TEST_CASE(a_deferred_node_runs_once_when_everything_else_has_ended)
{
    weft::graph_builder builder = graph_of("abc");
    builder.node("z", [] {}, {.is_deferred = true});
    add_edges(builder, "^a ab ac bz cz");
    scheduler_script script{builder.build()};
    script.begin();
    script.ok("a");
    BOOST_TEST(script.ok("b") == "");
    BOOST_TEST(script.ok("c") == "start z");
    BOOST_TEST(script.ok("z") == "finish finished clean");
    BOOST_TEST(joined(script.path()) == "a b c z");
}

BOOST_AUTO_TEST_CASE(a_deferred_node_does_not_hold_its_branch)
{
    weft::graph_builder builder = graph_of("abcd");
    builder.node("z", [] {}, {.is_deferred = true});
    add_edges(builder, "^a ab ac bz cd dz");
    scheduler_script script{builder.build()};
    script.begin();
    script.ok("a");
    script.ok("b");
    BOOST_TEST(script.ok("c") == "start d");
    BOOST_TEST(script.ok("d") == "start z");
}

BOOST_AUTO_TEST_CASE(values_move_along_an_edge)
{
    weft::graph_builder builder = graph_of("ab");
    builder.edge(weft::start, "a").edge("a", "b", {.map = {{"other", "value"}, {"total", "other"}}});
    scheduler_script script{builder.build()};
    script.begin();
    script.ok("a", weft::state_update{}.set(value, 4));
    BOOST_TEST(script.state().get(other) == 4);
    BOOST_TEST(script.state().find(total) == nullptr);
}

BOOST_AUTO_TEST_CASE(in_a_fan_out_values_move_into_the_branch_alone)
{
    weft::graph_builder builder = graph_of("abcd");
    builder.edge(weft::start, "a").edge("a", "b", {.map = {{"other", "value"}}}).edge("a", "c");
    builder.edge("b", "d").edge("c", "d");
    scheduler_script script{builder.build()};
    script.begin();
    script.ok("a", weft::state_update{}.set(value, 4));
    const auto seen = [&](weft::branch_index t) { return weft::state_view{script.scheduler().view_of(t)}.find(other); };
    BOOST_REQUIRE(seen(1));
    BOOST_TEST(*seen(1) == 4);
    BOOST_TEST(!seen(2));
    script.ok("b");
    script.ok("c");
    BOOST_TEST(script.state().find(other) == nullptr);
}

BOOST_AUTO_TEST_CASE(HIV_11_a_revisit_clears_what_may_be_stale)
{
    weft::graph_builder builder = graph_of("b");
    builder.node("a", [] {}, {.clears = {"value"}});
    add_edges(builder, "^a ab ba");
    scheduler_script script{builder.build()};
    script.begin();
    script.ok("a", weft::state_update{}.set(value, 1).set(other, 2));
    BOOST_TEST(script.state().get(value) == 1);
    script.ok("b");
    BOOST_TEST(script.state().find(value) == nullptr);
    BOOST_TEST(script.state().get(other) == 2);
}

BOOST_AUTO_TEST_CASE(a_limit_of_steps_may_end_the_run_without_failing_it)
{
    weft::schedule_limits limits;
    limits.steps_max = 2;
    limits.fails_at_limit = false;
    scheduler_script script{plain_graph("ab", "^a ab ba").build(), limits};
    script.begin();
    script.ok("a", weft::state_update{}.set(value, 1));
    BOOST_TEST(script.ok("b") == "finish finished degraded");
    BOOST_TEST(script.scheduler().course().was_cut_short());
    BOOST_TEST(script.state().get(value) == 1);
}

BOOST_AUTO_TEST_CASE(a_node_may_run_only_so_often_in_a_row)
{
    weft::schedule_limits limits;
    limits.in_a_row_max = 3;
    scheduler_script script{plain_graph("ab", "^a ab ba").build(), limits};
    script.begin();
    for (int round = 0; round < 2; ++round) {
        BOOST_TEST(script.answer("a", command::again()) == "start a");
        BOOST_TEST(script.answer("a", command::again()) == "start a");
        BOOST_TEST(script.ok("a") == "start b");
        BOOST_TEST(script.ok("b") == "start a");
    }
    script.answer("a", command::again());
    script.answer("a", command::again());
    BOOST_TEST(script.answer("a", command::again()) == "finish failed failed");
    BOOST_TEST((script.scheduler().course().why()->code == weft::errc::node_repeated));
}

BOOST_AUTO_TEST_SUITE_END()
