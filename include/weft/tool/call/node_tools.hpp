#pragma once

#include <weft/async/task.hpp>
#include <weft/chat/message.hpp>
#include <weft/tool/tool_runner.hpp>

#include <functional>
#include <vector>

namespace weft {

class messages_key;
class node_context;

/** Carries out tool calls as a part of a node's work: for those who write nodes of their own; see `tool_node` for one
 *  that is there.
 *
 *  The calls are taken from the run's budget, and count even if they are torn down. Watchers of the run get what the
 *  runner tells, and what the tools emit. What results write is not written yet: `write_tool_updates` does that once
 *  the answers are kept.
 *
 *      weft::tool_turn turn = co_await weft::call_tools_in_node(runner, std::move(calls), node);
 *      for (const weft::message& answer : weft::tool_messages(turn)) …keep it…
 *      weft::refuse_cancelled(turn, node);
 *      weft::write_tool_updates(turn, node);
 *
 *  @return              One answer for each call, in the order of the calls; `is_cancelled` if a stop cut it short.
 *  @par Errors          `errc::budget_exhausted`: the budget has not enough tool calls; none was made.
 *  @par Cancellation    The tools are stopped and awaited.
 *  @par Lifetimes       `runner` and `node` outlive the task. */
[[nodiscard]] task<tool_turn> call_tools_in_node(const tool_runner& runner, std::vector<tool_call> calls,
                                                 node_context& node);
/** The same. @param on_progress   Called whenever something is told, on the loop; may be empty. */
[[nodiscard]] task<tool_turn> call_tools_in_node(const tool_runner& runner, std::vector<tool_call> calls,
                                                 node_context& node, std::function<void()> on_progress);

/** What tools get that a node calls by a runner of its own: what they emit goes to watchers of the run.
 *  @param on_progress   Called whenever something is told, on the loop; may be empty.
 *  @par Lifetimes       `node` outlives it. */
[[nodiscard]] tool_context tool_context_of(node_context& node, std::function<void()> on_progress = {});

/** What the model is told: all answers but those that are still to come from elsewhere. */
[[nodiscard]] std::vector<message> tool_messages(const tool_turn& turn);

/** Where nothing waits for results from elsewhere, the model is told so: such calls have failed. */
void refuse_remote_calls(tool_turn& turn);

/** Has the runner's `inspect` look at results that others posted: those of remote tools that answer calls of the last
 *  message of the assistant. What it changes takes their place in the conversation.
 *  @par Errors      As `tool_runner::inspect`.
 *  @par Lifetimes   All outlive the task. */
[[nodiscard]] task<void> inspect_posted_results(const tool_runner& runner, messages_key& conversation,
                                                node_context& node);

/** Throws `errc::cancelled` if a stop cut the calls short. */
void refuse_cancelled(const tool_turn& turn, const node_context& node);

/** Writes what the results write, in the order of the calls. The turn has it no more.
 *  @par Errors   `errc::unknown_state_key`, `errc::state_type_mismatch`, `errc::key_out_of_scope`. */
void write_tool_updates(tool_turn& turn, node_context& node);

}  // namespace weft
