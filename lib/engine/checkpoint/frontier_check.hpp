#pragma once

#include <weft/engine/scheduler/frontier.hpp>
#include <weft/graph/graph.hpp>

namespace weft::checkpoint_detail {

/** Checks that the parts of a frontier fit together, so that a scheduler can be made of it. They come from outside, and
 *  what the scheduler follows must lead somewhere.
 *  @par Errors   `store_corrupt`. */
void check_frontier(const frontier_data& parts, const graph& of);

}  // namespace weft::checkpoint_detail
