#pragma once

#include "playbook_steps.hpp"

#include <weft/async/task.hpp>
#include <weft/graph/node/command.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace weft {

class node_context;

namespace agent_detail {

/** Has the model that leads a playbook choose one of several answers. It is held to them by a JSON schema and sees what
 *  the playbook has brought so far, and the conversation of the agent that runs it. An answer that names none of them
 *  is asked for once more.
 *
 *  @return          Nothing if the second answer names none either; watchers get a `warning`.
 *  @par Errors      As `ask_playbook_model`.
 *  @par Lifetimes   `own` and `node` outlive the task. */
[[nodiscard]] task<std::optional<std::size_t>> choose_in_playbook(const compiled_playbook& own, std::string question,
                                                                  std::vector<std::string> choices,
                                                                  node_context& node);
/** The same for yes and no. @return   False if no answer says either. */
[[nodiscard]] task<bool> holds_in_playbook(const compiled_playbook& own, std::string statement, node_context& node);

/** The work of a router. */
[[nodiscard]] task<command> choose_playbook_route(const compiled_playbook& own, const playbook_node& what,
                                                  node_context& node);
/** The work of a condition. */
[[nodiscard]] task<command> decide_playbook_condition(const compiled_playbook& own, const playbook_node& what,
                                                      node_context& node);

}  // namespace agent_detail
}  // namespace weft
