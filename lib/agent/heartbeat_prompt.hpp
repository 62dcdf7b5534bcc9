#pragma once

#include <weft/agent/heartbeat_graph.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace weft::agent_detail {

/** The prompt of a cycle. @param now   To be told. */
[[nodiscard]] std::string heartbeat_prompt(std::string_view directive, const heartbeat_options& options,
                                           const heartbeat_status& status, std::chrono::sys_seconds now);

}  // namespace weft::agent_detail
