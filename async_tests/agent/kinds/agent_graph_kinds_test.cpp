#include "agent/kinds/agent_graph_kinds.hpp"

#include <boost/test/unit_test.hpp>

#include "agent/agents.hpp"

#include <weft/graph/graph_spec_writer.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(agent_graph_kinds_test)

namespace {

const std::string done = "<AGENT_DONE>ok</AGENT_DONE>";
const std::string blocked = "<AGENT_BLOCKED><BLOCKER_REASON>no key</BLOCKER_REASON></AGENT_BLOCKED>";

std::string node_of(std::string_view kind, std::string_view settings, std::string_view writes = "'draft'")
{
    return "'kind': '" + std::string{kind} + "', 'settings': {" + std::string{settings} + "}, 'writes': [" +
           std::string{writes} + "]";
}

std::vector<std::string> mistakes_of(std::string_view node, std::shared_ptr<weft::chat_model> model = nullptr)
{
    return mistakes_in(spec_text(one_node(node)), agent_registry(std::move(model)));
}

std::string playbooks(std::string_view nodes, std::string_view edges)
{
    return "'prompt': 'On {topic}', 'playbooks': [{'name': 'p', 'nodes': [{'id': 't', 'subtype': 'trigger'}, " +
           std::string{nodes} + "], 'edges': [" + std::string{edges} + "]}]";
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_agent_of_a_file_says_what_it_is_told_to)
{
    const auto model = says({{"Working. <AGENT_CONTINUE><STATUS_REPORT>on it</STATUS_REPORT></AGENT_CONTINUE>"},
                             {"About rivers. " + done}});
    const seen_run run = run_members(
        one_node(node_of("agent", "'prompt': 'Write on {topic}.', 'base': 'You write.', 'directive': 'Be short.', "
                                  "'temperature': 0.5, 'output_max': 70, 'model': 'big'")),
        agent_registry(model));
    BOOST_TEST(run.result.message() == "finished");
    BOOST_TEST(run.value("draft") == "\"About rivers.\"");
    BOOST_REQUIRE(model->asked.size() == 2u);
    BOOST_TEST(model->said(0, weft::role::user) == "Write on rivers.");
    BOOST_TEST(model->said(0, weft::role::system).starts_with("You write."));
    BOOST_TEST(model->asked[0].model == "big");
    BOOST_TEST(model->asked[0].temperature.value_or(0) == 0.5);
    BOOST_TEST((model->asked[0].output_max == weft::tokens{70}));
}

BOOST_AUTO_TEST_CASE(an_agent_of_a_file_that_is_not_done_fails_or_says_how_it_ended)
{
    const seen_run failed = run_members(one_node(node_of("agent", "'prompt': 'x'")), agent_registry(says({{blocked}})));
    BOOST_TEST((failed.result.status == weft::run_status::failed));
    BOOST_TEST(failed.tells("ended as 'blocked'"));
    BOOST_TEST((failed.code() == weft::errc::node_failed));
    const seen_run refused = run_members(one_node(node_of("agent", "'prompt': 'x'")),
                                         agent_registry(says({{.fails = weft::errc::model_unauthorized}})));
    BOOST_TEST(refused.tells("ended as 'agent_error'"));
    BOOST_TEST((refused.code() == weft::errc::model_unauthorized));
    const seen_run told = run_members(
        "'state': [{'name': 'draft', 'type': 'string'}, {'name': 'end', 'type': 'string'}, {'name': 'help', 'type': "
        "'string'}], 'nodes': [{'name': 'n', " +
            node_of("agent", "'prompt': 'x', 'outcome': 'end'", "'draft', 'end'") +
            "}, {'name': 'h', 'kind': 'set', 'settings': {'values': {'help': 'yes'}}}], "
            "'edges': [{'from': '__start__', 'to': 'n'}, {'from': 'n', 'to': 'h', 'when': 'len(end) == 7'}, "
            "{'from': 'n', 'to': '__end__'}]",
        agent_registry(says({{blocked}})));
    BOOST_TEST(told.result.message() == "finished");
    BOOST_TEST(told.value("end") == "\"blocked\"");
    BOOST_TEST(told.value("help") == "\"yes\"");
}

BOOST_AUTO_TEST_CASE(an_agent_of_a_file_carries_a_talk_on)
{
    const auto model = says({{"One. " + done}, {"Two. " + done}});
    const std::string node = node_of("agent", "'prompt': '{topic}?', 'talk': 'talk'", "'draft', 'talk'");
    const seen_run run = run_members(
        "'state': [{'name': 'topic', 'type': 'string', 'initial': 'rivers'}, {'name': 'draft', 'type': 'string'}, "
        "{'name': 'talk', 'type': 'conversation'}], 'nodes': [{'name': 'a', " + node + "}, {'name': 'b', " + node +
            "}], 'edges': [{'from': '__start__', 'to': 'a'}, {'from': 'a', 'to': 'b'}]",
        agent_registry(model));
    BOOST_TEST(run.result.message() == "finished");
    BOOST_REQUIRE(model->asked.size() == 2u);
    BOOST_TEST(model->asked[1].messages.size() == 4u);  // system, user, assistant, user
    BOOST_TEST(model->asked[1].messages[2].text() == "One.");
}

BOOST_AUTO_TEST_CASE(an_agent_of_a_file_rehearses_without_a_model)
{
    const seen_run made_up = run_members(one_node(node_of("agent", "'prompt': 'x'")), agent_registry(nullptr));
    BOOST_TEST(made_up.result.message() == "finished");
    BOOST_TEST(made_up.value("draft").find("rehearsal") != std::string::npos);
    const seen_run scripted = run_members(
        one_node(node_of("agent", "'prompt': 'x', "
                                  "'scripted': ['First. <AGENT_CONTINUE></AGENT_CONTINUE>', 'Second.']")),
        agent_registry(nullptr));
    BOOST_TEST(scripted.value("draft") == "\"Second.\"");
}

BOOST_AUTO_TEST_CASE(a_heartbeat_of_a_file_works_cycle_by_cycle)
{
    const auto model = says({{blocked}, {"Watered. " + done}});
    const seen_run run = run_members(
        one_node(node_of("heartbeat", "'directive': 'Look after {topic}.', 'rules': ['Be kind.'], 'on_blocked': "
                                      "'next_cycle', 'projects': [{'name': 'roses', 'text': 'red'}]")),
        agent_registry(model));
    BOOST_TEST(run.result.message() == "finished");
    BOOST_TEST(run.value("draft").find("ok") != std::string::npos);
    BOOST_REQUIRE(model->asked.size() == 2u);
    const std::string told = model->asked[1].messages.back().text();
    BOOST_TEST(told.starts_with("Look after rivers."));
    for (const char* const part : {"cycle 2 of at most 10", "- roses: red", "- Be kind."})
        BOOST_TEST(told.find(part) != std::string::npos, part);
}

BOOST_AUTO_TEST_CASE(a_playbook_of_a_file_runs_in_its_node)
{
    const std::string nodes = "{'id': 'a', 'subtype': 'agent', 'prompt': 'Look: {{trigger}}'}, "
                              "{'id': 'r', 'subtype': 'response', 'prompt': 'So: {{a.result}}'}";
    const std::string edges = "{'source': 't', 'target': 'a'}, {'source': 'a', 'target': 'r'}";
    const auto model = says({{"Wet. " + done}});
    const seen_run run =
        run_members(one_node(node_of("playbook", playbooks(nodes, edges))), agent_registry(model));
    BOOST_TEST(run.result.message() == "finished");
    BOOST_TEST(run.value("draft") == "\"So: Wet.\"");
    BOOST_TEST(model->said(0, weft::role::user).starts_with("Look: On rivers"));
}

BOOST_AUTO_TEST_CASE(SUL_21_an_agent_of_a_file_starts_a_workflow_and_goes_on_with_its_result)
{
    const std::string workflows = "'playbooks': [{'name': 'look', 'description': 'Looks.', 'nodes': "
                                  "[{'id': 't', 'subtype': 'trigger'}, "
                                  "{'id': 'r', 'subtype': 'response', 'prompt': 'Seen: {{trigger}}'}], "
                                  "'edges': [{'source': 't', 'target': 'r'}]}]";
    const std::string start = R"({"workflow": "look", "input": "Po"})";
    const auto model = says({{.text = "", .calls = {{"c1", "start_workflow", start}}},
                             {"Begun."},
                             {"It is wet. " + done}});
    const std::string node = node_of("agent", "'prompt': 'Look at {topic}.', " + workflows);
    const seen_run run = run_members(one_node(node), agent_registry(model));
    BOOST_TEST(run.result.message() == "finished");
    BOOST_TEST(run.value("draft") == "\"It is wet.\"");
    BOOST_REQUIRE(model->asked.size() == 3u);
    BOOST_TEST(model->asked[2].messages.back().text() == "[Workflow 'look' completed]\nSeen: Po");
    // The file is written back with them, and mistakes have their place.
    const weft::node_registry registry = agent_registry(nullptr);
    const weft::graph again = weft::load_graph(spec_text(one_node(node)), registry).what;
    const weft::graph_spec written = weft::spec_of(again, registry);
    BOOST_TEST(written.nodes.at(0).settings.at("playbooks").as_array().size() == 1u);
    BOOST_TEST(lacks(mistakes_of(node_of("agent", "'prompt': 'x', 'playbooks': [{'name': 'p', 'nodes': "
                                                  "[{'id': 't', 'subtype': 'trigger'}, "
                                                  "{'id': 'a', 'subtype': 'agnt'}]}]")),
                     {"settings.playbooks: 'p' at $.nodes[1].subtype: 'agnt' is none"}) == "");
}

BOOST_AUTO_TEST_CASE(SUL_23_a_condition_in_words_of_a_file_is_asked_of_the_model)
{
    const std::string nodes = "{'id': 'c', 'subtype': 'condition', 'condition': 'It is about water'}, "
                              "{'id': 'y', 'subtype': 'response', 'prompt': 'wet'}, "
                              "{'id': 'n', 'subtype': 'response', 'prompt': 'dry'}";
    const std::string edges = "{'source': 't', 'target': 'c'}, "
                              "{'source': 'c', 'target': 'y', 'handle': 'condition-true'}, "
                              "{'source': 'c', 'target': 'n', 'handle': 'condition-false'}";
    const auto model = says({{R"({"answer": "yes", "reasoning": "rivers"})"}});
    const seen_run run =
        run_members(one_node(node_of("playbook", playbooks(nodes, edges))), agent_registry(model));
    BOOST_TEST(run.value("draft") == "\"wet\"");
    BOOST_REQUIRE(model->asked.size() == 1u);
    BOOST_TEST(model->said(0, weft::role::user).find("On rivers") != std::string::npos);
    // Without a model the dry run takes the first of the answers.
    const seen_run rehearsed =
        run_members(one_node(node_of("playbook", playbooks(nodes, edges))), agent_registry(nullptr));
    BOOST_TEST(rehearsed.value("draft") == "\"wet\"");
    BOOST_TEST(std::count(rehearsed.emitted.begin(), rehearsed.emitted.end(),
                          "warning: the model chose none of the answers that there are") == 0);
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_agents_of_a_file_is_told_with_its_place)
{
    BOOST_TEST(lacks(mistakes_of(node_of("agent", "'prompt': '{topc}'")),
                     {"$.nodes[0].settings.prompt: line 1, column 1: there is no key 'topc'"}) == "");
    BOOST_TEST(lacks(mistakes_of(node_of("agent", "'base': 'x'")), {"$.nodes[0].settings", "prompt"}) == "");
    BOOST_TEST(lacks(mistakes_of(node_of("agent", "'prompt': 'x'", "")), {"goes to one key"}) == "");
    BOOST_TEST(lacks(mistakes_of(node_of("agent", "'prompt': 'x'", "'count'")), {"'count' takes no texts"}) == "");
    BOOST_TEST(lacks(mistakes_of(node_of("agent", "'prompt': 'x', 'tools': ['hammer']")), {"settings.tools"}) == "");
    BOOST_TEST(lacks(mistakes_of(node_of("agent", "'prompt': 'x', 'calls_max': 0")),
                     {"settings.calls_max: is out of range"}) == "");
    BOOST_TEST(lacks(mistakes_of(node_of("agent", "'prompt': 'x', 'temperature': -1")),
                     {"settings.temperature: is negative"}) == "");
    BOOST_TEST(lacks(mistakes_of(node_of("agent", "'prompt': 'x', 'talk': 'what'", "'draft', 'what'")),
                     {"settings.talk: the key 'what' cannot hold a talk"}) == "");
    BOOST_TEST(lacks(mistakes_of(node_of("agent", "'prompt': 'x', 'outcome': 'topic'")),
                     {"settings.outcome: the node's writes do not name 'topic'"}) == "");
    BOOST_TEST(lacks(mistakes_of(node_of("heartbeat", "'directive': ''")), {"settings.directive: is empty"}) == "");
    BOOST_TEST(lacks(mistakes_of(node_of("heartbeat", "'directive': 'x', 'cycles_max': 0")),
                     {"settings.cycles_max: is out of range"}) == "");
    BOOST_TEST(lacks(mistakes_of(node_of("heartbeat", "'directive': 'x', 'on_blocked': 'cry'")),
                     {"settings.on_blocked"}) == "");
    BOOST_TEST(lacks(mistakes_of(node_of("playbook", playbooks("{'id': 'a', 'subtype': 'agnt'}", ""))),
                     {"settings.playbooks: 'p' at $.nodes[1].subtype: 'agnt' is none"}) == "");
    const std::string calls = playbooks("{'id': 's', 'subtype': 'sub-workflow', 'workflow': 'q'}",
                                        "{'source': 't', 'target': 's'}");
    BOOST_TEST(lacks(mistakes_of(node_of("playbook", calls)),
                     {"settings.playbooks: playbook 'q'", "none of that name"}) == "");
}

BOOST_AUTO_TEST_CASE(agents_of_a_file_are_written_back)
{
    const std::string members = one_node(node_of("agent", "'prompt': 'On {topic}', 'timeout': '5s', 'budget': 500"));
    const weft::node_registry registry = agent_registry(nullptr);
    const weft::loaded_graph loaded = weft::load_graph(spec_text(members), registry);
    const weft::graph_spec written = weft::spec_of(loaded.what, registry);
    BOOST_REQUIRE(written.nodes.size() == 1u);
    BOOST_TEST(written.nodes[0].kind == "agent");
    BOOST_TEST(written.nodes[0].settings.at("prompt").as_string() == "On {topic}");
    BOOST_TEST(written.nodes[0].settings.at("timeout").as_string() == "5s");
    BOOST_TEST(written.nodes[0].settings.size() == 3u);
}

BOOST_AUTO_TEST_SUITE_END()
