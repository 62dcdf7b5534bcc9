#pragma once

#include "activity_flag.hpp"

#include <weft/async/task.hpp>
#include <weft/chat/message.hpp>
#include <weft/tool/call/tool_turn.hpp>
#include <weft/tool/tool_runner.hpp>

#include <memory>
#include <vector>

namespace weft {

class node_context;

namespace agent_detail {

/** Carries out the tool calls of a turn in a node that waits for no results from elsewhere: remote calls fail.
 *
 *  @param activity  Is shown when a tool tells something; may be null.
 *  @return          One answer for each call, in their order; what results write is not written yet.
 *  @par Errors      `errc::budget_exhausted`; `errc::cancelled`, after the tools have ended.
 *  @par Lifetimes   Runner and node outlive the task. */
[[nodiscard]] task<tool_turn> tool_step(const tool_runner& runner, std::vector<tool_call> calls, node_context& node,
                                        std::shared_ptr<activity_flag> activity = nullptr);

/** The same in a node that hands over to no other, which watchers are warned of, and writes what the results write.
 *  @return   The messages for the model, in the order of the calls. */
[[nodiscard]] task<std::vector<message>> tool_step_messages(const tool_runner& runner, std::vector<tool_call> calls,
                                                            node_context& node,
                                                            std::shared_ptr<activity_flag> activity);

}  // namespace agent_detail
}  // namespace weft
