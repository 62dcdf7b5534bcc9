#include <boost/test/unit_test.hpp>

#include "agent/filed_agents.hpp"

#include <weft/agent/agent_team.hpp>
#include <weft/engine/memory_journal.hpp>
#include <weft/graph/graph_spec_writer.hpp>
#include <weft/graph/node/subgraph.hpp>

using namespace weft_tests;
using weft::testing::scripted_turn;

BOOST_AUTO_TEST_SUITE(team_kind_test)

using namespace weft_tests::tool_agents;

namespace {

constexpr std::string_view two_members =
    "'members': [{'name': 'triage', 'system': 'You are triage for {topic}.', 'hands_over': [{'to': 'billing', "
    "'when': 'for invoices'}]}, {'name': 'billing', 'system': 'You are billing.', 'tools': ['weather'], "
    "'hands_over': [{'to': 'triage'}]}]";

std::string one_team(std::string_view more, std::string_view writes = "'messages', 'answer'")
{
    return file_of("team", std::string{two_members} + std::string{more}, writes);
}

scripted_turn spoken_by(std::string system, scripted_turn turn)
{
    return turn.when([system = std::move(system)](const weft::chat_request& request) {
        return request.messages[0].text().starts_with(system);
    });
}
scripted_turn by_triage(scripted_turn turn) { return spoken_by("You are triage for Rome.", std::move(turn)); }
scripted_turn by_billing(scripted_turn turn) { return spoken_by("You are billing.", std::move(turn)); }

}  // namespace

BOOST_AUTO_TEST_CASE(PYA_9_members_of_a_file_hand_the_conversation_over)
{
    const auto model = script();
    model->then(by_triage(scripted_turn{}.call("transfer_to_billing")))
        .then(by_billing(scripted_turn{}.call("weather", {{"city", "Rome"}})))
        .then(by_billing(scripted_turn{"It is paid."}));
    const weft::run_result result =
        run_file(one_team(", 'prompt': 'An invoice from {topic}?', 'active': 'who'", "'messages', 'answer', 'who'"),
                 registry_with(model));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(path_of(result) == "a");
    BOOST_TEST(value_of(result, "answer").as_string() == "It is paid.");
    BOOST_TEST(value_of(result, "who").as_string() == "billing");
    BOOST_TEST(told(result.state.get(weft::react_messages)) ==
               "user: An invoice from Rome? / assistant: [transfer_to_billing] / tool: The conversation is with "
               "billing now. / assistant: [weather] / tool: rain in Rome / assistant: It is paid.");
    model->assert_complete();
}

BOOST_AUTO_TEST_CASE(the_next_visit_is_for_whoever_had_the_conversation)
{
    const std::string members = one_team(", 'active': 'who'", "'messages', 'answer', 'who'");
    const auto model = script();
    model->then(by_billing(scripted_turn{"Yes?"}));
    const weft::loaded_graph loaded = weft::load_graph(spec_text(members), registry_with(model));
    weft::run_request request;
    request.input(boost::json::object{{"who", "billing"}});
    BOOST_TEST(value_of(run_with(loaded.what, std::move(request)), "answer").as_string() == "Yes?");
    model->assert_complete();
}

BOOST_AUTO_TEST_CASE(anybody_may_begin_and_hand_overs_are_limited)
{
    const auto model = script();
    model->then(by_billing(scripted_turn{}.call("transfer_to_triage")))
        .then(by_triage(scripted_turn{}.call("transfer_to_billing")))
        .then(by_triage(scripted_turn{"I see to it."}).expects([](const weft::chat_request& request) {
            BOOST_TEST(last_of(request, weft::role::tool).find("done 1 times") != std::string::npos);
        }));
    const weft::run_result result =
        run_file(one_team(", 'first': 'billing', 'hand_overs_max': 1, 'prompt': 'Hello'"), registry_with(model));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_of(result, "answer").as_string() == "I see to it.");
    model->assert_complete();
}

BOOST_AUTO_TEST_CASE(a_team_gives_values_to_keys)
{
    const auto model = script();
    model->then(by_triage(scripted_turn{"Good."}))
        .then(by_triage(scripted_turn{R"({"answer": "yes", "score": 1.5})"}));
    const weft::run_result result =
        run_file(one_team(", 'prompt': 'Well?'", "'messages', 'answer', 'score'"), registry_with(model));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_of(result, "score").as_double() == 1.5);
}

