#include <boost/test/unit_test.hpp>

#include "agent/tool_agents.hpp"

#include <weft/agent/ask_agent.hpp>
#include <weft/agent/turn_agent.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/graph_builder.hpp>

using weft::testing::scripted_turn;

BOOST_AUTO_TEST_SUITE(ask_agent_test)

using namespace weft_tests::tool_agents;

namespace {

/** The answer of a task, or `code: text` of its error. */
std::string answer_in(weft::testing::simulation& sim, weft::task<std::string> asking)
{
    try {
        return sim.run(std::move(asking));
    } catch (const weft::error& e) {
        return std::string{name_of(e.code())} + ": " + e.what();
    }
}

weft::turn_agent turns_with(std::shared_ptr<weft::testing::scripted_model> model)
{
    weft::turn_agent_options options;
    options.models = {std::move(model)};
    return weft::turn_agent{std::move(options)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_agent_is_asked_in_one_call_and_calls_its_tools)
{
    const auto model = script();
    model->then(scripted_turn{}.call("weather", {{"city", "Rome"}})).then(scripted_turn{"Take an umbrella."});
    weft::testing::simulation sim{1};
    weft::task<std::string> asking = weft::react_agent{model, weather_agent()}.ask("Umbrella?");  // outlives its agent
    BOOST_TEST(answer_in(sim, std::move(asking)) == "Take an umbrella.");
    BOOST_TEST(last_of(model->requests().front(), weft::role::user) == "Umbrella?");
    model->assert_complete();
}

BOOST_AUTO_TEST_CASE(a_call_begins_a_conversation_of_its_own)
{
    const auto model = script();
    model->then(scripted_turn{"One."}).then(scripted_turn{"Two."});
    const weft::react_agent agent{model, weather_agent()};
    weft::testing::simulation sim{1};
    BOOST_TEST(answer_in(sim, agent.ask("First?")) == "One.");
    BOOST_TEST(answer_in(sim, weft::ask_agent(agent.graph(), "Second?")) == "Two.");
    BOOST_TEST(model->requests().back().messages.size() == 2u);  // the system's and the user's
}

BOOST_AUTO_TEST_CASE(an_agent_that_fails_throws_why)
{
    weft::testing::simulation sim{1};
    const weft::react_agent agent{script(), weather_agent()};  // a script without turns
    const std::string failed = answer_in(sim, agent.ask("Umbrella?"));
    BOOST_TEST(failed.starts_with("model_rejected: graph 'agent': "), failed);
    BOOST_TEST(failed.find("node 'think'") != std::string::npos, failed);

    weft::graph_builder builder{"silent"};
    builder.state(weft::react_messages, weft::react_answer).node("a", [] {}).chain({weft::start, "a"});
    const std::string silent = answer_in(sim, weft::ask_agent(builder.build(), "Umbrella?"));
    BOOST_TEST(silent.starts_with("missing_state_value: key 'answer'"), silent);

    weft::graph_builder other{"other"};
    other.node("a", [] {}).chain({weft::start, "a"});
    const std::string lacks = answer_in(sim, weft::ask_agent(other.build(), "Umbrella?"));
    BOOST_TEST(lacks.starts_with("unknown_state_key: "), lacks);
    BOOST_TEST(lacks.find("'messages'") != std::string::npos, lacks);
}

BOOST_AUTO_TEST_CASE(limits_hold)
{
    const auto model = script();
    model->then(scripted_turn{}.call("weather", {{"city", "Rome"}}));
    const weft::react_agent agent{model, weather_agent()};
    weft::testing::simulation sim{1};
    const std::string stopped =
        answer_in(sim, weft::ask_agent(agent.graph(), "Umbrella?", weft::run_options{}.steps_max(1)));
    BOOST_TEST(stopped.starts_with("steps_exceeded: "), stopped);
}

BOOST_AUTO_TEST_CASE(a_turn_agent_is_asked_in_one_call)
{
    const auto model = script();
    model->then(scripted_turn{"Water falls."});
    weft::testing::simulation sim{1};
    BOOST_TEST(answer_in(sim, turns_with(model).ask("Why does it rain?")) == "Water falls.");

    const auto refusing = script();
    for (int i = 0; i < 8; ++i) refusing->then(scripted_turn{" \n"});  // empty replies
    const std::string failed = answer_in(sim, turns_with(refusing).ask("Why does it rain?"));
    BOOST_TEST(failed.starts_with("node_failed: agent: "), failed);
    BOOST_TEST(failed.find("without an answer") != std::string::npos, failed);
}

BOOST_AUTO_TEST_SUITE_END()
