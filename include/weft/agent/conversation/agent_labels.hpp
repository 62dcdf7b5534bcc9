#pragma once

namespace weft {

/** The labels of messages that an agent graph itself adds; see `conversation_entry::label`. */
namespace agent_labels {

inline constexpr const char* reminder = "wrapper_nudge";
inline constexpr const char* error = "agent_error";
inline constexpr const char* workflow = "workflow_result";

}  // namespace agent_labels

}  // namespace weft
