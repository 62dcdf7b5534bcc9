#include <boost/test/unit_test.hpp>

#include "agent/tool_agents.hpp"

#include <weft/base/error.hpp>
#include <weft/engine/memory_journal.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/tool/call/client_call.hpp>

#include <algorithm>

using weft::testing::scripted_turn;

BOOST_AUTO_TEST_SUITE(react_agent_test)

using namespace weft_tests::tool_agents;

namespace {

constexpr weft::state_key<double> score{"score"};
constexpr weft::state_key<std::string> verdict{"verdict"};

scripted_turn asks_weather(std::string city, std::string id = {})
{
    return scripted_turn{}.call("weather", {{"city", city}}, std::move(id));
}

weft::errc code_of_options(weft::react_options options)
{
    try {
        const weft::react_agent agent{script(), std::move(options)};
    } catch (const weft::error& e) {
        return e.code();
    }
    return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_model_goes_round_with_its_tools_until_it_answers)
{
    const auto model = script();
    model->then(asks_weather("Rome").call("weather", {{"city", "Bonn"}}))
        .then(asks_weather("Oslo"))
        .then(scripted_turn{"Take an umbrella."});
    const weft::react_agent agent{model, weather_agent()};
    const weft::run_result result = ask(agent.graph(), "Umbrella?");
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(path_of(result) == "think act think act think");
    BOOST_TEST(result.state.get(weft::react_answer) == "Take an umbrella.");
    BOOST_TEST(told(result.state.get(weft::react_messages)) ==
               "user: Umbrella? / assistant: [weather][weather] / tool: rain in Rome / tool: rain in Bonn / "
               "assistant: [weather] / tool: rain in Oslo / assistant: Take an umbrella.");
    model->assert_complete();
    const weft::chat_request first = model->requests().front();
    BOOST_TEST(first.messages[0].text() == "You are agent.");
    BOOST_TEST(first.tools.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_request_shares_the_messages_of_the_conversation)
{
    const auto model = script();
    model->then(asks_weather("Rome")).then(asks_weather("Oslo")).then(scripted_turn{"Take one."});
    const weft::react_agent agent{model, weather_agent()};
    const weft::run_result result = ask(agent.graph(), "Umbrella?");
    const std::vector<weft::chat_request> asked = model->requests();
    BOOST_REQUIRE(asked.size() == 3u);
    BOOST_TEST(asked[1].messages.extends(asked[0].messages));
    BOOST_TEST(asked[2].messages.extends(asked[1].messages));
    for (const weft::chat_request& one : asked) {
        BOOST_TEST(&one.messages[0] == &asked[0].messages[0]);
        for (std::size_t i = 1; i < one.messages.size(); ++i)
            BOOST_TEST(&one.messages[i] == &result.state.get(weft::react_messages)[i - 1]);
    }
    weft::list<weft::message> sent{weft::message::system("You are agent.")};
    for (const weft::message& said : result.state.get(weft::react_messages)) sent.push_back(said);
    BOOST_TEST(sent.size() == asked[2].messages.size() + 1);
    BOOST_TEST(std::equal(asked[2].messages.begin(), asked[2].messages.end(), sent.begin()));
}

BOOST_AUTO_TEST_CASE(a_conversation_that_a_tool_replaced_is_sent_as_it_is)
{
    const auto model = script();
    model->then(asks_weather("Rome"));
    model->then(scripted_turn{}.call("forget", {{"city", "Rome"}})).then(scripted_turn{"Hi."});
    weft::react_options options = weather_agent();
    options.tools.add("forget", "Begins anew.", [](const city_of_tool&) {
        weft::list<weft::message> anew;
        for (int i = 0; i < 6; ++i) anew.push_back(weft::message::user("Begin anew."));
        weft::tool_result done = weft::tool_result::text("done");
        done.update.overwrite(weft::react_messages, std::move(anew));
        return done;
    });
    const weft::react_agent agent{model, std::move(options)};
    BOOST_TEST(ask(agent.graph(), "Umbrella?").message() == "finished");
    const std::vector<weft::chat_request> asked = model->requests();
    BOOST_REQUIRE(asked.size() == 3u);
    BOOST_TEST(asked[2].messages.size() == 7u);
    BOOST_TEST(asked[2].messages[0].text() == "You are agent.");
    for (std::size_t i = 1; i < asked[2].messages.size(); ++i)
        BOOST_TEST(asked[2].messages[i].text() == "Begin anew.");
}

BOOST_AUTO_TEST_CASE(what_the_system_says_is_said_anew_in_each_turn)
{
    const auto model = script();
    model->then(asks_weather("Rome")).then(asks_weather("Oslo")).then(scripted_turn{"Take one."});
    weft::react_options options = weather_agent();
    options.settings.system = "Turns so far: {react_turns}.";
    const weft::react_agent agent{model, std::move(options)};
    BOOST_TEST(ask(agent.graph(), "Umbrella?").message() == "finished");
    const std::vector<weft::chat_request> asked = model->requests();
    BOOST_REQUIRE(asked.size() == 3u);
    BOOST_TEST(asked[1].messages[0].text() == "Turns so far: 1.");
    BOOST_TEST(asked[2].messages[0].text() == "Turns so far: 2.");
    BOOST_TEST(asked[2].messages.size() == 6u);
}

BOOST_AUTO_TEST_CASE(at_the_limit_the_model_is_asked_once_more_without_tools)
{
    const auto model = script();
    model->then(asks_weather("Rome"), 2).then(scripted_turn{"It rains, I think."});
    weft::react_options options = weather_agent();
    options.settings.turns_max = 2;
    const weft::react_agent agent{model, std::move(options)};
    const weft::run_result result = ask(agent.graph(), "Umbrella?");
    BOOST_TEST(path_of(result) == "think act think act answer");
    BOOST_TEST(result.state.get(weft::react_answer) == "It rains, I think.");
    const weft::chat_request last = model->requests().back();
    BOOST_TEST((last.tool_choice.how == weft::tool_choice::mode::none));
    BOOST_TEST(last_of(last, weft::role::user).find("Answer now") != std::string::npos);
    BOOST_TEST(last.tools.size() == 1u);  // providers want to know the tools of calls in the history
}

BOOST_AUTO_TEST_CASE(a_model_that_calls_tools_even_then_has_failed)
{
    const auto model = script();
    model->otherwise(asks_weather("Rome"));
    weft::react_options options = weather_agent();
    options.settings.turns_max = 1;
    const weft::react_agent agent{model, std::move(options)};
    const weft::run_result result = ask(agent.graph(), "Umbrella?");
    BOOST_TEST((result.status == weft::run_status::failed));
    BOOST_TEST((result.why->code == weft::errc::invalid_model_reply));
    BOOST_TEST(model->requests().size() == 2u);
}

BOOST_AUTO_TEST_CASE(at_the_limit_it_fails_or_stops_if_told_so)
{
    for (const weft::react_limit limit : {weft::react_limit::fail, weft::react_limit::stop}) {
        const auto model = script();
        model->otherwise(asks_weather("Rome"));
        weft::react_options options = weather_agent();
        options.settings.turns_max = 3;
        options.settings.at_limit = limit;
        const weft::react_agent agent{model, std::move(options)};
        const weft::run_result result = ask(agent.graph(), "Umbrella?");
        BOOST_TEST(model->requests().size() == 3u);
        BOOST_TEST(result.state.find(weft::react_answer) == nullptr);
        if (limit == weft::react_limit::stop) {
            BOOST_TEST(result.message() == "finished");
        } else {
            BOOST_REQUIRE((result.status == weft::run_status::failed));
            BOOST_TEST((result.why->code == weft::errc::limit_reached));
            BOOST_TEST(result.message().find("after 3 turns") != std::string::npos);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_structured_answer_is_asked_for_at_the_end)
{
    const auto model = script();
    model->then(asks_weather("Rome")).then(scripted_turn{"It rains."}).then(scripted_turn{"no JSON"});
    model->then(scripted_turn{R"({"score": 0.9, "verdict": "wet"})"});
    weft::react_options options = weather_agent();
    options.keys = {weft::react_messages, score, verdict};
    options.writes = {"score", "verdict"};
    options.settings.attempts_max = 2;
    const weft::react_agent agent{model, std::move(options)};
    const weft::run_result result = ask(agent.graph(), "Umbrella?");
    BOOST_TEST(path_of(result) == "think act think answer");
    BOOST_TEST(result.state.get(score) == 0.9);
    BOOST_TEST(result.state.get(verdict) == "wet");
    const std::vector<weft::chat_request> asked = model->requests();
    BOOST_REQUIRE(asked.size() == 4u);
    BOOST_TEST(!asked[0].output.has_value());
    BOOST_REQUIRE(asked[2].output.has_value());
    BOOST_TEST(asked[2].output->schema.at("properties").as_object().contains("score"));
    BOOST_TEST(last_of(asked[3], weft::role::user).find("Your last answer could not be used") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_agent_without_tools_answers_at_once)
{
    const auto model = script();
    model->then(scripted_turn{"Hello."});
    weft::react_options options;
    options.settings.prompt = "Say hello.";
    const weft::react_agent agent{model, std::move(options)};
    const weft::run_result result = run_with(agent.graph(), {});
    BOOST_TEST(path_of(result) == "think");
    BOOST_TEST(told(result.state.get(weft::react_messages)) == "user: Say hello. / assistant: Hello.");
}

BOOST_AUTO_TEST_CASE(as_a_node_it_shares_what_its_graph_declares)
{
    const auto model = script();
    model->then(asks_weather("Rome")).then(scripted_turn{"It rains."});
    const weft::react_agent agent{model, weather_agent()};
    const weft::graph outer = weft::graph_builder{"outer"}
                                  .state(weft::react_messages, weft::react_answer, verdict)
                                  .node("ask", agent.as_node())
                                  .node("judge", [](weft::node_context& node) {
                                      node.set(verdict, "said: " + node.get(weft::react_answer));
                                  })
                                  .edge(weft::start, "ask")
                                  .edge("ask", "judge")
                                  .build();
    const weft::run_result result = ask(outer, "Umbrella?");
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(result.state.get(verdict) == "said: It rains.");
    BOOST_TEST(result.state.get(weft::react_messages).size() == 4u);
}

BOOST_AUTO_TEST_CASE(a_thread_that_goes_on_has_all_its_turns_again)
{
    const auto model = script();
    model->then(asks_weather("Rome")).then(scripted_turn{"Rain."});
    model->then(asks_weather("Bonn")).then(scripted_turn{"Too."});
    weft::react_options options = weather_agent();
    options.settings.turns_max = 2;
    const weft::react_agent agent{model, std::move(options)};
    const weft::graph outer = weft::graph_builder{"outer"}
                                  .state(weft::react_messages, weft::react_answer)
                                  .node("ask", agent.as_node())
                                  .edge(weft::start, "ask")
                                  .build();
    const weft::run_result first = ask(outer, "Rome?");
    weft::list<weft::message> said = first.state.get(weft::react_messages);
    const weft::run_result second =
        run_with(outer, weft::run_request{}
                            .overwrite(weft::react_messages, std::move(said))
                            .input(weft::react_messages, weft::message::user("And Bonn?")));
    BOOST_TEST(second.state.get(weft::react_answer) == "Too.");
    BOOST_TEST(second.state.get(weft::react_messages).size() == 8u);
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_an_agent_is_told)
{
    const auto with = [](auto change) {
        weft::react_options options = weather_agent();
        change(options);
        return code_of_options(std::move(options));
    };
    using weft::errc;
    BOOST_TEST((with([](auto&) {}) == errc{}));
    BOOST_TEST((with([](auto& o) { o.settings.turns_max = 0; }) == errc::invalid_configuration));
    BOOST_TEST((with([](auto& o) { o.settings.hand_overs_max = -1; }) == errc::invalid_configuration));
    BOOST_TEST((with([](auto& o) { o.settings.calls_max = 0; }) == errc::invalid_configuration));
    BOOST_TEST((with([](auto& o) { o.writes.clear(); }) == errc::invalid_configuration));
    BOOST_TEST((with([](auto& o) { o.writes = {"nothing"}; }) == errc::invalid_configuration));
    BOOST_TEST((with([](auto& o) { o.settings.hands_over = {{"no name", ""}}; }) == errc::invalid_configuration));
    BOOST_TEST((with([](auto& o) { o.settings.system = "{unclosed"; }) == errc::invalid_configuration));
}

namespace {

constexpr weft::state_key<weft::client_tools> sent_tools{"client_tools"};

/** With a tool of its own, and those of its client. */
weft::react_options helpful_agent(weft::client_tools_offer offer = true)
{
    weft::react_options options = weather_agent();
    options.settings.client_tools = std::move(offer);
    options.keys.emplace_back(sent_tools);
    return options;
}

weft::client_tools tools_named(std::initializer_list<std::string> names)
{
    weft::client_tools sent;
    for (const std::string& name : names) {
        weft::tool_spec tool;
        tool.name = name;
        sent.tools.push_back(std::move(tool));
    }
    return sent;
}

weft::run_request asking_with(weft::client_tools sent)
{
    weft::run_request request;
    request.input(weft::react_messages, weft::message::user("Where?")).input(sent_tools, std::move(sent));
    return request;
}

std::string tools_of(const weft::chat_request& request)
{
    std::string names;
    for (const weft::tool_spec& one : request.tools) names.append(names.empty() ? "" : " ").append(one.name);
    return names;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_call_of_a_tool_of_the_client_is_a_question_whose_answer_is_its_result)
{
    const auto model = script();
    model->then(asks_weather("Rome").call("locate", {{"exact", true}}, "call_7")).then(scripted_turn{"In Rome."});
    const weft::react_agent agent{model, helpful_agent()};
    weft::testing::simulation sim{1};
    const weft::engine engine{agent.graph()};
    const auto journal = std::make_shared<weft::memory_journal>("t/r");
    weft::client_tools sent = tools_named({"locate", "weather"});
    sent.choice.how = weft::tool_choice::mode::required;
    sent.in_parallel = true;
    const weft::run_result asked = sim.run(engine.run(asking_with(sent).journal(journal)));
    BOOST_TEST_REQUIRE(asked.message() == "paused");
    BOOST_TEST_REQUIRE(asked.questions.size() == 1u);
    const auto call = weft::client_call_in(asked.questions[0].asked.about);
    BOOST_TEST_REQUIRE(call.has_value());
    BOOST_TEST(call->id == "call_7");
    BOOST_TEST(call->arguments == R"({"exact":true})");
    weft::question_answers answers;
    answers.emplace(asked.questions[0].address, "Via Appia");
    weft::run_request again;
    const weft::run_result done = sim.run(
        engine.run(again.resume(asked.paused_at).answers(std::move(answers)).journal(journal)));
    BOOST_TEST(done.message() == "finished");
    BOOST_TEST(told(done.state.get(weft::react_messages)) ==
               "user: Where? / assistant: [weather][locate] / tool: rain in Rome / tool: Via Appia / "
               "assistant: In Rome.");
    const std::vector<weft::chat_request> requests = model->requests();
    BOOST_TEST_REQUIRE(requests.size() == 2u);
    // The agent's own tool counts; what must be called is called once.
    BOOST_TEST(tools_of(requests[0]) == "weather locate");
    BOOST_TEST((requests[0].tool_choice.how == weft::tool_choice::mode::required));
    BOOST_TEST((requests[0].parallel_tool_calls == true));
    BOOST_TEST((requests[1].tool_choice.how == weft::tool_choice::mode::automatic));
}

BOOST_AUTO_TEST_CASE(an_agent_offers_those_tools_of_its_client_that_it_names)
{
    const auto model = script();
    model->then(scripted_turn{}.call("look", boost::json::object{}, "c1")).then(scripted_turn{"No."});
    const weft::react_agent agent{model, helpful_agent(std::vector<std::string>{"locate"})};
    const weft::run_result result = run_with(agent.graph(), asking_with(tools_named({"locate", "look"})));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(tools_of(model->requests().front()) == "weather locate");
    BOOST_TEST(result.state.get(weft::react_messages)[2].text().find("no tool 'look'") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_agent_without_a_client_has_its_own_tools)
{
    const auto model = script();
    model->then(scripted_turn{"Hi."});
    const weft::react_agent agent{model, helpful_agent()};
    BOOST_TEST(ask(agent.graph(), "Hello").message() == "finished");
    BOOST_TEST(tools_of(model->requests().front()) == "weather");
    weft::react_options keyless = weather_agent();
    keyless.settings.client_tools = true;
    BOOST_TEST((code_of_options(std::move(keyless)) == weft::errc::invalid_configuration));
}

BOOST_AUTO_TEST_SUITE_END()
