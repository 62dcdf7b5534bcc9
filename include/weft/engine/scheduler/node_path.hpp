#pragma once

#include <weft/base/memory/settled_list.hpp>
#include <weft/graph/graph.hpp>

namespace weft {

/** The nodes of a run in the order in which they were started. */
using node_path = settled_list<node_index>;

}  // namespace weft
