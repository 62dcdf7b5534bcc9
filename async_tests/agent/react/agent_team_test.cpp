#include <boost/test/unit_test.hpp>

#include "agent/tool_agents.hpp"

#include <weft/agent/agent_team.hpp>
#include <weft/graph/graph_builder.hpp>

using weft::testing::scripted_turn;

BOOST_AUTO_TEST_SUITE(agent_team_test)

using namespace weft_tests::tool_agents;

namespace {

bool is_asked(const weft::chat_request& request, std::string_view agent)
{
    return request.messages[0].text() == "You are " + std::string{agent} + ".";
}

scripted_turn by(std::string agent, scripted_turn turn)
{
    const auto is_for = [agent = std::move(agent)](const weft::chat_request& request) {
        return is_asked(request, agent);
    };
    return turn.when(is_for);
}

scripted_turn hands_over_to(const std::string& agent) { return scripted_turn{}.call("transfer_to_" + agent); }

/** Two agents that may hand over to each other. */
weft::graph two_agents(const std::shared_ptr<weft::chat_model>& model, std::int64_t hand_overs_max = 8)
{
    weft::team_member alice{.agent = weather_agent("alice")};
    alice.agent.settings.hands_over = {{"bob", "for invoices"}};
    weft::team_member bob{.agent = weather_agent("bob")};
    bob.agent.settings.hands_over = {{"alice", "for the weather"}};
    weft::agent_team_options options;
    options.hand_overs_max = hand_overs_max;
    return weft::make_agent_team(model, {std::move(alice), std::move(bob)}, options);
}

std::string fault_of_team(std::vector<weft::team_member> members, weft::agent_team_options options = {})
{
    try {
        (void)weft::make_agent_team(script(), std::move(members), std::move(options));
    } catch (const weft::error& e) {
        return e.what();
    }
    return "none";
}

weft::message said_by(weft::role speaker, std::vector<weft::tool_call> calls)
{
    weft::message one;
    one.role = speaker;
    one.tool_calls = std::move(calls);
    return one;
}

}  // namespace

BOOST_AUTO_TEST_CASE(PYA_9_an_agent_hands_the_conversation_over)
{
    const auto model = script();
    model->then(by("alice", scripted_turn{"Moment."}.call("transfer_to_bob")))
        .then(by("bob", scripted_turn{}.call("weather", {{"city", "Rome"}})))
        .then(by("bob", scripted_turn{"Your invoice is wet."}));
    const weft::run_result result = ask(two_agents(model), "My invoice?");
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(path_of(result) == "begin alice bob");
    BOOST_TEST(result.state.get(weft::react_answer) == "Your invoice is wet.");
    BOOST_TEST(result.state.get(weft::active_agent) == "bob");
    BOOST_TEST(told(result.state.get(weft::react_messages)) ==
               "user: My invoice? / assistant: Moment.[transfer_to_bob] / tool: The conversation is with bob now. / "
               "assistant: [weather] / tool: rain in Rome / assistant: Your invoice is wet.");
    model->assert_complete();
    BOOST_TEST(model->requests()[1].messages.size() == 4u);  // system, and all that was said
}

BOOST_AUTO_TEST_CASE(PYA_9_calls_beside_a_hand_over_are_answered_and_not_made)
{
    const auto model = script();
    model->then(by("alice", scripted_turn{}.call("weather", {{"city", "Rome"}}).call("transfer_to_bob")))
        .then(by("bob", scripted_turn{"Yes?"}));
    const weft::run_result result = ask(two_agents(model), "My invoice?");
    const std::string all = told(result.state.get(weft::react_messages));
    BOOST_TEST(all.find("rain in Rome") == std::string::npos);
    BOOST_TEST(result.state.get(weft::react_messages).size() == 5u);  // one answer for each call
}

BOOST_AUTO_TEST_CASE(the_next_message_is_for_whoever_had_the_conversation)
{
    const auto model = script();
    model->then(by("alice", hands_over_to("bob"))).then(by("bob", scripted_turn{"Yes?"}));
    model->then(by("bob", scripted_turn{"Paid."}));
    const weft::graph team = two_agents(model);
    const weft::run_result first = ask(team, "My invoice?");
    const weft::run_result second = run_with(
        team, weft::run_request{}
                  .overwrite(weft::react_messages, weft::list<weft::message>{first.state.get(weft::react_messages)})
                  .overwrite(weft::active_agent, first.state.get(weft::active_agent))
                  .input(weft::react_messages, weft::message::user("Is it paid?")));
    BOOST_TEST(path_of(second) == "begin bob");
    BOOST_TEST(second.state.get(weft::react_answer) == "Paid.");
    // One who is no longer there does not get it.
    const weft::run_result third =
        run_with(two_agents(script()), weft::run_request{}.overwrite(weft::active_agent, std::string{"carol"}));
    BOOST_TEST(path_of(third).starts_with("begin alice"));
}

