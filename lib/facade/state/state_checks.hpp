#pragma once

#include <weft/facade/state_graph.hpp>

namespace weft::engine_detail {

/** Set by a node that leaves its graph: where the graph around it goes on. */
inline constexpr state_key<std::string> parent_target_key{"state_graph_parent_target"};

/** Throws the first mistake of a graph. */
void check(const state_graph& of, const state_compile_options& options);

}  // namespace weft::engine_detail
