#pragma once

#include <weft/async/task.hpp>
#include <weft/engine/run_options.hpp>
#include <weft/graph/graph.hpp>

#include <string>

namespace weft {

/** Asks an agent once and gives its answer: one run of its graph, on the awaiting coroutine's loop.
 *
 *      std::string answer = co_await weft::ask_agent(team, "Is invoice 1017 paid?");
 *
 *  @param agent    A graph with the keys `react_messages` and `react_answer`: that of a `react_agent`, of
 *                  `make_agent_team`, of `make_supervisor`. `turn_agent::ask` and `agent_session::say` are for others.
 *  @param text     What the user says. The conversation has nothing else; to go on with one, run the graph.
 *  @param options  Limits of the run.
 *  @par Errors
 *    - those of `run_result::throw_if_failed`, when the run does not come to its end.
 *    - `errc::missing_state_value`  the run ended without an answer.
 *    - `errc::unknown_state_key`    the graph lacks one of the keys; the message lists those that it declares.
 *  @par Cancellation    As `engine::run`.
 *  @par Thread safety   From any OS thread.
 */
[[nodiscard]] task<std::string> ask_agent(graph agent, std::string text, run_options options = run_options{});

}  // namespace weft
