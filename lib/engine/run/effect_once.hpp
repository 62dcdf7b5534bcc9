#pragma once

#include <weft/async/task.hpp>
#include <weft/graph/node/effect.hpp>
#include <weft/graph/node_context.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace weft {

struct run_core;

/** Has an effect of a node once, as `node_context::once` says: what the journal of the run knows of it decides what is
 *  done. The run has a journal.
 *  @par Lifetimes  All that is given by reference outlives the task. */
[[nodiscard]] task<boost::json::value> effect_once(run_core& core, node_context& node, std::string name,
                                                   const effect_options& options, effect_call& call);

/** Names the next effect of a node in a run without a journal. */
[[nodiscard]] effect_context name_effect(run_core& core, node_context& node, std::string_view name);

}  // namespace weft
