#pragma once

#include <weft/agent/core/live_surroundings.hpp>
#include <weft/graph/node_context.hpp>

#include <string>

namespace weft::agent_detail {

/** Adds what is known of the surroundings of a node's thread to what the system says.
 *  @param live   Null: nothing is. */
inline void add_live_text(std::string& system, const live_surroundings* live, const node_context& node)
{
    if (!live) return;
    const thread_key of{std::string{node.thread()}, std::string{node.tenant()}};
    const std::string told = live->text_for(of);
    if (!told.empty()) system.append(system.empty() ? "" : "\n\n").append(told);
}

}  // namespace weft::agent_detail
