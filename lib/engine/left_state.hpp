#pragma once

#include <weft/engine/frontier.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/state.hpp>

namespace weft {

/** How a run was broken off. */
enum class broken_off_by : unsigned char { failure, cancel };

/** The state that a run leaves which is broken off at a frontier, as its result has it: with what branches had finished
 *  and, of a run that was cancelled, with what their nodes had completed. */
[[nodiscard]] state left_state(const graph& of, const frontier& where, broken_off_by how);

}  // namespace weft
