#pragma once

#include <weft/async/task.hpp>
#include <weft/chat/message.hpp>
#include <weft/tool/tool_runner.hpp>

#include "agent/node/watched.hpp"

#include <memory>
#include <vector>

namespace weft {

class node_context;

namespace agent_detail {

/** Carries out tool calls within a node that waits for no results from elsewhere and hands over to nobody, and writes
 *  what their results write.
 *  @param life     Is shown when a tool tells something; may be null.
 *  @return         The messages for the model, in the order of the calls.
 *  @par Errors     `errc::budget_exhausted`; `errc::cancelled`, after the tools have ended.
 *  @par Lifetimes  Runner and node outlive the task. */
[[nodiscard]] task<std::vector<message>> use_tools_in_node(const tool_runner& runner, std::vector<tool_call> calls,
                                                           node_context& node, std::shared_ptr<life_sign> life);

}  // namespace agent_detail
}  // namespace weft
