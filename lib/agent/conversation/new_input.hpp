#pragma once

#include <weft/agent/conversation/conversation.hpp>
#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>

#include <optional>
#include <string>
#include <string_view>

/** What guardrails of the input look at: what is said to a model since it spoke last. */
namespace weft::agent_detail {

/** Of messages that are sent: what the user says at the end; nothing if another one spoke last. */
[[nodiscard]] std::optional<std::string> new_input(const list<message>& messages);

/** Of an agent's conversation: what people and the program around it said since the model or a tool spoke. What the
 *  agent tells its model itself, reminders and warnings of its budget, is no input; nothing if there is nothing
 *  else. */
[[nodiscard]] std::optional<std::string> new_input(const conversation& history, std::string_view lane);

}  // namespace weft::agent_detail
