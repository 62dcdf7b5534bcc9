#include "analysis_rules.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace weft::graph_detail {

std::vector<node_index> branch_starts(const graph& of, const graph_node& source)
{
    std::vector<node_index> starts;
    const node_index join = join_of(of, source);
    const auto add = [&](node_index target) {
        const bool begins = target != end_node && target != join && !of.node(target).is_deferred;
        if (begins && std::find(starts.begin(), starts.end(), target) == starts.end()) starts.push_back(target);
    };
    for (const auto edges : {of.on_success(source), of.otherwise(source)})
        for (const graph_edge& edge : edges) add(edge.target);
    if (starts.size() > 1) return starts;
    starts.clear();
    // Any number of items may be sent to each: two stand for all.
    if (source.body && source.body->may_command())
        for (const std::string& name : source.options.goes_to)
            if (const node_index target = of.find(name); target != end_node) starts.insert(starts.end(), 2, target);
    return starts;
}

node_index join_of(const graph& of, const graph_node& source)
{
    if (source.named_join != no_node) return source.named_join;
    if (source.join != no_node || !source.body || source.options.goes_to.empty()) return source.join;
    std::vector<node_index> targets;
    for (const std::string& name : source.options.goes_to)
        if (const node_index target = of.find(name); target != end_node) targets.push_back(target);
    return of.meeting_point_behind(targets);
}

std::vector<node_index> nodes_of_branch(const graph& of, node_index first, node_index join)
{
    std::vector<node_index> nodes{first};
    std::vector<char> seen(of.size());
    seen[first] = 1;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        for (const graph_edge& edge : of.all_edges(of.node(nodes[i]))) {
            if (edge.target == end_node || edge.target == join || seen[edge.target]) continue;
            seen[edge.target] = 1;
            nodes.push_back(edge.target);
        }
    return nodes;
}

namespace {

/** What a node may write, by the keys of its own graph, as far as it is declared. */
std::vector<std::string> writes_of(const graph& g, const graph_node& node)
{
    if (node.options.writes) return *node.options.writes;
    const subgraph* const inside = node.body->inner();
    if (!inside) return {};
    std::vector<std::string> keys;
    if (inside->is_mapped()) {
        for (const key_mapping& m : inside->outputs()) keys.push_back(m.target);
        return keys;
    }
    for (node_index n = 1; n < inside->what().size(); ++n)
        for (const std::string& key : writes_of(inside->what(), inside->what().node(n)))
            if (g.layout()->find(key) != state_layout::none) keys.push_back(key);
    return keys;
}

bool may_conflict(const graph& g, const graph_node& source, const std::string& key)
{
    const state_layout::slot& slot = (*g.layout())[g.layout()->find(key)];
    if (slot.type->has_reducer) return false;
    return slot.conflict.value_or(source.fan_out.conflict.value_or(g.conflict())) != conflict_strategy::branch_order;
}

}  // namespace

void find_write_conflicts(const analysed& in, std::vector<finding>& found)
{
    const graph& g = in.what;
    for (node_index s = 0; s < g.size(); ++s) {
        const graph_node& source = g.node(s);
        const node_index join = join_of(g, source);
        std::map<std::string, node_index> writers;  // by key, of the branches looked at so far
        std::set<std::string> reported;
        for (const node_index first : branch_starts(g, source)) {
            std::map<std::string, node_index> own;
            for (const node_index n : nodes_of_branch(g, first, join))
                for (const std::string& key : writes_of(g, g.node(n))) own.emplace(key, n);
            for (const auto& [key, writer] : own) {
                const auto [other, is_new] = writers.emplace(key, writer);
                if (is_new || !may_conflict(g, source, key) || !reported.insert(key).second) continue;
                found.push_back({"possible_write_conflict", severity::warning,
                                 "the branches of '" + in.name(s) + "' may both write key '" + key + "' (nodes '" +
                                     in.name(other->second) + "' and '" + in.name(writer) + "')",
                                 "give the key a reducer, or choose the conflict strategy branch_order for it",
                                 {in.name(s), in.name(other->second), in.name(writer)}});
            }
        }
    }
}

}  // namespace weft::graph_detail
