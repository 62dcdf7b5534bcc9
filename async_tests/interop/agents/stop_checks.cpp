// Runs that are stopped in the middle of a stream which would go on for ten minutes: they end at once, and the server
// sees that the client has gone away.

#include "agent_tools.hpp"
#include "checks.hpp"

#include <weft/agent/agent_graph.hpp>
#include <weft/agent/chat_agent/completion_signal.hpp>
#include <weft/agent/event_loop.hpp>
#include <weft/agent/react_agent.hpp>
#include <weft/agent/turn_agent.hpp>
#include <weft/engine/engine.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

namespace interop::agents {

namespace {

constexpr const char* endless = "You talk for ever.";

/** Does something once, when the first text has come. */
weft::run_request::event_function at_first_word(std::function<void()> act)
{
    return [act = std::move(act), is_done = false](const weft::run_event& event) mutable {
        const bool is_text = event.label == "message_delta" || event.label == "output" || event.label == "delta" ||
                             event.label == "internal_output";
        if (event.what != weft::run_event::kind::output || !is_text || event.text.empty() || is_done) return;
        is_done = true;
        act();
    };
}

void expect_stopped(std::string_view what, mock_server& server, const weft::run_result& result, std::size_t number)
{
    expect(std::string{what} + ": status (" + result.message() + ")", result.status == weft::run_status::cancelled,
           true);
    expect(std::string{what} + ": whether it ends soon", result.elapsed < std::chrono::seconds{20}, true);
    expect(std::string{what} + ": nodes that did not stop", result.unresponsive.size(), 0U);
    expect(std::string{what} + ": requests", server.news().size(), 1U);
    server.await_departures(number);
}

weft::run_result stop_graph(const weft::graph& what, weft::run_request request)
{
    std::stop_source stop;
    request.stop(stop.get_token()).on_event(at_first_word([&stop] { stop.request_stop(); }));
    return weft::run_blocking(what, std::move(request));
}

weft::turn_agent_options talker(const mock_server& server)
{
    weft::turn_agent_options options;
    options.models = {server.model()};
    options.sections = {{.id = "who", .text = endless, .is_sticky = true}};
    return options;
}

/** A stop of its run leaves the agent where it is; an abort by its mailbox ends it in order. */
void stop_turn_agent(mock_server& server, std::size_t number)
{
    const weft::turn_agent agent{talker(server)};
    std::stop_source stop;
    weft::run_request request = agent.request("Talk.");
    request.stop(stop.get_token()).on_event(at_first_word([&stop] { stop.request_stop(); }));
    const weft::turn_agent_result result = weft::run_blocking(agent.run(std::move(request)));
    expect_stopped("the turn agent", server, result.run, number);
    expect("the outcome of a stopped agent", result.outcome == weft::agent_outcome::aborted, true);
}

void abort_turn_agent(mock_server& server, std::size_t number)
{
    weft::turn_agent_options options = talker(server);
    const auto mailbox = std::make_shared<weft::agent_mailbox>();
    options.mailbox = mailbox;
    const weft::turn_agent agent{std::move(options)};
    weft::run_request request = agent.request("Talk.", "talk");
    request.on_event(at_first_word([mailbox] { expect("an abort", mailbox->abort("talk"), true); }));
    const weft::turn_agent_result result = weft::run_blocking(agent.run(std::move(request)));
    expect_finished("the agent that was aborted", result.run);
    expect("its outcome", result.outcome == weft::agent_outcome::aborted, true);
    expect("its trouble", result.trouble == weft::turn_trouble::abort, true);
    expect("whether it ended soon", result.run.elapsed < std::chrono::seconds{20}, true);
    expect("its requests", server.news().size(), 1U);
    server.await_departures(number);
}

void stop_react_agent(mock_server& server, std::size_t number)
{
    weft::react_options options;
    options.settings.system = endless;
    options.settings.prompt = "Talk.";
    const weft::react_agent agent{server.model(), std::move(options)};
    expect_stopped("the react agent", server, stop_graph(agent.graph(), weft::run_request{}), number);
}

void stop_agent_graph(mock_server& server, std::size_t number)
{
    weft::agent_options options;
    options.model = server.model();
    options.prompt.base = endless;
    const weft::graph agent = weft::agent_graph(std::move(options));
    weft::run_request request{"talk"};
    request.input(weft::agent_keys::input, "Talk.").options(weft::agent_run_options());
    const weft::run_result result = stop_graph(agent, std::move(request));
    expect("its signal", weft::completion_of(result, "talk").stop == weft::agent_stop::aborted, true);
    expect_stopped("the agent graph", server, result, number);
}

/** Stopped before anything has come, or while a call of a tool comes: no watcher has seen a word of it. */
void stop_before_words(mock_server& server, const char* system, std::size_t came, std::size_t left)
{
    weft::react_options options;
    options.settings.system = system;
    options.settings.prompt = "Talk.";
    weft::tool_set tools;
    tools.add("order", "Orders a city.", [](const place&) {
        expect("whether a call that was stopped is made", true, false);
        return std::string{};
    });
    options.tools = std::move(tools);
    const weft::react_agent agent{server.model(), std::move(options)};
    std::stop_source stop;
    weft::run_request request;
    request.stop(stop.get_token());
    std::exception_ptr failed;
    std::thread watcher{[&] {
        try {
            server.await_arrivals(came);
        } catch (...) {
            failed = std::current_exception();
        }
        stop.request_stop();
    }};
    const weft::run_result result = weft::run_blocking(agent.graph(), std::move(request));
    watcher.join();
    if (failed) std::rethrow_exception(failed);
    expect_stopped(system, server, result, left);
}

void stop_event_loop(mock_server& server, std::size_t number)
{
    weft::event_loop_options options;
    options.settings.system = endless;
    options.settings.prompt = "Talk.";
    weft::graph_builder builder{"talk"};
    weft::add_event_loop(builder, "talk", server.model(), std::move(options));
    builder.edge(weft::start, "talk");
    const weft::graph loop = builder.build();
    expect_stopped("the event loop", server, stop_graph(loop, weft::run_request{}), number);
}

}  // namespace

void check_stops(mock_server& server)
{
    stop_turn_agent(server, 1);
    abort_turn_agent(server, 2);
    stop_react_agent(server, 3);
    stop_agent_graph(server, 4);
    stop_event_loop(server, 5);
    const std::size_t before = server.wire().size();
    stop_before_words(server, "You think for ever.", before + 1, 6);
    stop_before_words(server, "You order for ever.", before + 2, 7);
}

}  // namespace interop::agents
