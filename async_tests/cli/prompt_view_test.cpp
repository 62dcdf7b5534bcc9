#include "files.hpp"
#include "graph/prompt_view.hpp"
#include "graph/run_input.hpp"
#include "graph/run_tools.hpp"

#include <weft/graph/graph_spec_reader.hpp>

#include <boost/test/unit_test.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(prompt_view_test)

namespace {

std::string agent_file(const std::string& settings)
{
    return json_text("{'name': 'agent', 'state': [{'name': 'topic', 'type': 'string'}, {'name': 'answer', 'type': "
                     "'string'}], 'nodes': [{'name': 'think', 'kind': 'event_loop', 'reads': ['topic'], 'writes': "
                     "['answer'], 'settings': {" + settings + "}}], 'edges': [{'from': '__start__', 'to': 'think'}]}");
}

weft_cli::prompt_view view_of(const std::string& text, const boost::json::object& inputs = {},
                              const std::vector<std::string>& tools = {})
{
    return weft_cli::view_prompts(weft::read_graph_spec(text), "think", inputs, weft_cli::foreign_tools(tools))
        .at(0);
}

std::string fate_of(const weft_cli::prompt_view& view, std::string_view layer)
{
    for (const weft::section_report& one : view.layers.value().sections)
        if (one.id == layer) return one.fate == weft::section_fate::kept ? "kept" : "not kept";
    return "none";
}

}  // namespace

BOOST_AUTO_TEST_CASE(layers_messages_and_tools_are_those_of_the_first_turn)
{
    const std::string text =
        agent_file("'identity': 'You are Ada.', 'system': 'Tell of {topic}.', 'tools': ['search']");
    const weft_cli::prompt_view view = view_of(text, {{"topic", "rain"}}, {"search"});
    BOOST_REQUIRE(view.layers.has_value());
    BOOST_TEST(fate_of(view, "identity") == "kept");
    BOOST_TEST(fate_of(view, "focus") == "kept");
    BOOST_TEST(fate_of(view, "narrative") == "not kept");
    BOOST_TEST(fate_of(view, "time") == "not kept");
    BOOST_REQUIRE(view.messages.size() == 2u);
    BOOST_TEST(view.messages[0].text() == view.layers->text);
    BOOST_TEST(has(view.messages[0].text(), "Tell of rain."));
    BOOST_TEST(has(view.messages[1].text(), "- topic: rain"));
    BOOST_REQUIRE(view.tools.size() == 3u);
    BOOST_TEST(view.tools[0].name == "search");
    BOOST_TEST(view.tools[1].name == "set_output");
    BOOST_TEST(weft_cli::text_of(view) == weft_cli::text_of(view_of(text, {{"topic", "rain"}}, {"search"})));
}

BOOST_AUTO_TEST_CASE(W14_a_look_says_nothing_of_the_answer_that_it_did_not_wait_for)
{
    const weft_cli::prompt_view view = view_of(json_text(
        "{'name': 'agent', 'state': [{'name': 'topic', 'type': 'string'}, {'name': 'answer', 'type': 'string'}], "
        "'nodes': [{'name': 'think', 'kind': 'turn_agent', 'writes': ['answer'], "
        "'settings': {'prompt': 'On {topic}'}}], 'edges': [{'from': '__start__', 'to': 'think'}]}"));
    BOOST_TEST_REQUIRE(view.warnings.size() == 1u);  // the model that refuses this look is none
    BOOST_TEST(has(view.warnings.front(), "topic"), view.warnings.front());
}

BOOST_AUTO_TEST_CASE(HIV_48_description_and_goal_of_the_graph_are_shown)
{
    std::string text = agent_file("'system': 'Tell of {topic}.'");
    const std::string more = json_text("{'description': 'Answers about rain.', 'goal': {'name': 'rain', 'description': "
                                       "'People know whether it rains.'}, ");
    text.replace(text.find('{'), 1, more);
    const weft_cli::prompt_view view = view_of(text, {{"topic", "rain"}});
    BOOST_TEST(fate_of(view, "goal") == "kept");
    BOOST_TEST(has(weft_cli::text_of(view), "Answers about rain."));
    BOOST_TEST(has(weft_cli::text_of(view), "People know whether it rains."));
}

BOOST_AUTO_TEST_CASE(what_a_template_misses_is_told)
{
    const weft_cli::prompt_view view = view_of(agent_file("'system': 'Tell of {topic}.'"));
    BOOST_REQUIRE(view.warnings.size() == 1u);
    BOOST_TEST(has(weft_cli::text_of(view), "note: the prompt names 'topic', which has no value"));
}

BOOST_AUTO_TEST_CASE(the_time_is_a_layer_of_those_who_want_it)
{
    BOOST_TEST(fate_of(view_of(agent_file("'tells_time': true")), "time") == "kept");
}

