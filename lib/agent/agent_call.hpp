#pragma once

#include <weft/async/task.hpp>
#include <weft/chat/tool_call.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/tool/tool_runner.hpp>

#include <boost/describe/class.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace weft {

class node_context;

namespace agent_detail {

/** What of a model's reply is written down, and used again when a visit is begun again. */
struct agent_reply {
    agent_reply() {}

    weft::message message{};
    weft::usage usage{};
    stop_reason stop = stop_reason::unfinished;
};
BOOST_DESCRIBE_STRUCT(agent_reply, (), (message, usage, stop))

/** Asks a model within a node: once in a visit where effects are written down.
 *
 *  What comes is emitted as `delta`, or as `retract` if it is void; what it cost as `usage`.
 *  @par Errors     Those of the model; `errc::timeout` after `limit`.
 *  @par Lifetimes  Model and node outlive the task. */
[[nodiscard]] task<agent_reply> ask_in_node(chat_model& model, chat_request request, node_context& node,
                                            std::chrono::nanoseconds limit);

/** Carries out tool calls within a node, and writes what their results write.
 *  @return         The messages for the model, in the order of the calls.
 *  @par Errors     `errc::budget_exhausted`; `errc::cancelled`, after the tools have ended.
 *  @par Lifetimes  Runner and node outlive the task. */
[[nodiscard]] task<std::vector<message>> use_tools_in_node(const tool_runner& runner, std::vector<tool_call> calls,
                                                           node_context& node);

}  // namespace agent_detail
}  // namespace weft
