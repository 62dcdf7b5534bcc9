#pragma once

#include <weft/graph/edge/edge.hpp>
#include <weft/graph/node/goal.hpp>
#include <weft/graph/node/graph_conversation.hpp>
#include <weft/graph/node/graph_memory.hpp>
#include <weft/graph/node/node.hpp>
#include <weft/graph/node/node_options.hpp>
#include <weft/graph/node/observed_writes.hpp>
#include <weft/graph/node/step_limit_action.hpp>
#include <weft/graph/state/fan_out.hpp>
#include <weft/graph/state/name_index.hpp>
#include <weft/graph/state/state_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

class bound_expression;

using node_index = std::uint32_t;
inline constexpr node_index start_node = 0;  ///< Every graph's first node: does nothing, has the first edges.
inline constexpr node_index end_node = 0xffff'fffe;     ///< The target of edges that end a branch.
inline constexpr node_index no_node = 0xffff'ffff;

/** Edges of a node that are looked at together. Those up to `labelled_range` lead on after success. */
enum edge_range : int {
    on_success_range,
    conditional_range,  ///< `when` and `routed`.
    llm_range,
    otherwise_range,    ///< `plain` and `always`.
    labelled_range,
    rescue_range,       ///< `when` and `routed` that are asked after failure only.
    on_failure_range,
    unused_range,       ///< Those that come after one that always matches, with `routing::first_match`.
    edge_ranges,
};

/** One edge, as the graph keeps it: sorted by source, kind, priority and declaration. */
struct graph_edge {
    node_index target;
    edge_kind kind;
    std::int32_t priority;
    std::uint32_t declared;       ///< Its place among all edges of the builder, from 0.
    edge_predicate holds;         ///< For `when` with a function.
    std::shared_ptr<const bound_expression> expression;  ///< For `when` with a text.
    std::string label;
    std::shared_ptr<const edge_router> route;        ///< For `routed` only; shared by the edges of one decision.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> map;  ///< Slots that are written, and read for it.
    edge_after after = edge_after::success;          ///< Of `when` and `routed`.
    edge_stream streams = edge_stream::none;
};

/** Which keys a node may use, by slot. */
struct key_scope {
    std::vector<bool> readable;
    std::vector<bool> writable;
};

/** One node, as the graph keeps it. */
struct alignas(64) graph_node {
    // What every step looks at stands together, in one line of the cache.
    node_index only_next = no_node;         ///< Set if success always leads to exactly this target.
    node_index join = no_node;              ///< Where the branches meet if all its unconditional edges fire.
    node_index named_join = no_node;        ///< By `.fan_in`.
    std::uint32_t visits_max = 0;           ///< As in `options`, like the flags below.
    /** Its place on the line that begins behind `start`, from 1: the nodes that follow one another by `only_next`, each
     *  once. 0: it is not on it. */
    std::uint32_t line_place = 0;
    pause_point pauses = pause_point::never;
    bool is_deferred = false;
    bool gives_feedback = false;
    bool owes_outputs = false;              ///< Its outputs are checked.
    bool branches_meet_early = false;       ///< Some of its branches meet before they meet the others.
    bool maps_values = false;               ///< Some of its edges do.
    bool clears_keys = false;
    bool keeps_outputs = false;             ///< What it wrote last is kept, for feedback or for an expression.
    bool joins_conversation = false;        ///< That of the graph.
    bool ends_plainly = false;              ///< Success leads to `only_next`, and nothing else is due at its end.
    bool begins_straight = false;           ///< When a visit begins nothing is due but its work.
    bool ends_straight = false;             ///< `ends_plainly`, and nothing is checked or left if it wrote nothing.
    bool forks_straight = false;            ///< Its branches begin and end without conditions, limits and values.
    bool asks_after_failure = false;        ///< Some of its conditional edges are asked when it has failed.
    bool observes_writes = false;           ///< What it writes is not declared: `observed` learns it from runs.
    std::uint32_t first_edge[edge_ranges + 1] = {};  ///< Where each `edge_range` begins in the edge array.

    std::shared_ptr<const node_body> body;  ///< Null for `start`.
    std::string name;
    std::shared_ptr<const key_scope> scope; ///< Null if it may use every key.
    fan_out_options fan_out;
    node_index fallback = no_node;          ///< Of its `llm` edges.
    std::shared_ptr<const llm_options> decision;  ///< Of its `llm` edges; null without any.
    std::vector<std::uint32_t> clears;      ///< Slots that lose their value on a further visit.
    std::shared_ptr<const node_options> options = node_options_by_default();
    std::shared_ptr<observed_writes> observed;  ///< Null unless `observes_writes`.
};

/** The nodes and edges of a checked graph, by index: what the engine walks along, and what analyses and drawings read.
 *  `graph`, which derives from it, is what programs hold. Copies share everything.
 *
 *  @par Thread safety   Immutable: any OS threads may read one.
 */
class graph_structure {
public:
    /** What is known of a graph at build time besides its mistakes. */
    struct warning {
        std::string rule;     ///< Stable id, e.g. `possible_write_conflict`.
        std::string message;  ///< Names nodes, keys, a path and what to do.
    };

