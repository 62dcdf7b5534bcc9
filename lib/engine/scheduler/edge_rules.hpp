#pragma once

#include <weft/engine/scheduler/frontier.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace weft {

// Which edges a branch takes behind its node, from the graph and the outcome of the node. Without effects.

/** Where a branch goes on after success. */
struct success_route {
    enum class kind : std::uint8_t {
        ask_model,  ///< The `llm` edges of the node are asked.
        follow,     ///< Along `edge` only.
        go,         ///< To `target`; `edge`, if there is one, moves values there.
        fork,       ///< To all of `targets`.
        none,       ///< No edge matches.
    };

    kind what = kind::none;
    node_index target = no_node;
    const graph_edge* edge = nullptr;
    pooled_vector<node_index> targets;
};

/** @param chosen  The conditional edge that holds; null if none does or there is none.
 *  @param by_llm  The target that a model has chosen; `no_node` if none was asked. */
[[nodiscard]] success_route route_after_success(const graph& of, const graph_node& node, const graph_edge* chosen,
                                                node_index by_llm);

/** An edge that fires, for a notice: where it leads, and its place among the declared ones, or `no_edge`. */
struct fired_edge {
    node_index target;
    std::uint32_t declared;
};
/** Each edge that fires after success; several may lead to one node, which runs once. Parameters as above. */
[[nodiscard]] std::vector<fired_edge> edges_fired(const graph& of, const graph_node& node, const graph_edge* chosen,
                                                  node_index by_llm);

/** The edge that is there for want of budget, steps or time, if that is what failed; else null. */
[[nodiscard]] const graph_edge* budget_edge_of(const graph& of, const graph_node& node, errc code) noexcept;
/** The failure's own edge, else the first `on_failure` edge, else the first `always` edge; null: it goes up. */
[[nodiscard]] const graph_edge* failure_edge_of(const graph& of, const graph_node& node, errc code) noexcept;
/** The edge of a node by which a branch leaves that may not go on; null if it has none. */
[[nodiscard]] const graph_edge* edge_out_of(const graph& of, const graph_node& node, errc code) noexcept;
/** Whether the conditions of a node are asked after such a failure. */
[[nodiscard]] inline bool asks_after_failure(const graph& of, const graph_node& node, errc code) noexcept
{
    return node.asks_after_failure && !budget_edge_of(of, node, code);
}
/** Null if no edge has the label. */
[[nodiscard]] const graph_edge* labelled_edge_of(const graph& of, const graph_node& node,
                                                 std::string_view label) noexcept;
/** What is said of a node whose edges all do not match. */
[[nodiscard]] std::string text_of_no_match(const graph& of, const graph_node& node);

}  // namespace weft
