#pragma once

#include <weft/agent/guard/guard_settings.hpp>
#include <weft/graph/node_registry.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/tool/tool_node.hpp>

#include <boost/describe/class.hpp>

#include <memory>

namespace weft {

/** What a node that calls tools does, and what looks at its calls, as a graph file says it. */
struct guarded_tool_settings : tool_settings {
    tool_guards_settings guards = {};
};
BOOST_DESCRIBE_STRUCT(guarded_tool_settings, (tool_settings), (guards))

/** The kind `tool` of graph files with guardrails that a file names: `tool_kind` with `guarded_tool_settings`.
 *
 *  @param tools     What files can name. Null or empty: nothing.
 *  @param options   What files cannot say.
 *  @param model     That rules of guardrails are checked by; null: those cannot be checked, and trip. */
[[nodiscard]] node_kind guarded_tool_kind(std::shared_ptr<const tool_set> tools, tool_runner_options options = {},
                                          std::shared_ptr<chat_model> model = {});

}  // namespace weft
