// Agents that get over failures by themselves: other attempts, other models, other workers.

#include "agent_tools.hpp"
#include "checks.hpp"

#include <weft/agent/event_loop.hpp>
#include <weft/agent/supervisor.hpp>
#include <weft/agent/turn_agent.hpp>
#include <weft/engine/engine.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace interop::agents {

namespace {

using namespace std::chrono_literals;

/** The loop tries again by itself, after as long as the server says. */
void check_loop_retries(mock_server& server)
{
    weft::event_loop_options options;
    options.settings.system = "You limp.";
    options.settings.prompt = "Come.";
    options.settings.limits.retry_base_seconds = 0.001;
    weft::graph_builder builder{"road"};
    weft::add_event_loop(builder, "come", server.model(), std::move(options));
    builder.edge(weft::start, "come");
    const weft::graph loop = builder.build();
    const weft::run_result result = weft::run_blocking(loop, weft::run_request{});
    expect_finished("the event loop after two failures", result, "come");
    expect("whether it waits as long as it is told", result.elapsed >= 1s, true);
    const std::vector<seen_request> sent = server.news();
    expect("its attempts", sent.size(), 3U);
    expect("what was answered to the first", sent.at(0).status, 500);
    expect("what was answered to the second", sent.at(1).status, 429);
    expect("what was answered to the third", sent.at(2).status, 200);
}

/** A worker whose model fails is told to the supervisor, as the result of its call. */
void check_ill_worker(mock_server& server)
{
    weft::react_options boss, writer;
    boss.name = "boss";
    boss.settings.system = "You lead the ill.";
    writer.name = "writer";
    writer.settings.system = "You are ill.";
    const weft::graph office =
        weft::make_supervisor(server.model(), std::move(boss), {{.when = "Writes.", .agent = std::move(writer)}});
    const weft::run_result result =
        weft::run_blocking(office, weft::run_request{}.input(weft::react_messages, weft::message::user("Do it.")));
    expect_finished("the supervisor with an ill worker", result);
    expect("its answer", result.state.get(weft::react_answer), "Half of it.");
    expect("the requests of both", server.news().size(), 3U);
}

/** Where no server listens, the next model is asked, and the agent stays with it. */
void check_stand_in(mock_server& server)
{
    const mock_server nowhere{"https://localhost:1", server.which()};
    weft::turn_agent_options options;
    options.models = {nowhere.model(), server.model()};
    options.sections = {{.id = "who", .text = "You stand in.", .is_sticky = true}};
    options.cascade.pause.initial = 1ms;
    const weft::turn_agent agent{std::move(options)};
    const weft::turn_agent_result result = weft::run_blocking(agent.run(agent.request("Are you there?")));
    expect("the answer of the second model (" + result.why + ")", result.answer, "I answer.");
    expect("its requests", server.news().size(), 1U);
}

}  // namespace

void check_recovery(mock_server& server)
{
    check_loop_retries(server);
    check_ill_worker(server);
    check_stand_in(server);
}

}  // namespace interop::agents
