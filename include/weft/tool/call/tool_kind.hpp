#pragma once

#include <weft/graph/node_registry.hpp>
#include <weft/tool/tool_node.hpp>

#include <memory>

namespace weft {

/** The kind `tool` of graph files: nodes that carry out the tool calls of a conversation, with `tool_settings`.
 *
 *  @param tools     What files can name. Null or empty: nothing.
 *  @param options   What files cannot say: policy, hooks, timeouts, where long results go. */
[[nodiscard]] node_kind tool_kind(std::shared_ptr<const tool_set> tools, tool_runner_options options = {});

/** The work of a node of that kind, for kinds that are more than it. Null after a mistake. */
[[nodiscard]] std::shared_ptr<const node_body> make_tool_body(node_request& request, const tool_settings& settings,
                                                              const tool_set& tools,
                                                              const tool_runner_options& options);

/** Says it if the graph has no key for the tools of clients, or the node may not read it, where it offers some.
 *  @param at   Of the settings that have the member `client_tools`. */
void check_client_tools(node_request& request, const json_path& at, const client_tools_offer& offer);

/** Adds the kind `tool` and the types of keys `messages`, which is `list<message>`, and `client_tools`. */
node_registry& add_tool_kinds(node_registry& registry, std::shared_ptr<const tool_set> tools,
                              tool_runner_options options = {});

}  // namespace weft