BOOST_AUTO_TEST_CASE(texts_of_others_do_not_steer_the_terminal)
{
    const std::string text = weft_cli::text_of(view_of(agent_file("'system': 'a\\u001b[31mred'")));
    BOOST_TEST(text.find('\x1b') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(every_agent_of_a_team_and_of_a_supervisor_is_shown)
{
    const auto views_of = [](const std::string& node) {
        const std::string text = json_text(
            "{'name': 'agents', 'state': [{'name': 'topic', 'type': 'string', 'initial': 'rain'}, {'name': 'who', "
            "'type': 'string'}, {'name': 'answer', 'type': 'string'}, {'name': 'messages', 'type': 'messages', "
            "'reducer': 'append'}], 'nodes': [{'name': 'think', 'writes': ['messages', 'answer', 'who'], " +
            node + "}, {'name': 'other', 'kind': 'join'}], 'edges': [{'from': '__start__', 'to': 'think'}, "
            "{'from': 'think', 'to': 'other'}]}");
        return weft_cli::view_prompts(weft::read_graph_spec(text), "think", {}, weft_cli::foreign_tools({"search"}));
    };
    const auto team = views_of(
        "'kind': 'team', 'settings': {'prompt': 'About {topic}?', 'active': 'who', 'members': [{'name': 'ann', "
        "'system': 'Ann on {topic}.', 'hands_over': [{'to': 'bob', 'when': 'late'}]}, {'name': 'bob', 'system': "
        "'Bob.', 'tools': ['search'], 'guards': {'input': [{'name': 'g', 'rule': 'It is bad.'}]}}]}");
    BOOST_REQUIRE(team.size() == 2u);
    BOOST_TEST(team[0].agent == "ann");
    BOOST_TEST(team[0].messages.at(0).text() == "Ann on rain.");
    BOOST_TEST(team[0].messages.at(1).text() == "About rain?");
    BOOST_TEST(team[0].tools.at(0).name == "transfer_to_bob");
    BOOST_TEST(team[1].messages.at(0).text() == "Bob.");
    BOOST_TEST(team[1].tools.at(0).name == "search");
    BOOST_TEST(has(weft_cli::text_of(team[1]), "What 'bob' of 'think' tells its model first"));

    const auto office = views_of(
        "'kind': 'supervisor', 'settings': {'system': 'You lead.', 'workers': [{'name': 'finder', 'when': 'Finds.', "
        "'system': 'You find {topic}.', 'tools': ['search']}]}");
    BOOST_REQUIRE(office.size() == 2u);
    BOOST_TEST(office[0].agent.empty());
    BOOST_TEST(office[0].tools.at(0).name == "ask_finder");
    BOOST_TEST(office[1].agent == "finder");
    BOOST_TEST(office[1].messages.at(0).text() == "You find rain.");
    BOOST_TEST(office[1].messages.at(1).text() == "Its task.");
    BOOST_TEST(office[1].tools.at(0).name == "search");

    const auto react = views_of(
        "'kind': 'react', 'settings': {'system': 'Alone.', 'hands_over': [{'to': 'other'}, {'to': 'think'}]}");
    BOOST_REQUIRE(react.size() == 1u);
    BOOST_TEST(react[0].messages.at(0).text() == "Alone.");
    BOOST_TEST(react[0].tools.size() == 2u);
}

BOOST_AUTO_TEST_CASE(nodes_of_all_kinds_that_ask_a_model_show_what_they_ask)
{
    for (const std::string settings :
         {"'kind': 'llm', 'settings': {'prompt': 'On {topic}.'}",
          "'kind': 'turn_agent', 'settings': {'prompt': 'On {topic}.', 'hands_over': {'other': 'when late'}}",
          "'kind': 'agent', 'settings': {'prompt': 'On {topic}.'}",
          "'kind': 'heartbeat', 'settings': {'directive': 'On {topic}.'}",
          "'kind': 'playbook', 'settings': {'prompt': 'On {topic}.', 'playbooks': [{'name': 'p', 'nodes': "
          "[{'id': 't', 'subtype': 'trigger'}, {'id': 'a', 'subtype': 'agent', 'prompt': '{{trigger}}'}], 'edges': "
          "[{'source': 't', 'target': 'a'}]}]}",
          "'kind': 'pattern', 'settings': {'pattern': 'sequence', 'task': 'On {topic}.', "
          "'members': [{'name': 'm'}]}"}) {
        const std::string text = json_text(
            "{'name': 'agents', 'state': [{'name': 'topic', 'type': 'string', 'initial': 'rain'}, {'name': 'answer', "
            "'type': 'string'}], 'nodes': [{'name': 'think', 'writes': ['answer'], " +
            settings + "}, {'name': 'other', 'kind': 'join'}], 'edges': [{'from': '__start__', 'to': 'think'}, "
            "{'from': 'think', 'to': 'other'}]}");
        const auto views = weft_cli::view_prompts(weft::read_graph_spec(text), "think", {}, nullptr);
        BOOST_REQUIRE(views.size() == 1u);
        BOOST_TEST(has(weft_cli::text_of(views[0]), "On rain."), settings);
    }
}

BOOST_AUTO_TEST_CASE(a_node_that_asks_no_model_has_no_prompt)
{
    const weft::graph_spec spec = weft::read_graph_spec(agent_file(""));
    BOOST_CHECK_THROW((void)weft_cli::view_prompts(spec, "thing", {}, nullptr), weft_cli::usage_error);
    // A look at one of these would carry it out.
    for (const std::string node :
         {"'kind': 'http', 'settings': {'url': 'http://127.0.0.1:1/'}", "'kind': 'wait', 'settings': {'span': '1h'}",
          "'kind': 'remember', 'settings': {'text': 'x'}"}) {
        const std::string text = json_text("{'name': 'g', 'state': [{'name': 'a', 'type': 'string'}], 'nodes': "
                                           "[{'name': 'think', " + node + "}], 'edges': [{'from': '__start__', 'to': "
                                           "'think'}]}");
        const weft::graph_spec other = weft::read_graph_spec(text);
        BOOST_CHECK_THROW((void)weft_cli::view_prompts(other, "think", {}, nullptr), weft_cli::usage_error);
    }
}

BOOST_AUTO_TEST_SUITE_END()
