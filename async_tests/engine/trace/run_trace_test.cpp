#include <boost/test/unit_test.hpp>

#include "engine/run/run_logs.hpp"

#include <weft/base/random.hpp>
#include <weft/engine/trace/run_trace.hpp>
#include <weft/graph/node/subgraph.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(run_trace_test)

namespace {

using weft::run_trace;

run_trace traced(const weft::graph& graph, weft::run_request request = {})
{
    return trace_of(read_lines(log_lines(graph, std::move(request))));
}

std::string seconds_of(run_trace::span time)
{
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

/** The critical path as text: `a 2, ~b 1` is two seconds at work in a and one waiting for b. */
std::string path_of(const run_trace& trace)
{
    std::string text;
    for (const run_trace::step& step : trace.critical_path) {
        text += (text.empty() ? "" : ", ") + std::string{step.is_waiting ? "~" : ""};
        text += (step.visit == run_trace::none ? "end" : trace.visits[step.visit].node) + " ";
        text += seconds_of(step.end - step.start);
    }
    return text;
}

/** The path covers the run without holes, whatever happened in it. */
void check_is_whole(const run_trace& trace)
{
    run_trace::span at{};
    double share = 0;
    for (const run_trace::step& step : trace.critical_path) {
        BOOST_TEST((step.start == at));
        BOOST_TEST((step.end > at));
        at = step.end;
        share += trace.share_of(step);
    }
    BOOST_TEST((at == trace.elapsed));
    if (trace.elapsed.count() > 0) BOOST_TEST(std::abs(share - 1) < 1e-9);
}

/** Nodes with a span each, e.g. {{"a", 1s}}. */
weft::graph_builder sleepers(std::initializer_list<std::pair<const char*, std::chrono::seconds>> nodes)
{
    auto builder = empty_graph();
    for (const auto& [name, span] : nodes) builder.node(name, sleeps(span));
    return builder;
}

}  // namespace

BOOST_AUTO_TEST_CASE(visits_have_their_times_and_outcomes)
{
    const auto graph = sleepers({{"a", 2s}, {"b", 3s}}).edge(weft::start, "a").edge("a", "b").build();
    const run_trace trace = traced(graph);
    BOOST_TEST(trace.graph == "test");
    BOOST_TEST(trace.status == "finished");
    BOOST_TEST(trace.is_complete());
    BOOST_TEST((trace.elapsed == 5s));
    BOOST_REQUIRE(trace.visits.size() == 2u);
    BOOST_TEST((trace.visits[1].start == 2s && trace.visits[1].end == 5s));
    BOOST_TEST((trace.visits[1].how == run_trace::outcome::succeeded));
    BOOST_TEST(trace.visits[1].after == 0u);
    BOOST_TEST(trace.retries() == 0u);
    BOOST_TEST(path_of(trace) == "a 2, b 3");
    BOOST_REQUIRE(trace.edges.size() == 2u);  // the way to the end is one too
    BOOST_TEST(trace.edges[0].source == "a");
    BOOST_TEST(trace.edges[0].node == "b");
    check_is_whole(trace);
}

BOOST_AUTO_TEST_CASE(a_join_waits_for_the_slowest_branch)
{
    auto builder = sleepers({{"a", 1s}, {"quick", 2s}, {"slow", 3s}, {"slower", 4s}, {"j", 1s}});
    add_edges(builder, "");
    const auto graph = builder.edge(weft::start, "a").edge("a", "quick").edge("a", "slow").edge("slow", "slower")
                           .edge("quick", "j").edge("slower", "j").build();
    const run_trace trace = traced(graph);
    BOOST_TEST((trace.elapsed == 9s));
    BOOST_TEST(path_of(trace) == "a 1, slow 3, slower 4, j 1");
    check_is_whole(trace);
}

BOOST_AUTO_TEST_CASE(fan_outs_within_branches_are_followed)
{
    auto builder = sleepers({{"a", 1s}, {"b", 1s}, {"c", 9s}, {"d", 5s}, {"e", 6s}, {"k", 4s}, {"j", 1s}});
    const auto graph = builder.edge(weft::start, "a").edge("a", "b").edge("a", "c").edge("b", "d").edge("b", "e")
                           .edge("d", "k").edge("e", "k").edge("k", "j").edge("c", "j").build();
    const run_trace trace = traced(graph);
    BOOST_TEST(path_of(trace) == "a 1, b 1, e 6, k 4, j 1");
    check_is_whole(trace);
}

BOOST_AUTO_TEST_CASE(branches_that_meet_early_are_followed)
{
    auto builder = sleepers({{"a", 1s}, {"b", 2s}, {"c", 5s}, {"d", 4s}, {"m", 3s}, {"j", 1s}});
    const auto graph = builder.edge(weft::start, "a").edge("a", "b").edge("a", "c").edge("a", "d").edge("b", "m")
                           .edge("c", "m").edge("m", "j").edge("d", "j").build();
    const run_trace trace = traced(graph);
    BOOST_TEST(path_of(trace) == "a 1, c 5, m 3, j 1");
    check_is_whole(trace);
}

BOOST_AUTO_TEST_CASE(a_branch_that_waited_for_a_place_comes_after_who_gave_it)
{
    auto builder = sleepers({{"a", 1s}, {"b", 2s}, {"c", 4s}, {"d", 3s}, {"j", 1s}});
    const auto graph = builder.edge(weft::start, "a").edge("a", "b").edge("a", "c").edge("a", "d").edge("b", "j")
                           .edge("c", "j").edge("d", "j").fan_out("a", {.concurrency_max = 2}).build();
    const run_trace trace = traced(graph);
    BOOST_TEST(path_of(trace) == "a 1, b 2, d 3, j 1");
    BOOST_TEST((trace.elapsed == 7s));
    check_is_whole(trace);
}

BOOST_AUTO_TEST_CASE(the_first_success_is_what_the_end_waited_for)
{
    auto builder = sleepers({{"a", 1s}, {"quick", 2s}, {"slow", 9s}, {"j", 1s}});
    const auto graph = builder.edge(weft::start, "a").edge("a", "slow").edge("a", "quick").edge("slow", "j")
                           .edge("quick", "j")
                           .fan_out("a", {.on_failure = weft::branch_policy::first_success}).build();
    const run_trace trace = traced(graph);
    BOOST_TEST(path_of(trace) == "a 1, quick 2, j 1");
    BOOST_TEST((trace.visits[1].how == run_trace::outcome::stopped));
    check_is_whole(trace);
}

BOOST_AUTO_TEST_CASE(attempts_and_the_wait_between_them_are_told)
{
    const auto graph = empty_graph()
                           .node("a", [](weft::node_context& c) {
                               if (c.attempt() < 3) throw weft::error{weft::errc::model_overloaded, "test", "busy"};
                           }, tries(3, 2s))
                           .node("b", sleeps(1s)).edge(weft::start, "a").edge("a", "b").build();
    const run_trace trace = traced(graph);
    BOOST_REQUIRE(trace.visits.size() == 2u);
    const auto& attempts = trace.visits[0].attempts;
    BOOST_REQUIRE(attempts.size() == 3u);
    BOOST_TEST((attempts[0].how == run_trace::outcome::failed));
    BOOST_TEST(attempts[0].why.find("busy") != std::string::npos);
    BOOST_TEST((attempts[1].start - attempts[0].end == 2s));
    BOOST_TEST((trace.visits[0].how == run_trace::outcome::succeeded));
    BOOST_TEST(trace.retries() == 2u);
    BOOST_TEST(path_of(trace) == "~a 6, b 1");
    check_is_whole(trace);
}

BOOST_AUTO_TEST_CASE(visits_of_a_loop_are_kept_apart)
{
    const auto graph = empty_graph()
                           .node("a", sleeps(2s))
                           .node("b", [](weft::node_context& c) {
                               return c.visit() < 3 ? weft::command::go_to("a") : weft::command::end();
                           }, {.goes_to = {"a"}})
                           .edge(weft::start, "a").edge("a", "b").build();
    const run_trace trace = traced(graph);
    BOOST_REQUIRE(trace.visits.size() == 6u);
    BOOST_TEST(trace.visits[4].node == "a");
    BOOST_TEST(trace.visits[4].number == 3u);
    BOOST_TEST(path_of(trace) == "a 2, a 2, a 2");
    for (const run_trace::edge& edge : trace.edges)
        if (edge.source == "b" && edge.node == "a") BOOST_TEST(edge.times == 2u);
    check_is_whole(trace);
}

BOOST_AUTO_TEST_CASE(the_path_goes_on_within_nodes)
{
    auto innermost = sleepers({{"x", 3s}}).edge(weft::start, "x").build();
    auto inner = empty_graph("inner").node("first", sleeps(1s)).node("a/b", weft::subgraph{innermost})
                     .edge(weft::start, "first").edge("first", "a/b").build();
    const auto graph = empty_graph()
                           .node("a", weft::subgraph{inner})
                           .node("b", [](weft::node_context& c) {
                               return c.visit() < 2 ? weft::command::go_to("a") : weft::command::end();
                           }, {.goes_to = {"a"}})
                           .edge(weft::start, "a").edge("a", "b").build();
    const run_trace trace = traced(graph);
    BOOST_TEST(path_of(trace) == "first 1, x 3, first 1, x 3");
    BOOST_REQUIRE(trace.visits.size() == 10u);
    BOOST_TEST(trace.visits[3].address == "a/a/b");
    BOOST_TEST(trace.visits[3].depth == 2u);
    BOOST_TEST(trace.visits[3].within == 2u);
    BOOST_TEST(trace.visits[2].within == 0u);
    check_is_whole(trace);
}

BOOST_AUTO_TEST_CASE(runs_of_one_inner_graph_at_the_same_time_are_kept_apart)
{
    const auto sleep_for_value = [](weft::node_context& c) { return sleep_node(c, c.get(value) * 1s); };
    auto inner = empty_graph("inner").node("x", sleep_for_value).edge(weft::start, "x").build();
    const auto graph = empty_graph()
                           .node("a", [](weft::node_context&) {
                               std::vector<weft::send> items;
                               for (const int n : {2, 7, 4})
                                   items.push_back(weft::send{"item"}.input(value, n));
                               return weft::command::fan_out(std::move(items));
                           }, {.goes_to = {"item"}})
                           .node("item", weft::subgraph{inner}).node("j", sleeps(1s))
                           .edge(weft::start, "a").edge("item", "j").build();
    const run_trace trace = traced(graph);
    BOOST_TEST(path_of(trace) == "x 7, j 1");
    BOOST_REQUIRE(trace.visits.size() == 8u);
    for (const run_trace::visit& visit : trace.visits)
        if (visit.node == "x") BOOST_TEST(trace.visits[visit.within].node == "item");
    check_is_whole(trace);
}

BOOST_AUTO_TEST_CASE(a_failure_that_ends_the_run_ends_the_path)
{
    const auto graph = empty_graph().node("a", sleeps(1s)).node("bad", fails(2s)).node("slow", sleeps(9s))
                           .node("j", [] {}).edge(weft::start, "a").edge("a", "slow").edge("a", "bad")
                           .edge("slow", "j").edge("bad", "j").build();
    const run_trace trace = traced(graph);
    BOOST_TEST(trace.status == "failed");
    BOOST_TEST(path_of(trace) == "a 1, bad 2");
    check_is_whole(trace);
}

BOOST_AUTO_TEST_CASE(a_run_that_took_too_long_ends_with_who_was_stopped)
{
    const auto graph = sleepers({{"a", 1s}, {"b", 9s}}).edge(weft::start, "a").edge("a", "b").build();
    weft::run_options limits;
    limits.elapsed_max(4s);
    const run_trace trace = traced(graph, with(limits));
    BOOST_TEST(trace.status == "failed");
    BOOST_TEST(path_of(trace) == "a 1, b 3");
    BOOST_TEST((trace.visits[1].how == run_trace::outcome::stopped));
    check_is_whole(trace);
}

BOOST_AUTO_TEST_CASE(a_log_that_ends_early_says_so)
{
    const auto graph = sleepers({{"a", 1s}, {"b", 5s}, {"c", 2s}, {"j", 1s}}).edge(weft::start, "a").edge("a", "b")
                           .edge("a", "c").edge("b", "j").edge("c", "j").build();
    const std::string lines = log_lines(graph);
    const run_trace trace = trace_of(read_lines(lines.substr(0, lines.find("\"node\":\"j\""))));
    BOOST_TEST(!trace.is_complete());
    BOOST_TEST(trace.status == "");
    BOOST_TEST((trace.elapsed == 3s));
    BOOST_REQUIRE(trace.visits.size() == 3u);
    BOOST_TEST((trace.visits[1].how == run_trace::outcome::unfinished));
    BOOST_TEST((trace.visits[1].end == 3s));
    BOOST_TEST(path_of(trace) == "a 1, b 2");
    check_is_whole(trace);
}

BOOST_AUTO_TEST_CASE(what_was_spent_and_remarked_is_there)
{
    const auto graph = empty_graph()
                           .node("a", [](weft::node_context& c) {
                               c.emit("usage", R"({"input":10,"output":4})");
                               c.emit("usage", "no JSON");
                               c.emit("10 of 12");
                           }, {.visits_max = 1})
                           .node("b", [](weft::node_context& c) { c.emit("usage", R"({"input":1,"output":1})"); })
                           .edge(weft::start, "a").edge_llm("a", {"b"}, {.fallback = "b"}).build();
    const run_trace trace = traced(graph);
    BOOST_TEST(trace.spent.input.count() == 11);
    BOOST_TEST(trace.visits[0].spent.output.count() == 4);
    BOOST_REQUIRE(trace.remarks.size() == 1u);
    BOOST_TEST((trace.remarks[0].what == weft::run_event::kind::route_fallback));
}

BOOST_AUTO_TEST_CASE(lost_events_are_counted)
{
    const run_trace trace = trace_of(read_lines("{\"kind\":\"run_started\"}\n"
                                                "{\"kind\":\"gap\",\"number\":2,\"sequence\":11,\"ms\":2}\n"
                                                "{\"kind\":\"node_succeeded\",\"node\":\"a\",\"visit\":1,\"ms\":3}\n"
                                                "{\"kind\":\"run_finished\",\"ms\":3,\"text\":\"finished\"}\n"));
    BOOST_TEST(trace.events_lost == 10u);
    BOOST_TEST(trace.visits.empty());
    BOOST_TEST(path_of(trace) == "~end 0");
    check_is_whole(trace);
}

BOOST_AUTO_TEST_CASE(as_json_it_has_the_path_with_shares)
{
    const auto graph = sleepers({{"a", 1s}, {"b", 3s}}).edge(weft::start, "a").edge("a", "b").build();
    const boost::json::object json = to_json(traced(graph));
    BOOST_TEST(json.at("elapsed_ms") == 4000.0);
    BOOST_TEST(json.at("visits").as_array().size() == 2u);
    const auto& step = json.at("critical_path").as_array().at(1).as_object();
    BOOST_TEST(step.at("node") == "b");
    BOOST_TEST(step.at("share") == 0.75);
    BOOST_TEST(json.at("visits").at(1).at("after") == 0);
}

BOOST_AUTO_TEST_CASE(any_order_of_events_gives_a_whole_path)
{
    auto inner = sleepers({{"x", 1s}}).edge(weft::start, "x").build();
    const auto graph = empty_graph()
                           .node("a", sleeps(1s)).node("b", weft::subgraph{inner}).node("c", fails(1s), tries(2))
                           .node("j", [](weft::node_context& c) {
                               return c.visit() < 3 ? weft::command::go_to("a") : weft::command::end();
                           }, {.goes_to = {"a"}})
                           .edge(weft::start, "a").edge("a", "b").edge("a", "c").edge("b", "j").edge("c", "j")
                           .fan_out("a", {.on_failure = weft::branch_policy::continue_others}).build();
    std::istringstream from{log_lines(graph)};
    std::vector<std::string> lines;
    for (std::string line; std::getline(from, line);)
        if (line.find("\"kind\":\"run\"") == std::string::npos) lines.push_back(line + "\n");
    check_is_whole(trace_of(read_lines(log_lines(graph))));
    weft::random_source random{7};
    for (int round = 0; round < 300; ++round) {
        std::string mixed;
        for (std::uint64_t count = random.below(2 * lines.size()); count > 0; --count)
            mixed += lines[random.below(lines.size())];
        check_is_whole(trace_of(read_lines(mixed)));
    }
}

BOOST_AUTO_TEST_SUITE_END()
