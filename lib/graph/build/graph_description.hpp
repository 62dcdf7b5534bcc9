#pragma once

#include "name_table.hpp"

#include <weft/graph/expression.hpp>
#include <weft/graph/graph_builder.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** What a builder was given, unchecked, in the order in which it came. */
struct graph_builder::description {
    struct node {
        graph_detail::name_number name;
        std::shared_ptr<const node_body> body;
        std::shared_ptr<const node_options> options;  ///< Shared with the graphs that are built.
    };
    /** What only some edges have. */
    struct edge_rule {
        std::string label;
        std::vector<key_mapping> map;
        edge_predicate holds;
        std::optional<expression> condition;  ///< Of `when` with a text that is an expression,
        std::string condition_mistake;        ///< or what is wrong with the text.
        std::shared_ptr<const edge_router> route;
    };
    struct edge {
        graph_detail::name_number from;
        graph_detail::name_number to;
        edge_kind kind;
        edge_after after;
        bool streams;
        int priority;
        std::shared_ptr<const edge_rule> with_rule;  ///< Null for none; see `rule`.

        [[nodiscard]] const edge_rule& rule() const noexcept { return with_rule ? *with_rule : no_rule(); }
        [[nodiscard]] static const edge_rule& no_rule() noexcept;
    };
    struct decision {
        std::string source;
        llm_options options;
    };
    struct fan_out {
        std::string source;
        fan_out_options options;
    };
    struct fan_in {
        std::string source;
        std::string join;
    };
    struct key_conflict {
        std::string key;
        conflict_strategy strategy;
    };

    std::string name;
    graph_detail::name_table names;  ///< Of nodes and edges.
    std::vector<any_state_key> keys;
    std::vector<node> nodes;
    std::vector<edge> edges;
    std::vector<fan_out> fan_outs;
    std::vector<fan_in> fan_ins;
    std::vector<decision> decisions;
    std::optional<weft::goal> goal;
    std::string purpose;
    weft::row_limit row_limit;
    std::optional<graph_conversation> conversation;
    std::optional<graph_memory> memory;
    weft::routing routing = weft::routing::every_match;
    std::vector<key_conflict> key_conflicts;
    std::vector<std::pair<any_state_key, value_ptr>> initials;
    conflict_strategy conflict = conflict_strategy::last_wins;
};

namespace graph_detail {

/** How mistakes begin that concern an edge: `edge[3] 'plan' -> 'write'`. */
[[nodiscard]] std::string edge_text(const graph_builder::description& of, std::size_t edge);
/** How mistakes begin that concern a condition. */
[[nodiscard]] std::string condition_text(std::string_view condition);

class node_names;
class edges_by_source;

/** Names of one edge, as texts. */
[[nodiscard]] inline const std::string& source_of(const graph_builder::description& of,
                                                  const graph_builder::description::edge& edge) noexcept
{
    return of.names[edge.from];
}
[[nodiscard]] inline const std::string& target_of(const graph_builder::description& of,
                                                  const graph_builder::description::edge& edge) noexcept
{
    return of.names[edge.to];
}

/** Checks everything that is known before the graph is put together; adds a sentence for each mistake. */
void check_description(const graph_builder::description& description, const node_names& names,
                       const edges_by_source& edges, std::vector<std::string>& mistakes);

/** Checks keys, and what names them: nodes, mappings, conditions, schemas, caches. A key that is not declared gets the
 *  name that is probably meant. */
void check_keys(const graph_builder::description& description, std::vector<std::string>& mistakes);

/** Checks what needs the whole graph: reachability, joins, quorums. */
void check_structure(const graph_builder::description& description, const graph::data& data,
                     std::vector<std::string>& mistakes);

/** Finds keys without a reducer that parallel branches may both write, as far as nodes declare their writes. */
void warn_of_conflicts(const graph& g, graph::data& data);

}  // namespace graph_detail

}  // namespace weft
