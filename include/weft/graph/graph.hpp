#pragma once

#include <weft/graph/edge.hpp>
#include <weft/graph/fan_out.hpp>
#include <weft/graph/node.hpp>
#include <weft/graph/node_options.hpp>
#include <weft/graph/state_layout.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

using node_index = std::uint32_t;
inline constexpr node_index start_node = 0;  ///< Every graph's first node: does nothing, has the first edges.
inline constexpr node_index end_node = 0xffff'fffe;     ///< The target of edges that end a branch.
inline constexpr node_index no_node = 0xffff'ffff;

/** One edge, as the graph keeps it: sorted by source, kind, priority and declaration. */
struct graph_edge {
    node_index target;
    edge_kind kind;
    std::int32_t priority;
    std::uint32_t declared;       ///< Its place among all edges of the builder, from 0.
    edge_predicate holds;         ///< For `when` only.
    std::string label;
};

/** One node, as the graph keeps it. */
struct graph_node {
    std::string name;
    std::shared_ptr<const node_body> body;  ///< Null for `start`.
    node_options options;
    fan_out_options fan_out;
    node_index named_join = no_node;        ///< By `.fan_in`.
    node_index join = no_node;              ///< Where the branches meet if all its unconditional edges fire.
    bool branches_meet_early = false;       ///< Some of those branches meet before they meet the others.
    node_index only_next = no_node;         ///< Set if success always leads to exactly this target.
    std::uint32_t first_edge[6] = {};       ///< Ranges in the edge array: on_success, when, otherwise, on_failure, …
};

/** A checked, immutable description of what a run does. Copies share everything.
 *
 *  @par Thread safety   Any number of runs on any OS threads may use one graph.
 */
class graph {
public:
    /** What is known of a graph at build time besides its mistakes. */
    struct warning {
        std::string rule;     ///< Stable id, e.g. `possible_write_conflict`.
        std::string message;  ///< Names nodes, keys, a path and what to do.
    };

    [[nodiscard]] std::string_view name() const noexcept;
    [[nodiscard]] std::size_t node_count() const noexcept;  ///< Without `start`.
    [[nodiscard]] std::vector<std::string_view> node_names() const;
    /** The join of a fan-out, by name; empty if its branches run to the end. */
    [[nodiscard]] std::string_view join_of(std::string_view source) const;
    [[nodiscard]] std::span<const warning> warnings() const noexcept;
    /** The graph as text, one line per node: its edges in the order in which they are tried, its join, its limits. */
    [[nodiscard]] std::string explain() const;

    // For the engine.
    [[nodiscard]] const graph_node& node(node_index index) const noexcept { return data_->nodes[index]; }
    [[nodiscard]] std::size_t size() const noexcept { return data_->nodes.size(); }  ///< With `start`.
    [[nodiscard]] node_index find(std::string_view name) const noexcept;
    [[nodiscard]] const std::shared_ptr<const state_layout>& layout() const noexcept { return data_->layout; }
    [[nodiscard]] conflict_strategy conflict() const noexcept { return data_->conflict; }
    [[nodiscard]] std::string_view name_of(node_index index) const noexcept;
    [[nodiscard]] std::span<const graph_edge> on_success(const graph_node& n) const noexcept { return edges(n, 0); }
    [[nodiscard]] std::span<const graph_edge> conditional(const graph_node& n) const noexcept { return edges(n, 1); }
    /** Plain and always edges, in the order in which they are tried. */
    [[nodiscard]] std::span<const graph_edge> otherwise(const graph_node& n) const noexcept { return edges(n, 2); }
    [[nodiscard]] std::span<const graph_edge> on_failure(const graph_node& n) const noexcept { return edges(n, 3); }
    [[nodiscard]] std::span<const graph_edge> all_edges(const graph_node& n) const noexcept
    {
        return {data_->edges.data() + n.first_edge[0], n.first_edge[4] - n.first_edge[0]};
    }
    /** Where branches that start at `targets` meet: the first node that each is bound to reach, or `no_node`. */
    [[nodiscard]] node_index meeting_point(std::span<const node_index> targets) const;
    /** `targets` put together as they meet before `join`: one group for each way that arrives there separately. */
    [[nodiscard]] std::vector<std::vector<node_index>> branch_groups(std::span<const node_index> targets,
                                                                     node_index join) const;

    struct data {
        std::string name;
        std::vector<graph_node> nodes;
        std::vector<graph_edge> edges;
        std::shared_ptr<const state_layout> layout;
        conflict_strategy conflict = conflict_strategy::last_wins;
        std::vector<node_index> bound_next;   ///< Per node: the next node it is bound to reach, `end_node` if none.
        std::vector<std::uint32_t> bound_depth;
        std::vector<std::pair<std::uint64_t, node_index>> by_name;  ///< Sorted by hash of the name.
        std::vector<warning> warnings;
    };
    explicit graph(std::shared_ptr<const data> data) noexcept : data_{std::move(data)} {}

private:
    [[nodiscard]] std::span<const graph_edge> edges(const graph_node& n, int kind) const noexcept
    {
        return {data_->edges.data() + n.first_edge[kind], n.first_edge[kind + 1] - n.first_edge[kind]};
    }
    std::shared_ptr<const data> data_;
};

}  // namespace weft
