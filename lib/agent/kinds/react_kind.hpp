#pragma once

#include <weft/agent/react_agent.hpp>
#include <weft/graph/node_registry.hpp>

#include <memory>

namespace weft {

/** What nodes of the kind `react` need of the program. */
struct react_surroundings {
    std::shared_ptr<chat_model> model = {};      ///< Null: replies are scripted or made up.
    std::shared_ptr<const tool_set> tools = {};  ///< What files can name; null: nothing.
    tool_runner_options tool_options = {};       ///< Policy and limits of tools.
    agent_hooks hooks = {};                      ///< Around all their calls.
};

/** The kind `react` of graph files: a `react_agent` with `react_settings`. The node's `writes` name the key of the
 *  conversation and those that the answer is for; it sees what the node may read. The nodes that it hands over to are
 *  nodes of the file. It tries calls of its model again by itself (`attempts_max`) and runs once for a visit. */
[[nodiscard]] node_kind react_kind(react_surroundings around);

}  // namespace weft
