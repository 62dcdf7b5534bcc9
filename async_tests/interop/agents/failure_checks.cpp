// Agents whose endpoint refuses, fails, or breaks off in the middle of a reply.

#include "agent_tools.hpp"
#include "checks.hpp"

#include <weft/agent/agent_session.hpp>
#include <weft/agent/node/recovering_model.hpp>
#include <weft/agent/react_agent.hpp>
#include <weft/agent/turn_agent.hpp>
#include <weft/engine/engine.hpp>
#include <weft/model/decorator/retrying_model.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace interop::agents {

namespace {

using namespace std::chrono_literals;

/** A tool that must not be called twice. */
struct order_book {
    int orders = 0;

    [[nodiscard]] weft::tool_set tools()
    {
        weft::tool_set set;
        set.add("order", "Orders a city.", [this](const place&) {
            ++orders;
            return std::string{"ordered"};
        });
        return set;
    }
};

weft::turn_agent_options turns_of(std::shared_ptr<weft::chat_model> model, std::string system)
{
    weft::turn_agent_options options;
    options.models = {std::move(model)};
    options.sections = {{.id = "who", .text = std::move(system), .is_sticky = true}};
    options.cascade.pause.initial = 1ms;
    return options;
}

std::string statuses(const std::vector<seen_request>& of)
{
    std::string text;
    for (const seen_request& one : of) text.append(text.empty() ? "" : " ").append(std::to_string(one.status));
    return text;
}

/** The decorator for retries waits as long as the server says, and the agent hears nothing of it. */
void check_rate_limit(mock_server& server)
{
    std::string attempts;
    weft::retrying_model_options retries;
    retries.on_attempt = [&attempts](const weft::model_attempt& seen) {
        attempts += seen.failure ? std::to_string(seen.failure->status) + " " : "200 ";
        if (seen.delay) expect("whether it waits as long as it is told", *seen.delay >= 1s && *seen.delay < 2s, true);
    };
    auto model = std::make_shared<weft::retrying_model>(server.model(), std::move(retries));
    order_book book;
    weft::turn_agent_options options = turns_of(std::move(model), "You wait.");
    options.tools = book.tools();
    const weft::turn_agent agent{std::move(options)};
    const weft::turn_agent_result result = weft::run_blocking(agent.run(agent.request("Order Rome.")));
    expect("the answer after a refusal (" + result.why + ")", result.answer, "Ordered.");
    expect("the attempts", attempts, "429 200 200 ");
    expect("the orders", book.orders, 1);
    expect("the turns", result.spent.turns, 2U);
    const std::vector<seen_request> sent = server.news();
    expect("what was answered", statuses(sent), "429 200 200");
    expect("whether a call has one key in all its attempts",
           !sent.at(0).header("idempotency-key").empty() &&
               sent.at(0).header("idempotency-key") == sent.at(1).header("idempotency-key") &&
               sent.at(0).header("idempotency-key") != sent.at(2).header("idempotency-key"),
           true);
}

void check_server_errors(mock_server& server)
{
    weft::agent_options chatting;
    chatting.model = weft::with_recovery(server.model(), nullptr);
    chatting.prompt.base = "You stumble.";
    weft::agent_session session{weft::agent_graph(std::move(chatting)), "stumbling"};
    const weft::run_result chat = weft::run_blocking(session.say("Are you there?"));
    expect("the reply after an error", chat.state.get(weft::agent_keys::status).reply, "Here I am.");
    expect("what was answered to the agent graph", statuses(server.news()), "500 200");

    const weft::turn_agent agent{turns_of(server.model(), "You fall.")};
    const weft::turn_agent_result fallen = weft::run_blocking(agent.run(agent.request("Are you there?")));
    expect("an endpoint that fails for good", fallen.trouble == weft::turn_trouble::llm_transport_error, true);
    expect_part("why", fallen.why, "4 calls of models failed in a row");
    expect_part("what the endpoint said", fallen.why, "not now");
    expect("what was answered to the turn agent", statuses(server.news()), "500 500 500 500");

    weft::react_options options;
    options.settings.system = "You fall.";
    options.settings.prompt = "Are you there?";
    const weft::react_agent react{server.model(), std::move(options)};
    const weft::run_result result = weft::run_blocking(react.graph(), weft::run_request{});
    expect("whether a react agent fails then", result.status == weft::run_status::failed, true);
    expect("its failure", name_of(result.why->code), name_of(weft::errc::model_overloaded));
    expect("what was answered to it", statuses(server.news()), "500");
}

/** A call that broke off is not carried out; what was said before it is taken back. */
void check_broken_stream(mock_server& server)
{
    order_book book;
    weft::turn_agent_options options = turns_of(server.model(), "You break off.");
    options.tools = book.tools();
    const weft::turn_agent agent{std::move(options)};
    std::string shown, taken_back, events;
    weft::run_request request = agent.request("Order Rome.");
    request.on_event([&](const weft::run_event& event) {
        if (event.label == "message_delta") shown += event.text;
        if (event.label == "retract") taken_back = std::exchange(shown, {});
        if (event.label == "retract" || event.label == "tool_start") events += event.label + " ";
    });
    const weft::turn_agent_result result = weft::run_blocking(agent.run(std::move(request)));
    expect("the answer after a stream that broke off (" + result.why + ")", result.answer, "Ordered.");
    expect("the orders after it", book.orders, 1);
    expect("what stands on the screen", shown, "I order. Ordered.");
    // What the server had written is lost with its connection, if it had not come so far.
    expect("its events", events, taken_back.empty() ? "tool_start " : "retract tool_start ");
    expect("what was taken back", std::string_view{"I order. "}.starts_with(taken_back), true);
    expect("the turns with it", result.spent.turns, 2U);
    const std::vector<seen_request> sent = server.news();
    expect("its requests", sent.size(), 3U);
    expect_shape("the second", sent.at(1), "system user");
    expect_shape("the third", sent.at(2), "system user assistant[call_o] tool[call_o]");
}

void check_broken_for_good(mock_server& server)
{
    order_book book;
    weft::react_options options;
    options.settings.system = "You break twice.";
    options.settings.prompt = "Order Rome.";
    options.settings.attempts_max = 2;
    options.tools = book.tools();
    options.retry.initial = 1ms;
    const weft::react_agent agent{server.model(), std::move(options)};
    const weft::run_result result = weft::run_blocking(agent.graph(), weft::run_request{});
    expect("whether it fails in the end", result.status == weft::run_status::failed, true);
    const bool is_cut =
        result.why->code == weft::errc::response_truncated || result.why->code == weft::errc::connection_lost;
    expect("whether it says that the stream broke off (" + result.message() + ")", is_cut, true);
    expect("the orders of calls that broke off", book.orders, 0);
    expect("the attempts at a stream that breaks off", server.news().size(), 2U);
}

}  // namespace

void check_failures(mock_server& server)
{
    check_rate_limit(server);
    check_server_errors(server);
    check_broken_stream(server);
    check_broken_for_good(server);
}

}  // namespace interop::agents
