#pragma once

#include <weft/agent/event_loop.hpp>
#include <weft/graph/node_registry.hpp>

#include <boost/describe/class.hpp>

#include <memory>
#include <string>
#include <vector>

namespace weft {

/** An event loop as a graph file says it. */
struct event_loop_file_settings : event_loop_settings {
    std::vector<std::string> tools = {};  ///< Of those that the program has; empty: none.
};
BOOST_DESCRIBE_STRUCT(event_loop_file_settings, (event_loop_settings), (tools))

/** The kind `event_loop` of graph files, with `event_loop_file_settings`. What it owes stands in the node's `writes`,
 *  what it may leave out in `outputs.nullable`, what it is told in `reads`.
 *
 *  @param model     Null: a file with such a node has a mistake.
 *  @param program   What else loops need of the program: judge, mailbox, spill store, hook, options of tools; `tools`
 *                   are those that files can name. */
[[nodiscard]] node_kind event_loop_kind(std::shared_ptr<chat_model> model, event_loop_options program = {});

}  // namespace weft
