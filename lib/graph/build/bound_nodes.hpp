#pragma once

#include <weft/graph/graph.hpp>

namespace weft::graph_detail {

/** Fills `bound_next` and `bound_depth`: for each node the next one that every way on from it passes.
 *
 *  This is the tree of immediate post-dominators. Failure edges and edges to `end` are not ways round: a branch that
 *  ends early is settled and need not reach the join. Loops without another exit leave through the node with an edge
 *  to `end` that lies furthest from the start.
 *
 *  @par Source  Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm, 2001, on the reversed graph.
 */
void find_bound_nodes(graph::data& data);

}  // namespace weft::graph_detail
