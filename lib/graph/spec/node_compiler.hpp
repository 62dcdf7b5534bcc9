#pragma once

#include "compilation.hpp"

namespace weft::spec_detail {

/** Takes down the names of the nodes, so that keys, nodes and edges can be checked against them. */
void collect_nodes(compilation& in);

/** Makes the nodes, each with its options and the work of its kind. */
void add_nodes(compilation& in);

}  // namespace weft::spec_detail
