#pragma once

#include <array>
#include <string_view>

namespace weft {

/** The kinds of graph files that `add_agent_kinds` adds. A program that reads files without agents knows by this list
 *  that such a kind is there, and only not registered. */
inline constexpr std::array<std::string_view, 21> agent_kind_names{
    "llm",        "human", "tool",      "react",    "team",    "supervisor", "remember", "recall",
    "turn_agent", "agent", "heartbeat", "playbook", "pattern", "event_loop", "forget",
    "retrieve",   "http",  "mcp",       "a2a",     "openai_agent", "wait"};

}  // namespace weft
