#pragma once

#include <weft/graph/analysis.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <string>
#include <vector>

namespace weft::graph_detail {

/** A graph that is being looked at, and what stands before the names of its nodes: "outer/". */
struct analysed {
    const graph& what;
    std::string prefix;

    [[nodiscard]] std::string name(node_index node) const { return prefix + std::string{what.name_of(node)}; }
};

// analysis_structure.cpp
void find_endless_cycles(const analysed& in, std::vector<finding>& found);
void find_unused_edges(const analysed& in, std::vector<finding>& found);
void find_unanswered_failures(const analysed& in, std::vector<finding>& found);
void find_dead_ends(const analysed& in, std::vector<finding>& found);
void find_streams_read_whole(const analysed& in, std::vector<finding>& found);
// analysis_decisions.cpp
void find_missing_otherwise(const analysed& in, std::vector<finding>& found);
// analysis_branches.cpp
void find_client_facing_branches(const analysed& in, std::vector<finding>& found);
void find_write_conflicts(const analysed& in, std::vector<finding>& found);
void find_repeated_nodes(const analysed& in, std::vector<finding>& found);

}  // namespace weft::graph_detail
