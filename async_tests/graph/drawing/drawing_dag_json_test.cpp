#include <boost/test/unit_test.hpp>

#include "graph/node/graph_keys.hpp"

#include <weft/graph/drawing.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

using namespace weft_tests;
namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(drawing_dag_json_test)

namespace {

bool holds(const weft::state_view&) { return true; }

/** A tool router: analyze goes to a tool and back until it is done. Two edges lead to the same tool. */
weft::graph tool_router()
{
    weft::graph_builder b{"router"};
    b.state(topic, score)
        .node("analyze", [] {}, {.writes = weft::keys(topic), .description = "Looks at the question."})
        .node("search", [] {})
        .edge(weft::start, "analyze")
        .edge_when("analyze", "search", holds, {.label = "needs facts"})
        .edge_when("analyze", "search", holds)
        .edge("analyze", weft::end)
        .edge("search", "analyze");
    return b.build();
}

constexpr std::string_view before_the_run = R"json({
  "schemaVersion": "1.3", "type": "dag", "workflow": "SEQUENTIAL", "generatedAt": "2026-02-03T04:05:06.007Z",
  "agents": [],
  "tasks": [
    {"id": "0", "description": "analyze: Looks at the question.", "expectedOutput": "topic",
     "agentRole": "(deterministic)", "dependsOn": [], "parallelGroup": 0, "onCriticalPath": false,
     "nodeType": "graph-state", "badge": "START", "visits": null},
    {"id": "1", "description": "search", "expectedOutput": "", "agentRole": "(deterministic)", "dependsOn": [],
     "parallelGroup": 0, "onCriticalPath": false, "nodeType": "graph-state", "badge": "STATE",
     "visits": null},
    {"id": "2", "description": "END", "expectedOutput": "(terminal)", "agentRole": "(terminal)", "dependsOn": [],
     "parallelGroup": 0, "onCriticalPath": false, "nodeType": "graph-end", "badge": "END",
     "visits": null}
  ],
  "parallelGroups": [], "criticalPath": [], "mapReduceMode": null, "mode": "graph",
  "graphEdges": [
    {"fromStateId": "0", "toStateId": "1", "conditionDescription": "needs facts", "unconditional": false,
     "fired": false},
    {"fromStateId": "0", "toStateId": "1", "conditionDescription": "predicate", "unconditional": false,
     "fired": false},
    {"fromStateId": "0", "toStateId": "2", "conditionDescription": null, "unconditional": true, "fired": false},
    {"fromStateId": "1", "toStateId": "0", "conditionDescription": null, "unconditional": true, "fired": false}
  ],
  "graphStartStateId": "0", "graphTerminationReason": null, "graphStepsRun": null
})json";

json::object golden() { return json::parse(before_the_run).as_object(); }

std::chrono::system_clock::time_point a_moment()
{
    using namespace std::chrono;
    return sys_days{year{2026} / 2 / 3} + hours{4} + minutes{5} + seconds{6} + milliseconds{7};
}

}  // namespace

BOOST_AUTO_TEST_CASE(AGE_9_before_a_run_no_edge_has_fired_and_nothing_is_said_of_the_run)
{
    const json::object dag = weft::to_dag_json(tool_router(), {.generated_at = a_moment()});
    BOOST_TEST(dag == golden(), json::serialize(dag));
}

BOOST_AUTO_TEST_CASE(AGE_9_after_a_run_only_the_parallel_edge_that_was_taken_has_fired)
{
    const weft::graph g = tool_router();
    weft::run_overlay ran{g};
    ran.edges = {1, 0, 2, 1, 2};
    ran.steps = 5;
    ran.termination = "finished";
    ran.nodes.at(1).visits = 2;
    ran.nodes.at(2).visits = 1;
    json::object expected = golden();
    expected["tasks"].as_array()[0].as_object()["visits"] = 2;
    expected["tasks"].as_array()[1].as_object()["visits"] = 1;
    for (const std::size_t fired : {1, 2, 3}) expected["graphEdges"].as_array()[fired].as_object()["fired"] = true;
    expected["graphTerminationReason"] = "terminal";
    expected["graphStepsRun"] = 5;
    const json::object dag =
        weft::to_dag_json(g, {.overlay = std::move(ran), .generated_at = a_moment()});
    BOOST_TEST(dag == expected, json::serialize(dag));
}

BOOST_AUTO_TEST_CASE(AGE_9_a_run_that_a_limit_ended_says_so)
{
    const weft::graph g = tool_router();
    weft::run_overlay ran{g};
    ran.termination = "finished";
    ran.was_cut_short = true;
    BOOST_TEST(weft::to_dag_json(g, {.overlay = ran}).at("graphTerminationReason") == "maxSteps");
    ran.was_cut_short = false;
    ran.termination = "failed";
    BOOST_TEST(weft::to_dag_json(g, {.overlay = ran}).at("graphTerminationReason") == "failed");
}

BOOST_AUTO_TEST_CASE(without_a_moment_the_time_of_generation_is_null)
{
    BOOST_TEST(weft::to_dag_json(tool_router()).at("generatedAt").is_null());
}

BOOST_AUTO_TEST_CASE(a_graph_that_begins_with_a_choice_has_a_task_for_its_start)
{
    auto b = keyed_graph("ab", "a$ b$");
    b.edge_when(weft::start, "a", holds).edge(weft::start, "b");
    const json::object dag = weft::to_dag_json(b.build());
    BOOST_TEST(dag.at("graphStartStateId") == "3");
    const auto& tasks = dag.at("tasks").as_array();
    BOOST_REQUIRE_EQUAL(tasks.size(), 4u);
    BOOST_TEST(tasks[3].at("nodeType") == "graph-start");
    BOOST_TEST(dag.at("graphEdges").as_array().size() == 4u);
    BOOST_TEST(dag.at("graphEdges").at(2).at("fromStateId") == "3");
}

BOOST_AUTO_TEST_CASE(ways_of_commands_fallbacks_and_ends_without_an_edge_are_edges)
{
    auto b = keyed_graph("abc", "^a b$");
    b.edge_llm("a", {"b"}, {.fallback = "c"}).node("d", [] {}, {.goes_to = {"a"}}).edge("c", "d");
    const weft::graph g = b.build();
    weft::run_overlay ran{g};
    ran.jumps = {{1, 3, 1}, {4, 2, 1}};
    std::string told;
    const json::object dag = weft::to_dag_json(g, {.overlay = ran});
    for (const json::value& e : dag.at("graphEdges").as_array()) {
        if (e.at("unconditional").as_bool()) continue;
        told.append(e.at("fromStateId").as_string()).append(e.at("toStateId").as_string()).append(" ");
        told.append(e.at("conditionDescription").as_string()).append(e.at("fired").as_bool() ? "! " : " ");
    }
    BOOST_TEST(told == "01 llm 02 fallback! 30 command 31 command! ");
}

BOOST_AUTO_TEST_CASE(a_graph_within_a_node_is_one_task)
{
    auto inner = keyed_graph("x", "^x x$");
    weft::graph_builder b{"outer"};
    b.node("inside", weft::subgraph{inner.build()}).edge(weft::start, "inside");
    const json::object dag = weft::to_dag_json(b.build());
    BOOST_TEST(dag.at("tasks").as_array().size() == 2u);
    BOOST_TEST(dag.at("tasks").at(0).at("agentRole") == "(graph test)");
}

BOOST_AUTO_TEST_SUITE_END()
