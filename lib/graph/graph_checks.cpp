#include "graph_description.hpp"

#include <algorithm>

namespace weft::graph_detail {

namespace {

using description = graph_builder::description;
using mistakes_list = std::vector<std::string>;

std::string known_nodes(const description& from)
{
    std::string text;
    for (const auto& node : from.nodes) {
        if (text.size() > 200) return text + ", …";
        text += (text.empty() ? "" : ", ") + node.name;
    }
    return text.empty() ? "none" : text;
}

void check_nodes(const description& from, const node_names& names, mistakes_list& mistakes)
{
    if (from.name.empty()) mistakes.push_back("the graph has no name: give graph_builder a name");
    if (from.nodes.empty()) mistakes.push_back("the graph has no nodes: add one with .node()");
    for (std::size_t i = 0; i < from.nodes.size(); ++i) {
        const auto& node = from.nodes[i];
        const std::string who = "node[" + std::to_string(i) + "] '" + node.name + "'";
        if (node.name.empty()) mistakes.push_back(who + " has no name");
        else if (node.name == start || node.name == end)
            mistakes.push_back(who + " has a reserved name: choose another");
        else if (names.at(node.name) != i + 1)
            mistakes.push_back(who + " has the name of node[" + std::to_string(names.at(node.name) - 1) +
                               "]: names are unique");
        const retry_policy& retry = node.options.retry;
        if (retry.attempts_max < 0 || retry.factor < 1 || retry.initial.count() < 0 || retry.delay_max.count() < 0)
            mistakes.push_back(
                who + " has an impossible retry policy: attempts and delays are not negative, factor is at least 1");
        if (node.options.timeout.count() < 0) mistakes.push_back(who + " has a negative timeout");
        for (const std::string& target : node.options.goes_to)
            if (!names.contains(target))
                mistakes.push_back(who + " goes_to '" + target + "', which is no node. Known: " + known_nodes(from));
    }
}

void check_edge(const description& from, std::size_t i, const node_names& names, mistakes_list& mistakes)
{
    const auto& edge = from.edges[i];
    const std::string who = "edge[" + std::to_string(i) + "] '" + edge.from + "' -> '" + edge.to + "'";
    if (edge.from == end) mistakes.push_back(who + " starts at the end, where nothing goes on");
    else if (!names.contains(edge.from))
        mistakes.push_back(who + " starts at an unknown node. Known: " + known_nodes(from));
    if (edge.to == start) mistakes.push_back(who + " leads to the start: name the first node instead");
    else if (!names.contains(edge.to))
        mistakes.push_back(who + " leads to an unknown node. Known: " + known_nodes(from));
    if (edge.kind == edge_kind::when && !edge.holds)
        mistakes.push_back(who + " has no predicate: give one, or use .edge()");
    if (edge.from == start && (edge.kind == edge_kind::on_failure || edge.kind == edge_kind::always))
        mistakes.push_back(who + " waits for a failure of the start, which cannot fail: use .edge()");
}

void check_edges(const description& from, const node_names& names, mistakes_list& mistakes)
{
    std::unordered_map<std::string, std::size_t> seen;
    bool has_start = false;
    for (std::size_t i = 0; i < from.edges.size(); ++i) {
        const auto& edge = from.edges[i];
        check_edge(from, i, names, mistakes);
        has_start |= edge.from == start;
        if (edge.kind == edge_kind::when) continue;
        std::string id = edge.from;
        id.append(1, '\0').append(edge.to).append(1, static_cast<char>('0' + static_cast<int>(edge.kind)));
        if (const auto [other, is_new] = seen.emplace(std::move(id), i); !is_new)
            mistakes.push_back("edge[" + std::to_string(i) + "] '" + edge.from + "' -> '" + edge.to +
                               "' repeats edge[" + std::to_string(other->second) + "]: remove one");
    }
    if (!has_start && !from.nodes.empty())
        mistakes.push_back("nothing leads from weft::start: add .edge(weft::start, \"" + from.nodes.front().name +
                           "\")");
}

void check_fan_outs(const description& from, const node_names& names, mistakes_list& mistakes)
{
    std::unordered_map<std::string_view, int> seen;
    for (const auto& [source, options] : from.fan_outs) {
        if (!names.contains(source) || source == end)
            mistakes.push_back("fan_out of '" + source + "', which is no node. Known: " + known_nodes(from));
        if (++seen[source] == 2) mistakes.push_back("fan_out of '" + source + "' is described twice: keep one");
        if (options.branch_timeout.count() < 0)
            mistakes.push_back("fan_out of '" + source + "' has a negative branch_timeout");
        if (options.on_failure.which() == branch_policy::kind::quorum && options.on_failure.needed() == 0)
            mistakes.push_back("fan_out of '" + source + "' has a quorum of 0: at least 1 branch is needed");
    }
    for (const auto& [source, join] : from.fan_ins)
        for (const std::string& name : {source, join})
            if (!names.contains(name) || name == end)
                mistakes.push_back("fan_in of '" + source + "' at '" + join + "': '" + name +
                                   "' is no node. Known: " + known_nodes(from));
}

void check_keys(const description& from, mistakes_list& mistakes)
{
    state_layout layout;
    for (const any_state_key& key : from.keys) {
        const std::string who = "key '" + std::string{key.name} + "'";
        if (key.name.empty()) mistakes.push_back("a state key has no name");
        if (!layout.add(key)) mistakes.push_back(who + " is declared twice with different types or reducers");
    }
    const auto known = [&layout](const std::string& name) { return layout.find(name) != state_layout::none; };
    for (const auto& [key, strategy] : from.key_conflicts)
        if (!known(key)) mistakes.push_back("conflict strategy for key '" + key + "', which .state() does not declare");
    for (const auto& node : from.nodes)
        for (const auto* names : {&node.options.reads, &node.options.writes}) {
            if (!*names) continue;
            for (const std::string& name : **names)
                if (!known(name))
                    mistakes.push_back("node '" + node.name + "' declares key '" + name +
                                       "', which .state() does not declare");
        }
}

std::vector<char> reachable_from(const graph::data& data, node_index from)
{
    std::vector<char> seen(data.nodes.size());
    std::vector<node_index> open{from};
    seen[from] = 1;
    const auto visit = [&](node_index target) {
        if (target == end_node || seen[target]) return;
        seen[target] = 1;
        open.push_back(target);
    };
    while (!open.empty()) {
        const graph_node& node = data.nodes[open.back()];
        open.pop_back();
        for (std::uint32_t e = node.first_edge[0]; e < node.first_edge[4]; ++e) visit(data.edges[e].target);
        for (const std::string& name : node.options.goes_to)
            for (node_index n = 1; n < data.nodes.size(); ++n)
                if (data.nodes[n].name == name) visit(n);
    }
    return seen;
}

std::size_t branches_at_most(const graph::data& data, const graph_node& node)
{
    std::vector<node_index> targets;
    std::size_t conditional = 0;
    for (std::uint32_t e = node.first_edge[0]; e < node.first_edge[3]; ++e) {
        const graph_edge& edge = data.edges[e];
        if (edge.kind == edge_kind::when) conditional = 1;
        else if (edge.target != end_node) targets.push_back(edge.target);
    }
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    return targets.size() + conditional;
}

}  // namespace

void check_description(const description& from, const node_names& names, mistakes_list& mistakes)
{
    check_nodes(from, names, mistakes);
    check_edges(from, names, mistakes);
    check_fan_outs(from, names, mistakes);
    check_keys(from, mistakes);
}

void check_structure(const description& from, const graph::data& data, mistakes_list& mistakes)
{
    const std::vector<char> reachable = reachable_from(data, start_node);
    for (std::size_t n = 1; n < data.nodes.size(); ++n)
        if (!reachable[n])
            mistakes.push_back("node '" + data.nodes[n].name +
                               "' is unreachable: add an edge to it, name it in a node's goes_to, or remove it");
    for (const auto& fan_out : from.fan_outs) {
        const auto source = std::find_if(data.nodes.begin(), data.nodes.end(),
                                         [&](const graph_node& n) { return n.name == fan_out.source; });
        const branch_policy policy = fan_out.options.on_failure;
        const std::size_t most = branches_at_most(data, *source);
        if (policy.which() == branch_policy::kind::quorum && policy.needed() > most)
            mistakes.push_back("fan_out of '" + fan_out.source + "' needs " + std::to_string(policy.needed()) +
                               " successes of at most " + std::to_string(most) + " branches");
    }
    for (const graph_node& node : data.nodes) {
        if (node.named_join == no_node) continue;
        for (std::uint32_t e = node.first_edge[0]; e < node.first_edge[3]; ++e) {
            const node_index target = data.edges[e].target;
            if (target != end_node && !reachable_from(data, target)[node.named_join])
                mistakes.push_back("fan_in of '" + node.name + "' at '" + data.nodes[node.named_join].name +
                                   "': the branch '" + data.nodes[target].name + "' never gets there");
        }
    }
}

}  // namespace weft::graph_detail