BOOST_AUTO_TEST_CASE(two_agents_that_send_a_user_to_and_fro_come_to_an_end)
{
    const auto model = script();
    for (int i = 0; i < 2; ++i) model->then(by("alice", hands_over_to("bob"))).then(by("bob", hands_over_to("alice")));
    model->then(by("alice", hands_over_to("bob")));  // the fifth, which is refused
    model->then(by("alice", scripted_turn{"I see to it."}).expects([](const weft::chat_request& request) {
        BOOST_TEST(last_of(request, weft::role::tool).find("done 4 times") != std::string::npos);
    }));
    const weft::run_result result = ask(two_agents(model, 4), "My invoice?");
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(path_of(result) == "begin alice bob alice bob alice");
    BOOST_TEST(result.state.get(weft::react_answer) == "I see to it.");
    model->assert_complete();
}

BOOST_AUTO_TEST_CASE(an_agent_hands_over_to_those_on_its_list_only)
{
    const auto model = script();
    model->then(by("alice", hands_over_to("carol")));
    model->then(by("alice", scripted_turn{"Then I do it."}).expects([](const weft::chat_request& request) {
        BOOST_TEST(last_of(request, weft::role::tool).find("transfer_to_carol") != std::string::npos);
    }));
    weft::team_member alice{.agent = weather_agent("alice")};
    alice.agent.settings.hands_over = {{"bob", ""}};
    const weft::graph team = weft::make_agent_team(
        model, {alice, {.agent = weather_agent("bob")}, {.agent = weather_agent("carol")}});
    BOOST_TEST(path_of(ask(team, "Hello")) == "begin alice");
    model->assert_complete();
}

BOOST_AUTO_TEST_CASE(a_user_who_speaks_gives_all_hand_overs_back)
{
    const weft::tool_call to_bob{"1", "transfer_to_bob", "{}"};
    weft::list<weft::message> said;
    said.push_back(weft::message::user("Hello"));
    said.push_back(said_by(weft::role::assistant, {to_bob}));
    BOOST_TEST(weft::count_handoffs(said) == 0u);  // not done yet
    said.push_back(weft::message::tool_result("1", "done"));
    BOOST_TEST(weft::count_handoffs(said) == 1u);
    said.push_back(said_by(weft::role::assistant, {to_bob, {"2", "weather", "{}"}}));
    said.push_back(weft::message::tool_error("1", "refused"));
    said.push_back(weft::message::tool_result("2", "rain"));
    BOOST_TEST(weft::count_handoffs(said) == 1u);
    said.push_back(weft::message::user("And now?"));
    BOOST_TEST(weft::count_handoffs(said) == 0u);
}

BOOST_AUTO_TEST_CASE(members_may_have_models_of_their_own_and_anybody_may_begin)
{
    const auto cheap = script();
    cheap->then(scripted_turn{"Hi."});
    weft::agent_team_options options;
    options.first = "bob";
    const weft::graph team = weft::make_agent_team(
        script(), {{.agent = weather_agent("alice")}, {.model = cheap, .agent = weather_agent("bob")}}, options);
    BOOST_TEST(path_of(ask(team, "Hello")) == "begin bob");
    cheap->assert_complete();
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_a_team_is_told)
{
    BOOST_TEST(fault_of_team({}).find("has no members") != std::string::npos);
    BOOST_TEST(fault_of_team({{.agent = weather_agent("a")}, {.agent = weather_agent("a")}}).find("are called 'a'") !=
               std::string::npos);
    weft::agent_team_options options;
    options.first = "z";
    BOOST_TEST(fault_of_team({{.agent = weather_agent("a")}}, options).find("'z'") != std::string::npos);
    weft::team_member lost{.agent = weather_agent("a")};
    lost.agent.settings.hands_over = {{"nobody", ""}};
    BOOST_TEST(fault_of_team({lost}).find("nobody") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
