#pragma once

#include "playbook_steps.hpp"

#include <weft/async/task.hpp>
#include <weft/graph/node/command.hpp>

namespace weft {

class node_context;

namespace agent_detail {

/** The work of a node that calls a tool, under a watchdog. Arguments that the tool's schema refuses go to the model
 *  that leads the playbook, with what is wrong; it writes them anew, at most `playbook_options::repairs_max` times.
 *
 *  @par Lifetimes   All outlive the task. */
[[nodiscard]] task<command> call_playbook_tool(const compiled_playbook& own, const playbook_node& what,
                                               node_context& node);

}  // namespace agent_detail
}  // namespace weft
