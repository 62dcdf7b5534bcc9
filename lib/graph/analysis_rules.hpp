#pragma once

#include <weft/graph/analysis.hpp>
#include <weft/graph/subgraph.hpp>

#include <string>
#include <vector>

namespace weft::graph_detail {

/** A graph that is being looked at, and what stands before the names of its nodes: "outer/". */
struct analysed {
    const graph& what;
    std::string prefix;

    [[nodiscard]] std::string name(node_index node) const { return prefix + std::string{what.name_of(node)}; }
};

void find_endless_cycles(const analysed& in, std::vector<finding>& found);
void find_client_facing_branches(const analysed& in, std::vector<finding>& found);
void find_unused_edges(const analysed& in, std::vector<finding>& found);
void find_unanswered_failures(const analysed& in, std::vector<finding>& found);
void find_dead_ends(const analysed& in, std::vector<finding>& found);
void find_write_conflicts(const analysed& in, std::vector<finding>& found);

/** Where the branches of a fan-out begin; a node that items are sent to stands twice. Empty if there is none. */
[[nodiscard]] std::vector<node_index> branch_starts(const graph& of, const graph_node& source);
/** Where they meet; `no_node` if they run to the end. */
[[nodiscard]] node_index join_of(const graph& of, const graph_node& source);
/** Nodes from `first` on, without `join` and what comes only after it. */
[[nodiscard]] std::vector<node_index> nodes_of_branch(const graph& of, node_index first, node_index join);

}  // namespace weft::graph_detail