    struct data {
        std::string name;
        std::vector<graph_node> nodes;
        std::vector<graph_edge> edges;
        std::shared_ptr<const state_layout> layout;
        conflict_strategy conflict = conflict_strategy::last_wins;
        weft::routing routing = weft::routing::every_match;
        std::vector<node_index> bound_next;   ///< Per node: the next node it is bound to reach, `end_node` if none.
        std::vector<std::uint32_t> bound_depth;
        name_index by_name;
        std::vector<warning> warnings;
        std::optional<weft::goal> goal;
        std::string description;
        weft::row_limit row_limit;
        std::optional<graph_conversation> conversation;
        std::uint32_t conversation_slot = state_layout::none;
        std::optional<graph_memory> memory;

        [[nodiscard]] node_index find(std::string_view name) const noexcept;
        [[nodiscard]] std::span<const graph_edge> ways_on(const graph_node& n) const noexcept
        {
            return {edges.data() + n.first_edge[0], n.first_edge[rescue_range] - n.first_edge[0]};
        }
    };

    explicit graph_structure(std::shared_ptr<const data> data) noexcept : data_{std::move(data)} {}

    [[nodiscard]] const graph_node& node(node_index index) const noexcept { return data_->nodes[index]; }
    [[nodiscard]] std::size_t size() const noexcept { return data_->nodes.size(); }  ///< With `start`.
    [[nodiscard]] node_index find(std::string_view name) const noexcept { return data_->find(name); }
    [[nodiscard]] const std::shared_ptr<const state_layout>& layout() const noexcept { return data_->layout; }
    [[nodiscard]] conflict_strategy conflict() const noexcept { return data_->conflict; }
    /** The key of the conversation; `state_layout::none` if there is none. */
    [[nodiscard]] std::uint32_t conversation_slot() const noexcept { return data_->conversation_slot; }
    /** Of nodes that do not say it themselves. */
    [[nodiscard]] weft::routing routing() const noexcept { return data_->routing; }
    [[nodiscard]] std::string_view name_of(node_index index) const noexcept
    {
        if (index == end_node) return weft::end;
        if (index == no_node) return {};
        return data_->nodes[index].name;
    }
    [[nodiscard]] std::span<const graph_edge> on_success(const graph_node& n) const noexcept
    {
        return edges(n, on_success_range);
    }
    [[nodiscard]] std::span<const graph_edge> conditional(const graph_node& n) const noexcept
    {
        return edges(n, conditional_range);
    }
    [[nodiscard]] std::span<const graph_edge> by_llm(const graph_node& n) const noexcept { return edges(n, llm_range); }
    /** Plain and always edges, in the order in which they are tried. */
    [[nodiscard]] std::span<const graph_edge> otherwise(const graph_node& n) const noexcept
    {
        return edges(n, otherwise_range);
    }
    [[nodiscard]] std::span<const graph_edge> labelled(const graph_node& n) const noexcept
    {
        return edges(n, labelled_range);
    }
    /** Conditional edges that are asked after failure only. */
    [[nodiscard]] std::span<const graph_edge> rescue(const graph_node& n) const noexcept
    {
        return edges(n, rescue_range);
    }
    [[nodiscard]] std::span<const graph_edge> on_failure(const graph_node& n) const noexcept
    {
        return edges(n, on_failure_range);
    }
    [[nodiscard]] std::span<const graph_edge> unused(const graph_node& n) const noexcept
    {
        return edges(n, unused_range);
    }
    /** All that may be taken after success. */
    [[nodiscard]] std::span<const graph_edge> ways_on(const graph_node& n) const noexcept
    {
        return data_->ways_on(n);
    }
    [[nodiscard]] std::span<const graph_edge> all_edges(const graph_node& n) const noexcept
    {
        return {data_->edges.data() + n.first_edge[0], n.first_edge[edge_ranges] - n.first_edge[0]};
    }
    /** Conditional edges that are asked when the node has failed, in the order in which they are asked. */
    [[nodiscard]] std::vector<const graph_edge*> asked_after_failure(const graph_node& n) const;
    /** Where branches that start at `targets` meet: the first node that each is bound to reach, or `no_node`. */
    [[nodiscard]] node_index meeting_point(std::span<const node_index> targets) const;
    /** Where branches meet that are sent to `targets`, behind them: the first node that each is bound to reach. */
    [[nodiscard]] node_index meeting_point_behind(std::span<const node_index> targets) const;
    /** `targets` put together as they meet before `join`: one group for each way that arrives there separately. */
    [[nodiscard]] std::vector<std::vector<node_index>> branch_groups(std::span<const node_index> targets,
                                                                     node_index join) const;

protected:
    [[nodiscard]] const data& all() const noexcept { return *data_; }

private:
    [[nodiscard]] std::span<const graph_edge> edges(const graph_node& n, int kind) const noexcept
    {
        return {data_->edges.data() + n.first_edge[kind], n.first_edge[kind + 1] - n.first_edge[kind]};
    }

    std::shared_ptr<const data> data_;
};

}  // namespace weft
