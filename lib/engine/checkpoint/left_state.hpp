#pragma once

#include <weft/engine/scheduler/frontier.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/state/state.hpp>
#include <weft/store/record/checkpoint.hpp>

namespace weft {

/** The state that a run leaves which is broken off at a frontier, as its result has it: with what branches had finished
 *  and, of a run that was cancelled, with what their nodes had completed.
 *  @param last   The kind of the checkpoint that has the frontier. */
[[nodiscard]] state left_state(const graph& of, const frontier& where, checkpoint_kind last);

}  // namespace weft
