#include <boost/test/unit_test.hpp>

#include "agent/filed_agents.hpp"

#include <weft/graph/graph_spec_writer.hpp>

#include <boost/json/serialize.hpp>

using namespace weft_tests;
using weft::testing::scripted_turn;

BOOST_AUTO_TEST_SUITE(react_kind_test)

using namespace weft_tests::tool_agents;

namespace {

std::string one_agent(std::string_view settings, std::string_view writes = "'messages', 'answer'")
{
    return file_of("react", settings, writes);
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_agent_of_a_file_calls_tools)
{
    const auto model = script();
    model->then(scripted_turn{}.call("weather", {{"city", "Rome"}})).then(scripted_turn{"It rains."});
    const std::string members =
        one_agent("'system': 'Be brief.', 'prompt': 'Umbrella in {topic}?', 'tools': ['weather']");
    const weft::run_result result = run_file(members, registry_with(model));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_of(result, "answer").as_string() == "It rains.");
    BOOST_TEST(last_of(model->requests()[1], weft::role::user) == "Umbrella in Rome?");
    BOOST_TEST(last_of(model->requests()[1], weft::role::tool) == "rain in Rome");
}

BOOST_AUTO_TEST_CASE(a_structured_answer_of_a_file)
{
    const auto model = script();
    model->then(scripted_turn{"Good."}).then(scripted_turn{R"({"answer": "yes", "score": 1.5})"});
    const weft::run_result result =
        run_file(one_agent("'prompt': 'Well?'", "'messages', 'answer', 'score'"), registry_with(model));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_of(result, "score").as_double() == 1.5);
}

BOOST_AUTO_TEST_CASE(a_call_of_its_model_is_tried_again)
{
    const auto model = script();
    model->then(scripted_turn{}.fails(weft::errc::model_overloaded)).then(scripted_turn{"Good."});
    const weft::run_result result = run_file(one_agent("'prompt': 'Well?', 'attempts_max': 2"), registry_with(model));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_of(result, "answer").as_string() == "Good.");
}

BOOST_AUTO_TEST_CASE(agents_of_a_file_hand_over)
{
    const auto model = script();
    model->then(scripted_turn{}.call("transfer_to_b")).then(scripted_turn{"B here."}.expects([](const auto& request) {
        BOOST_TEST(request.messages[0].text() == "You are b.");
    }));
    const std::string members =
        std::string{file_keys} +
        "'nodes': [{'name': 'a', 'kind': 'react', 'writes': ['messages', 'answer'], 'settings': {'prompt': 'Hello', "
        "'hands_over': [{'to': 'b', 'when': 'always'}]}}, {'name': 'b', 'kind': 'react', 'writes': ['messages', "
        "'answer'], 'settings': {'system': 'You are b.'}}], 'edges': [{'from': '__start__', 'to': 'a'}, "
        "{'from': 'a', 'to': '__end__'}]";
    const weft::run_result result = run_file(members, registry_with(model));
    BOOST_TEST(path_of(result) == "a b");
    BOOST_TEST(value_of(result, "answer").as_string() == "B here.");
    model->assert_complete();
}

BOOST_AUTO_TEST_CASE(without_a_model_it_is_rehearsed)
{
    const weft::run_result result = run_file(one_agent("'scripted': ['As written.']"), registry_with(nullptr));
    BOOST_TEST(value_of(result, "answer").as_string() == "As written.");
    const weft::run_result made_up =
        run_file(one_agent("'prompt': 'Well?'", "'messages', 'answer', 'score'"), registry_with(nullptr));
    BOOST_TEST(made_up.message() == "finished");
}

BOOST_AUTO_TEST_CASE(scripted_replies_call_tools)
{
    const std::string call =
        "<tool_call>{\\'name\\': \\'weather\\', \\'arguments\\': {\\'city\\': \\'Rome\\'}}</tool_call>";
    const weft::run_result result = run_file(
        one_agent("'tools': ['weather'], 'scripted': ['I look. " + call + "', 'It rains.']"), registry_with(nullptr));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(told(result.state.get(weft::react_messages)).ends_with(
        "assistant: I look.[weather] / tool: rain in Rome / assistant: It rains."));
    // For keys that are no text the last reply stands for the last word.
    const weft::run_result scored = run_file(
        one_agent("'tools': ['weather'], 'scripted': ['" + call +
                      "', 'Good.', '{\\'score\\': 2, \\'answer\\': \\'x\\'}']",
                  "'messages', 'answer', 'score'"),
        registry_with(nullptr));
    BOOST_TEST(scored.message() == "finished");
    BOOST_TEST(value_of(scored, "score").as_double() == 2);
}

BOOST_AUTO_TEST_CASE(mistakes_of_an_agent_of_a_file_are_told)
{
    BOOST_TEST(tells(one_agent("'tools': ['wether']"), "there is no tool 'wether' (did you mean 'weather'?)"));
    BOOST_TEST(tells(one_agent("'turns_max': 0"), "settings.turns_max: is out of range: it is 1 to 10000"));
    BOOST_TEST(tells(one_agent("'turns_max': 0, 'attempts_max': 0"), "settings.attempts_max: is out of range"));
    BOOST_TEST(tells(one_agent("'temperature': 1e300"), "settings.temperature: is too high"));
    BOOST_TEST(tells(one_agent("'guards': {'tool_call': [{'name': 'x'}]}"),
                     "settings.guards.tool_call[0].rule: there is nothing to check"));
    BOOST_TEST(tells(one_agent("'hands_over': [{'to': 'nobody'}]"), "nobody"));
    BOOST_TEST(tells(one_agent("'hands_over': [{'when': 'x'}]"), "to"));
    BOOST_TEST(tells(one_agent("'at_limit': 'panic'"), "at_limit"));
    BOOST_TEST(tells(one_agent("'prompt': '{tpoic}'"), "there is no key 'tpoic'"));
    BOOST_TEST(tells(one_agent("'messages': 'answer'"), "the key 'answer' cannot hold messages"));
    BOOST_TEST(tells(one_agent("", "'answer'"), "do not name 'messages'"));
    BOOST_TEST(tells(one_agent("", "'messages'"), "no key for the answer"));
    BOOST_TEST(tells(one_agent("'client_tools': true"), "settings.client_tools: the graph has no key for the tools"));
    BOOST_TEST(tells(one_agent("'client_tools': 'all'"), "expected true, false or a list of names"));
}

BOOST_AUTO_TEST_CASE(an_agent_is_written_as_it_was_read)
{
    const weft::node_registry registry = registry_with(script());
    const std::string text = spec_text(
        one_agent("'prompt': 'Well?', 'tools': ['weather'], 'turns_max': 4, 'attempts_max': 2"));
    const weft::loaded_graph loaded = weft::load_graph(text, registry);
    const weft::graph_spec written = weft::spec_of(loaded.what, registry);
    BOOST_TEST(written.nodes.at(0).kind == "react");
    BOOST_TEST(boost::json::serialize(written.nodes.at(0).settings.at("turns_max")) == "4");
    const weft::loaded_graph again = weft::load_graph(weft::to_text(written), registry);
    BOOST_TEST(weft::to_text(weft::spec_of(again.what, registry)) == weft::to_text(written));
}

BOOST_AUTO_TEST_SUITE_END()
