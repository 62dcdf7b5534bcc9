#pragma once

#include <weft/agent/chat_agent/heartbeat_graph.hpp>
#include <weft/agent/text/named_text.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::agent_detail {

/** What the prompt lists, a line for each entry. */
struct heartbeat_lists {
    std::string projects, skills, agents;
};

/** `- <name>: <text>` for each entry of a source. */
[[nodiscard]] std::string heartbeat_list(const std::function<std::vector<named_text>()>& source);

/** What the agent of a cycle is told. */
[[nodiscard]] std::string heartbeat_prompt(std::string_view directive, const heartbeat_options& options,
                                           const heartbeat_lists& lists, const heartbeat_status& status,
                                           std::chrono::sys_seconds now);

}  // namespace weft::agent_detail
