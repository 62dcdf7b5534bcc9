#pragma once

#include <weft/engine/scheduler/frontier.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/node_context.hpp>

#include <string>

namespace weft {

/** What a node has given back, checked against its graph. Nothing here knows of the run. */

/** Finds the nodes and keys that the items of a `command::fan_out` name. Takes the values out of `answer`.
 *  @par Errors  `unknown_node` for an item that is sent nowhere; `unknown_state_key`, `state_type_mismatch` and
 *               `state_conversion` for its values. */
[[nodiscard]] sent_items resolve_items(const graph& graph, command& answer);

/** What is wrong with the outputs that a node owes, by `node_options::outputs`: all faults, joined by `; `. Empty if
 *  nothing is wrong. */
[[nodiscard]] std::string output_faults(const node_context& context, const graph_node& node);

}  // namespace weft
