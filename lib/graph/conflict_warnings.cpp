#include "graph_description.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace weft::graph_detail {

namespace {

/** The keys that a branch may write, each with the first node found to write it, from its first node to the join. */
std::map<std::string, std::string> writes_of_branch(const graph& g, node_index first, node_index join)
{
    std::map<std::string, std::string> result;
    std::set<node_index> seen{first};
    std::vector<node_index> open{first};
    while (!open.empty()) {
        const node_index n = open.back();
        open.pop_back();
        if (n == join) continue;
        const graph_node& node = g.node(n);
        if (node.options.writes)
            for (const std::string& key : *node.options.writes) result.emplace(key, node.name);
        for (const graph_edge& edge : g.all_edges(node))
            if (edge.target != end_node && seen.insert(edge.target).second) open.push_back(edge.target);
    }
    return result;
}

bool may_conflict(const graph& g, const graph_node& source, const std::string& key)
{
    const state_layout::slot& slot = (*g.layout())[g.layout()->find(key)];
    if (slot.type->has_reducer) return false;
    const conflict_strategy strategy = slot.conflict.value_or(source.fan_out.conflict.value_or(g.conflict()));
    return strategy != conflict_strategy::branch_order;
}

}  // namespace

void warn_of_conflicts(const graph& g, graph::data& data)
{
    const bool any = std::any_of(data.nodes.begin(), data.nodes.end(),
                                 [](const graph_node& node) { return node.options.writes.has_value(); });
    if (!any) return;
    for (const graph_node& source : data.nodes) {
        std::map<std::string, std::string> writers;
        std::set<node_index> targets;
        const node_index join = source.named_join != no_node ? source.named_join : source.join;
        for (const auto edges : {g.on_success(source), g.otherwise(source)})
            for (const graph_edge& edge : edges)
                if (edge.target != end_node && edge.target != join) targets.insert(edge.target);
        if (targets.size() < 2) continue;
        for (const node_index target : targets)
            for (const auto& [key, writer] : writes_of_branch(g, target, join)) {
                const auto [other, is_new] = writers.emplace(key, writer);
                if (is_new || other->second == writer || !may_conflict(g, source, key)) continue;
                data.warnings.push_back({"possible_write_conflict",
                                         "the branches of '" + source.name + "' may both write key '" + key +
                                             "' (nodes '" + other->second + "' and '" + writer +
                                             "'): give the key a reducer or choose conflict_strategy::branch_order"});
            }
    }
}

}  // namespace weft::graph_detail
