#include <boost/test/unit_test.hpp>

#include "guarded_files.hpp"
#include "unsettled_journal.hpp"

using namespace weft_tests;
using weft::testing::scripted_turn;

BOOST_AUTO_TEST_SUITE(model_guards_kinds_test)

using namespace weft_tests::tool_agents;
using weft_tests::tool_agents::script;

namespace {

const std::string done = " <AGENT_DONE>ok</AGENT_DONE>";

/** A node `a` of a kind that asks a model about the rain. */
struct asking_kind {
    std::string kind;
    std::string settings;
    scripted_turn answer;  ///< With which it is done.
    bool calls_tools = true;
    std::size_t replies = 1;

    [[nodiscard]] std::string with(const std::string& guards) const
    {
        return file_of(kind, settings + guards, "'answer'");
    }
};

std::string playbook_settings(std::string_view node)
{
    return "'prompt': 'About rain?', 'tools': ['weather'], 'playbooks': [{'name': 'p', 'nodes': [{'id': 't', "
           "'subtype': 'trigger'}, {'id': 'w', 'prompt': '{{trigger}}', " +
           std::string{node} + "}, {'id': 'r', 'subtype': 'response', 'prompt': '{{w.result}}'}], 'edges': [{'source': "
           "'t', 'target': 'w'}, {'source': 'w', 'target': 'r'}]}], ";
}

std::vector<asking_kind> asking_kinds()
{
    const std::string asks = "'prompt': 'About rain?', 'tools': ['weather'], ";
    const scripted_turn says{"It is fine."};
    const scripted_turn ends{"It is fine." + done};
    return {{"turn_agent", asks, says},
            {"event_loop", asks, sets_answer("It is fine.")},
            {"agent", asks, ends},
            {"heartbeat", "'directive': 'Watch the rain.', 'tools': ['weather'], ", ends},
            {"playbook", playbook_settings("'subtype': 'agent'"), ends},
            {"playbook", playbook_settings("'subtype': 'orchestrator-prompt'"), says, false},
            {"pattern", pattern_settings_of("sequence", "'members': [{'name': 'x'}]"), says, false},
            {"pattern", pattern_settings_of("concurrent", "'members': [{'name': 'x'}, {'name': 'y'}]"), says, false, 2},
            {"pattern", pattern_settings_of("debate", "'members': [{'name': 'x'}, {'name': 'y'}]"), says, false, 2},
            {"pattern", pattern_settings_of("map_reduce", "'members': [{'name': 'x'}]"), says, false}};
}

std::string with_failure_edge(std::string members)
{
    const std::string nodes = "'nodes': [";
    members.insert(members.find(nodes) + nodes.size(),
                   "{'name': 'sorry', 'kind': 'set', 'settings': {'values': {'who': 'nobody'}}}, ");
    const std::string edge = "{'from': '__start__', 'to': 'a'}";
    members.insert(members.rfind(edge) + edge.size(), ", {'from': 'a', 'to': 'sorry', 'kind': 'on_failure'}");
    return members;
}

}  // namespace

BOOST_AUTO_TEST_CASE(P50_what_is_said_is_looked_at_before_a_model_of_any_kind_is_asked)
{
    for (const asking_kind& one : asking_kinds()) BOOST_TEST_CONTEXT(one.kind << " " << one.settings)
    {
        const auto model = script();
        const heard_run heard = hear_file(one.with(no_rain_said), registry_with(model));
        check_tripped(heard.result, "input");
        BOOST_TEST(model->requests().empty());
        BOOST_TEST(heard.hears("guardrail: {\"guardrail\":\"dry\",\"stage\":\"input\",\"action\":\"trip\""));
        const weft::run_result led_on = run_file(with_failure_edge(one.with(no_rain_said)), registry_with(script()));
        BOOST_TEST(value_of(led_on, "who").as_string() == "nobody");
    }
}

BOOST_AUTO_TEST_CASE(P50_what_a_model_of_any_kind_answers_is_looked_at_before_anything_comes_of_it)
{
    for (const asking_kind& one : asking_kinds()) BOOST_TEST_CONTEXT(one.kind << " " << one.settings)
    {
        const auto model = script();
        scripted_turn wet{"There will be rain." + done};
        if (one.calls_tools) wet.call("weather", {{"city", "Rome"}});
        model->then(wet).otherwise(one.answer);
        const heard_run heard = hear_file(one.with(no_rain_answered), registry_with(model));
        check_tripped(heard.result, "output");
        BOOST_TEST(model->requests().size() == one.replies);  // no model is asked again
        BOOST_TEST(!heard.hears("will be rain"), heard.emitted);
        BOOST_TEST(!heard.hears("tool_start"), heard.emitted);
        BOOST_TEST(heard.hears("guardrail: {\"guardrail\":\"dry\",\"stage\":\"output\",\"action\":\"trip\""));
        const auto again = script();
        again->otherwise(wet);
        const weft::run_result led_on =
            run_file(with_failure_edge(one.with(no_rain_answered)), registry_with(again));
        BOOST_TEST(value_of(led_on, "who").as_string() == "nobody");
    }
}

