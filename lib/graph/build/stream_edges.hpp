#pragma once

#include "graph_description.hpp"

namespace weft::graph_detail {

/** Checks the edges over which a node reads what another one still writes; adds a sentence for each mistake. */
void check_stream_edges(const graph_builder::description& from, const node_names& names,
                        std::vector<std::string>& mistakes);

/** What the target of an edge reads over it. */
[[nodiscard]] edge_stream stream_over(const graph_builder::description& from, const node_names& names,
                                      const graph_builder::description::edge& edge);

/** Adds a transient key for each reader, where what it did waits for its visit. */
void add_stream_keys(const graph_builder::description& from, const node_names& names, state_layout& layout);

/** Lets a node with `reads` and `writes` use those keys: they are none that authors declare. */
void allow_stream_keys(const state_layout& layout, key_scope& scope);

/** Gives the nodes of stream edges their work: the first writer of a line does that of all its readers. */
void join_streams(graph::data& data);

}  // namespace weft::graph_detail
