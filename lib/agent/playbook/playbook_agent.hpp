#pragma once

#include "playbook_steps.hpp"

#include <weft/graph/node/subgraph.hpp>

#include <cstddef>
#include <memory>

namespace weft::agent_detail {

/** An agent of a playbook as the work of a node: a graph with the agent inside, and around it the model that makes its
 *  task and its result, if the node wants that.
 *
 *      start ─ before ─ agent ─ after ─ end
 */
[[nodiscard]] subgraph playbook_agent(std::shared_ptr<const compiled_playbook> playbook, std::size_t index);

}  // namespace weft::agent_detail