BOOST_AUTO_TEST_CASE(P50_what_passes_goes_on_in_every_kind)
{
    const std::string guards = "'guards': {'input': [{'name': 'dry', 'words': ['snow']}, {'name': 'orders', "
                               "'injections': true}], 'output': [{'name': 'dry', 'words': ['snow']}], 'release': "
                               "'pieces'}";
    for (const asking_kind& one : asking_kinds()) BOOST_TEST_CONTEXT(one.kind << " " << one.settings)
    {
        const auto model = script();
        model->then(one.answer, one.replies);
        const heard_run heard = hear_file(one.with(guards), registry_with(model));
        BOOST_TEST(heard.result.message() == "finished");
        BOOST_TEST(value_of(heard.result, "answer").as_string() != "");
        BOOST_TEST(heard.hears("It is fine."));
        BOOST_CHECK_NO_THROW(model->assert_complete());
        if (one.kind != "event_loop")  // which no file has words for yet
            BOOST_TEST(survives_writing(one.with(guards), registry_with(script())));
    }
}

BOOST_AUTO_TEST_CASE(P50_mistakes_in_guardrails_of_every_kind_are_told_together)
{
    for (const asking_kind& one : asking_kinds()) BOOST_TEST_CONTEXT(one.kind)
    {
        const std::string guards = "'guards': {'input': [{'name': ''}], 'output': [{'name': 'x', 'words': ['y'], "
                                   "'action': 'refuse'}]}";
        const std::string all = all_mistakes(one.with(guards), registry_with(script()));
        BOOST_TEST(all.find("settings.guards.input[0].name: is empty") != std::string::npos, all);
        BOOST_TEST(all.find("settings.guards.output[0].action: only calls and results") != std::string::npos, all);
    }
    const std::string tools = "'guards': {'output': [{'name': ''}], 'tool_result': [{'name': ''}]}";
    for (const asking_kind& one : asking_kinds()) BOOST_TEST_CONTEXT(one.kind)
    {
        const std::string all = all_mistakes(one.with(tools), registry_with(script()));
        BOOST_TEST(all.find(one.kind == "pattern" ? "tool_result" : "guards.tool_result[0].name: is empty") !=
                   std::string::npos, all);
        if (one.kind != "pattern") BOOST_TEST(all.find("guards.output[0].name: is empty") != std::string::npos, all);
    }
}

BOOST_AUTO_TEST_CASE(a_rehearsal_of_any_kind_asks_no_guardrail_of_a_model)
{
    const std::string guards = "'guards': {'input': [{'name': 'x', 'rule': 'It is about rain.'}], 'output': [{'name': "
                               "'dry', 'words': ['rehearsal', 'rehearsed']}]}";
    for (const asking_kind& one : asking_kinds()) BOOST_TEST_CONTEXT(one.kind << " " << one.settings)
        BOOST_TEST(run_file(one.with(guards), registry_with(nullptr)).message() == "finished");
}

BOOST_AUTO_TEST_CASE(P27_verdicts_that_cost_and_replies_are_kept_in_every_kind)
{
    const std::string ruled = "'guards': {'input': [{'name': 'x', 'rule': 'y', 'model': 'small'}], 'output': [{'name': "
                              "'x', 'rule': 'y', 'model': 'small'}]}";
    const auto is_check = [](const weft::chat_request& request) { return request.model == "small"; };
    const auto is_work = [](const weft::chat_request& request) { return request.model != "small"; };
    for (asking_kind& one : asking_kinds()) BOOST_TEST_CONTEXT(one.kind << " " << one.settings)
    {
        const auto model = script();
        model->then(one.answer.when(is_work), one.replies);
        // What is told is looked at once, and each reply; of a loop its output too.
        const std::size_t outputs = one.kind == "event_loop" ? 1 : 0;
        model->then(scripted_turn{R"({"trips": false})"}.when(is_check), 1 + one.replies + outputs);
        const weft::node_registry registry = registry_with(model);
        const auto journal = std::make_shared<unsettled_journal>();
        BOOST_TEST(hear_file(one.with(ruled), registry, journal).result.message() == "finished");
        BOOST_CHECK_NO_THROW(model->assert_complete());
        BOOST_TEST(hear_file(one.with(ruled), registry, journal).result.message() == "finished");  // as after a crash
        BOOST_CHECK_NO_THROW(model->assert_complete());
    }
}

BOOST_AUTO_TEST_SUITE_END()