BOOST_AUTO_TEST_CASE(without_a_model_a_team_is_rehearsed)
{
    std::string members{two_members};
    members.replace(members.find("'hands_over'"), 0,
                    "'scripted': ['<tool_call>{\\'name\\': \\'transfer_to_billing\\'}</tool_call>'], ");
    const weft::run_result result =
        run_file(file_of("team", members + ", 'prompt': 'Hello', 'active': 'who'", "'messages', 'answer', 'who'"),
                 registry_with(nullptr));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_of(result, "who").as_string() == "billing");
    BOOST_TEST(value_of(result, "answer").as_string().find("A rehearsal") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(hooks_and_guardrails_of_members_are_around_their_calls)
{
    const auto model = script();
    model->then(by_billing(scripted_turn{}.call("weather", {{"city", "Rome"}})));
    weft::agent_surroundings around = surroundings_with(model);
    int calls = 0;
    around.hooks.before_model([&calls](std::string_view agent, weft::chat_request&) {
        calls += agent == "billing" ? 1 : 0;
        return std::optional<weft::chat_reply>{};
    });
    std::string members{two_members};
    members.replace(members.find("'tools': ['weather']"), 0,
                    "'guards': {'tool_call': [{'name': 'not there', 'words': ['Rome']}]}, ");
    const weft::run_result result =
        run_file(file_of("team", members + ", 'first': 'billing', 'prompt': 'Hello'"), registry_around(around));
    BOOST_TEST((result.status == weft::run_status::failed));
    BOOST_TEST(result.message().find("the text has the word 'rome'") != std::string::npos, result.message());
    BOOST_TEST(calls == 1);
}

BOOST_AUTO_TEST_CASE(a_member_whose_tool_must_be_confirmed_asks)
{
    const auto model = script();
    model->then(by_billing(scripted_turn{}.call("weather", {{"city", "Rome"}}, "w")))
        .then(by_billing(scripted_turn{"It rains."}));
    weft::agent_surroundings around = surroundings_with(model);
    around.tool_options.policy = [](const auto&, const auto&) { return weft::tool_decision::confirm("Look out?"); };
    around.tool_options.confirm = weft::confirm_by_question;
    const weft::loaded_graph loaded =
        weft::load_graph(spec_text(one_team(", 'first': 'billing', 'prompt': 'Hello'")), registry_around(around));
    weft::testing::simulation sim{1};
    const weft::engine engine{loaded.what};
    weft::run_request request;
    request.journal(std::make_shared<weft::memory_journal>("run"));
    const weft::run_result asked = sim.run(engine.run(std::move(request)));
    BOOST_TEST((asked.status == weft::run_status::paused), asked.message());
    BOOST_REQUIRE(asked.questions.size() == 1u);
    weft::run_request again;
    again.resume(asked.paused_at).answer(asked.questions[0].address, true);
    const weft::run_result done = sim.run(engine.run(std::move(again)));
    BOOST_TEST(done.message() == "finished");
    BOOST_TEST(value_of(done, "answer").as_string() == "It rains.");
    model->assert_complete();
}

BOOST_AUTO_TEST_CASE(all_mistakes_of_a_team_are_told_at_once)
{
    const std::string all = all_mistakes(
        file_of("team",
                "'prompt': '{tpoic}', 'first': 'nobody', 'hand_overs_max': 5000, 'active': 'score', 'members': ["
                "{'name': 'begin', 'tools': ['wether'], 'turns_max': 0, 'attempts_max': 0}, "
                "{'name': 'a b', 'system': '{', 'hands_over': [{'to': 'bgin'}, {'to': 'a b'}]}, "
                "{'name': 'begin', 'guards': {'tool_call': [{'name': 'g'}]}}]",
                "'messages', 'answer', 'score'"),
        registry_with(script()));
    const auto has = [&](std::string_view part) { return all.find(part) != std::string::npos; };
    BOOST_TEST(has("settings.prompt: line 1, column 1: there is no key 'tpoic' (did you mean 'topic'?)"), all);
    BOOST_TEST(has("settings.first: there is no member 'nobody'"), all);
    BOOST_TEST(has("settings.hand_overs_max: is out of range: it is 0 to 1000"), all);
    BOOST_TEST(has("settings.active: the key 'score' cannot hold a name"), all);
    BOOST_TEST(has("members[0].name: is a name that every team has a node of"), all);
    BOOST_TEST(has("members[0].tools: there is no tool 'wether' (did you mean 'weather'?)"), all);
    BOOST_TEST(has("members[0].turns_max: is out of range"), all);
    BOOST_TEST(has("members[0].attempts_max: is out of range"), all);
    BOOST_TEST(has("members[1].name: "), all);
    BOOST_TEST(has("members[1].system: "), all);
    BOOST_TEST(has("members[1].hands_over[0].to: there is no member 'bgin' (did you mean 'begin'?)"), all);
    BOOST_TEST(has("members[1].hands_over[1].to: is the member itself"), all);
    BOOST_TEST(has("members[2].name: another member is called 'begin'"), all);
    BOOST_TEST(has("members[2].guards.tool_call[0].rule: there is nothing to check"), all);
    BOOST_TEST(tells(file_of("team", "'members': []"), "settings.members: is empty"));
    BOOST_TEST(tells(file_of("team", ""), "members"));
    BOOST_TEST(tells(one_team("", "'answer'"), "do not name 'messages'"));
    BOOST_TEST(tells(one_team("", "'messages'"), "no key for the answer"));
    BOOST_TEST(tells(one_team(", 'active': 'who'"), "settings.active: the node's writes do not name 'who'"));
}

BOOST_AUTO_TEST_CASE(members_that_nobody_hands_over_to_are_warned_of)
{
    const weft::loaded_graph loaded = weft::load_graph(
        spec_text(file_of("team", "'members': [{'name': 'x'}, {'name': 'y'}]")), registry_with(script()));
    BOOST_REQUIRE(loaded.warnings.size() == 1u);
    BOOST_TEST(loaded.warnings[0].find("nobody hands over to the member 'y'") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_team_is_written_as_it_was_read_and_can_be_looked_into)
{
    const weft::node_registry registry = registry_with(script());
    const std::string members = one_team(
        ", 'first': 'billing', 'prompt': 'Hello', 'active': 'who', 'hand_overs_max': 3", "'messages', 'answer', 'who'");
    BOOST_TEST(survives_writing(members, registry));
    const weft::loaded_graph loaded = weft::load_graph(spec_text(members), registry);
    const weft::subgraph* const inside = loaded.what.node(loaded.what.find("a")).body->inner();
    BOOST_REQUIRE(inside != nullptr);
    BOOST_TEST(inside->graph.node_names().size() == 3u);  // who begins, and the members
}

BOOST_AUTO_TEST_SUITE_END()
