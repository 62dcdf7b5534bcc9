// The agents that talk in turns: the turn agent, and the agent graph with its completion signal.

#include "agent_tools.hpp"
#include "checks.hpp"

#include <weft/agent/agent_session.hpp>
#include <weft/agent/turn_agent.hpp>
#include <weft/base/json.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace interop::agents {

namespace {

constexpr std::string_view booked = "Grüße 😀😀: it rains in Rome, and the train is booked.";

struct heard {
    void listen(const weft::run_event& event)
    {
        if (event.what != weft::run_event::kind::output) return;
        if (event.label == "message_delta") {
            ++pieces;
            text += event.text;
            if (!labels.ends_with("message_delta")) labels += " message_delta";
        } else if (event.label != "usage") {
            labels.append(labels.empty() ? "" : " ").append(event.label);
        }
    }
    int pieces = 0;
    std::string text;
    std::string labels;
};

weft::tool_set journey_tools()
{
    weft::tool_set tools;
    add_weather(tools);
    tools.add("book", "Books a train to a city.", [](const place& to) { return "booked: " + to.city; });
    return tools;
}

void expect_journey_requests(mock_server& server)
{
    const std::vector<seen_request> sent = server.news();
    expect("the requests of the turn agent", sent.size(), 3U);
    expect_shape("the first", sent.at(0), "system user");
    expect_shape("the second", sent.at(1),
           "system user assistant[call_rome call_oslo] tool[call_rome] tool[call_oslo]");
    expect_shape("the third", sent.at(2),
           "system user assistant[call_rome call_oslo] tool[call_rome] tool[call_oslo] assistant[call_book] "
           "tool[call_book]");
    for (const seen_request& request : sent) {
        expect("the status of a turn", request.status, 200);
        expect("what the system says", request.system(), "You plan journeys. Be brief.");
        expect("what is asked", request.last_of("user"), "How is the weather in Rome and Oslo?");
        expect("the tools that are offered", request.tool_names(), "book weather");
    }
    if (server.which() == dialect::gemini) return;
    const boost::json::object schema = sent.at(0).schema_of("weather");
    const boost::json::object city{{"type", "string"}, {"description", "in English"}};
    expect("the schema of a parameter", schema.at("properties").at("city"), boost::json::value(city));
    expect("what a tool must be given", schema.at("required"), boost::json::value(boost::json::array{"city"}));
}

weft::agent_options shop_keeper(const mock_server& server)
{
    weft::tool_set tools;
    tools.add("stock", "How many of an item are on the shelf.", [](const boost::json::object& what) {
        return what.at("item") == "umbrella" ? 2 : 0;
    });
    weft::agent_options options;
    options.model = server.model();
    options.tools = std::make_shared<const weft::tool_set>(std::move(tools));
    options.prompt.base = "You help in a shop.";
    options.prompt.channel = "You speak in a terminal.";
    return options;
}

weft::task<void> chat(mock_server& server)
{
    std::vector<weft::completion_signal> signals;
    weft::agent_session_options options;
    options.on_complete = [&signals](const weft::completion_signal& signal) { signals.push_back(signal); };
    weft::agent_session session{weft::agent_graph(shop_keeper(server)), "shop", std::move(options)};

    const weft::run_result first = co_await session.say("Do we have umbrellas?");
    expect_finished("the first talk", first, "input_handler agent");
    expect("its reply", first.state.get(weft::agent_keys::status).reply, "There are two.");
    const weft::run_result second = co_await session.say("Sell me one.");
    expect_finished("the second talk", second);
    const weft::agent_status status = second.state.get(weft::agent_keys::status);
    expect("what it is blocked by", status.outcome.blocker, "I may not sell.");

    expect("the signals", signals.size(), 2U);
    expect("the first signal", signals.at(0) == weft::completion_signal{"shop", weft::agent_stop::done, false}, true);
    expect("the second signal", signals.at(1) == weft::completion_signal{"shop", weft::agent_stop::blocked, true},
           true);
}

}  // namespace

void check_turn_agent(mock_server& server)
{
    weft::turn_agent_options options;
    options.models = {server.model()};
    options.tools = journey_tools();
    options.sections = {{.id = "who", .text = "You plan journeys. Be brief.", .is_sticky = true}};
    const weft::turn_agent agent{std::move(options)};
    heard events;
    weft::run_request request = agent.request("How is the weather in Rome and Oslo?", "journey");
    request.on_event([&events](const weft::run_event& event) { events.listen(event); });
    const weft::turn_agent_result result = weft::run_blocking(agent.run(std::move(request)));

    const std::string turn = "prepare llmCall parse execute reconcile ";
    expect_finished("the turn agent", result.run, turn + turn + turn + "finish");
    expect("its outcome (" + result.why + ")", static_cast<int>(result.outcome),
           static_cast<int>(weft::agent_outcome::answered));
    expect("its answer", result.answer, booked);
    const bool is_first_mock = server.which() != dialect::other_openai;
    expect("what came in pieces", events.text, (is_first_mock ? "Let me look. 😀" : "") + std::string{booked});
    expect("whether they were many", events.pieces > 8, true);
    const std::string says = is_first_mock ? "turn_start message_delta message_end" : "turn_start message_end";
    expect("its events", events.labels,
           "agent_start " + says + " tool_start tool_end tool_start tool_end turn_end turn_start message_end "
           "tool_start tool_end turn_end turn_start message_delta message_end turn_end agent_end");
    expect("its turns", result.spent.turns, 3U);
    expect("its calls of tools", result.spent.tool_calls, 3U);
    const bool counts_tokens = is_first_mock && server.which() != dialect::ollama;
    if (counts_tokens) expect("the tokens that it used", result.spent.used.count(), 330);
    expect_journey_requests(server);
}

void check_agent_chat(mock_server& server)
{
    weft::run_blocking(chat(server));
    const std::vector<seen_request> sent = server.news();
    expect("the requests of the agent graph", sent.size(), 3U);
    expect_shape("the second", sent.at(1), "system user assistant[call_stock] tool[call_stock]");
    expect_part("the result of its tool", sent.at(1).last_of("tool"), "2");
    expect("what the second talk says", sent.at(2).last_of("user"), "Sell me one.");
    for (const seen_request& request : sent) {
        expect_part("the words about the blocks", request.system(), "AGENT_DONE");
        expect_part("where it speaks", request.system(), "You speak in a terminal.");
        expect("its temperature", request.body.at("temperature").to_number<double>(), 0.2);
    }
}

}  // namespace interop::agents
