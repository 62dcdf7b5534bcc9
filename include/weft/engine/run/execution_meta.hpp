#pragma once

#include <weft/graph/state_key.hpp>

#include <boost/describe/class.hpp>

#include <string>

namespace weft {

/** Where a run of a `state_graph` is: part of its state, so that nodes, routers, checkpoints and streams read it.
 *
 *  @par Source   PyAgenity, control flow: `execution_meta.current_node` inside `AgentState` */
struct execution_meta {
    /** The node that works; between nodes the last one that worked. Of a thread that was interrupted or stopped the
     *  node that it goes on with, and `weft::end` once it is completed. Within a node that is a graph: a node of that
     *  graph. */
    std::string current_node;
    bool operator==(const execution_meta&) const = default;
};
BOOST_DESCRIBE_STRUCT(execution_meta, (), (current_node))

/** Every `state_graph` has it. It is written by the graph: nodes read it. */
inline constexpr state_key<execution_meta> execution_meta_key{"execution_meta"};

}  // namespace weft
