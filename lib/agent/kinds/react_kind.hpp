#pragma once

#include <weft/graph/node_registry.hpp>

#include "agent_program.hpp"

namespace weft {

/** The kind `react` of graph files: a `react_agent` with `react_settings`. The node's `writes` name the key of the
 *  conversation and those that the answer is for; it sees what the node may read. The nodes that it hands over to are
 *  nodes of the file. It tries calls of its model again by itself (`attempts_max`) and runs once for a visit. */
[[nodiscard]] node_kind react_kind(agent_program around);

}  // namespace weft
