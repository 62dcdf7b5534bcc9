#pragma once

#include "serve/run/serve_core.hpp"

#include <weft/tool/mcp/mcp_types.hpp>

#include <memory>
#include <string_view>
#include <vector>

namespace weft::serve_detail {

/** The graphs of a server as tools: the arguments of a call are the values of keys. Messages are given as objects with
 *  `role` and `content`. */
[[nodiscard]] std::vector<mcp_tool> graph_tools(const serve_core& core);

/** The graph behind the name of a tool; null if there is none. */
[[nodiscard]] std::shared_ptr<const hosted_graph> graph_of_tool(const serve_core& core, std::string_view tool);

}  // namespace weft::serve_detail
