// Agents whose model thinks before it calls tools. The server refuses a turn that goes on without the thoughts and
// signatures of the one before.

#include "agent_tools.hpp"
#include "checks.hpp"

#include <weft/agent/agent_session.hpp>
#include <weft/agent/event_loop.hpp>
#include <weft/agent/react_agent.hpp>
#include <weft/agent/turn_agent.hpp>
#include <weft/base/json.hpp>
#include <weft/engine/engine.hpp>
#include <weft/model/anthropic_model.hpp>

#include <boost/json/serialize.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace interop::agents {

namespace {

constexpr const char* thinks = "You think first.";
constexpr std::string_view visible = "Take an umbrella.";

std::shared_ptr<weft::chat_model> thinker(const mock_server& server)
{
    weft::anthropic_model_options options;
    options.base_url = server.root() + "/v1";
    options.model = "claude-sonnet-4-5";
    options.key = weft::secret_string{"right"};
    options.settings.thinking.how = weft::anthropic_thinking::mode::budget;
    options.settings.thinking.budget = weft::tokens{2048};
    options.settings.headers = {{"X-AIMock-Strict", "true"}};
    return std::make_shared<weft::anthropic_model>(weft::http_client{}, std::move(options));
}

weft::tool_set weather_only()
{
    weft::tool_set tools;
    add_weather(tools);
    return tools;
}

void think_in_turns(const mock_server& server)
{
    weft::turn_agent_options options;
    options.models = {thinker(server)};
    options.tools = weather_only();
    options.sections = {{.id = "who", .text = thinks, .is_sticky = true}};
    const weft::turn_agent agent{std::move(options)};
    const weft::turn_agent_result result = weft::run_blocking(agent.run(agent.request("Umbrella?")));
    expect("whether the turn agent that thinks answers (" + result.why + ")", result.answer.starts_with(visible), true);

    // What was thought must outlive a store, too, which keeps JSON.
    const boost::json::object left = result.run.state.to_json();
    const boost::json::object kept = weft::parse_json(boost::json::serialize(left)).as_object();
    weft::run_request request = agent.request("And in Oslo?");
    request.input(boost::json::object{{"conversation", kept.at("conversation")}});
    const weft::turn_agent_result second = weft::run_blocking(agent.run(std::move(request)));
    expect("its second answer (" + second.why + ")", second.answer, "There, too.");
}

void think_in_a_loop(const mock_server& server)
{
    weft::react_options options;
    options.settings.system = thinks;
    options.settings.prompt = "Umbrella?";
    options.tools = weather_only();
    const weft::react_agent agent{thinker(server), std::move(options)};
    expect_finished("the react agent that thinks", weft::run_blocking(agent.graph(), weft::run_request{}),
                    "think act think");
}

void think_in_a_chat(const mock_server& server)
{
    weft::agent_options options;
    options.model = thinker(server);
    options.tools = std::make_shared<const weft::tool_set>(weather_only());
    options.prompt.base = thinks;
    weft::agent_session session{weft::agent_graph(std::move(options)), "umbrella"};
    const weft::run_result result = weft::run_blocking(session.say("Umbrella?"));
    expect("what the agent graph that thinks says", result.state.get(weft::agent_keys::status).reply, visible);
}

/** The judge, who may write a few words only, cannot think, and judges all the same. */
void think_and_be_judged(mock_server& server)
{
    weft::event_loop_options options;
    options.settings.system = thinks;
    options.settings.prompt = "Umbrella?";
    options.settings.criteria = "It says which one.";
    options.tools = std::make_shared<const weft::tool_set>(weather_only());
    weft::graph_builder builder{"umbrella"};
    weft::add_event_loop(builder, "choose", thinker(server), std::move(options));
    builder.edge(weft::start, "choose");
    const weft::graph loop = builder.build();
    std::string warnings;
    weft::run_request request;
    request.on_event([&warnings](const weft::run_event& event) {
        if (event.label == "warning") warnings += event.text;
    });
    const weft::run_result result = weft::run_blocking(loop, std::move(request));
    expect_finished("the event loop that thinks", result, "choose");
    expect("its warnings", warnings, "");
    const std::vector<seen_request> sent = server.news();
    expect("its requests and those of its judge", sent.size(), 6U);
    expect_part("what it was told by its judge", sent.at(3).last_of("user"), "Say which umbrella.");
}

}  // namespace

void check_thinking(mock_server& server)
{
    think_in_turns(server);
    think_in_a_loop(server);
    think_in_a_chat(server);
    expect("the requests of agents that think", server.news().size(), 7U);
    think_and_be_judged(server);
}

}  // namespace interop::agents
