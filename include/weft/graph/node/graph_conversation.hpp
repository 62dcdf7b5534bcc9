#pragma once

#include <weft/graph/state_key.hpp>

namespace weft {

class node_context;

/** A conversation that threads through the nodes of a graph: where it lies in the state, and how a node that does not
 *  talk by itself leaves its work in it. `continuous_conversation` in `weft/agent/continuous_conversation.hpp` makes
 *  one. */
struct graph_conversation {
    any_state_key key;
    /** Called at the end of each node that succeeded and takes part, with its writes; it may add a write of `key`. What
     *  it throws fails the node. */
    void (*leave)(node_context& node);
};

}  // namespace weft
