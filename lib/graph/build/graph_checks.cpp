#include "edges_by_source.hpp"
#include "graph_description.hpp"
#include "node_names.hpp"
#include "stream_edges.hpp"

#include <weft/base/suggestion.hpp>

#include <algorithm>
#include <functional>
#include <tuple>
#include <unordered_set>

namespace weft::graph_detail {

namespace {

using description = graph_builder::description;
using mistakes_list = std::vector<std::string>;

/** The nodes there are, for a mistake about a `wrong` one, and which one is probably meant. */
std::string known_nodes(const description& from, std::string_view wrong)
{
    std::string text;
    std::vector<std::string_view> names;
    for (const auto& node : from.nodes) {
        const std::string& name = from.names[node.name];
        names.push_back(name);
        if (text.size() <= 200)
            text += (text.empty() ? "" : ", ") + name;
        else if (!text.ends_with("…"))
            text += ", …";
    }
    return (text.empty() ? "none" : text) + did_you_mean(wrong, names);
}

void check_node(const description& from, std::size_t i, const node_names& names, mistakes_list& mistakes)
{
    const auto& node = from.nodes[i];
    const std::string& name = from.names[node.name];
    const auto refuse = [&](const std::string& why) {
        mistakes.push_back("node[" + std::to_string(i) + "] '" + name + "'" + why);
    };
    if (name.empty()) refuse(" has no name");
    else if (node.name == name_table::start || node.name == name_table::end)
        refuse(" has a reserved name: choose another");
    else if (const node_index known = names.at(node.name); known != i + 1)
        refuse(" has the name of node[" + std::to_string(known - 1) + "]: names are unique");
    if (!node.body) refuse(" has no work: give it a function");
    const node_options& options = *node.options;
    const retry_policy& retry = options.retry;
    if (retry.attempts_max < 0 || retry.factor < 1 || retry.initial.count() < 0 || retry.delay_max.count() < 0)
        refuse(" has an impossible retry policy: attempts and delays are not negative, factor is at least 1");
    if (options.timeout.count() < 0) refuse(" has a negative timeout");
    if (options.idle_max.count() < 0) refuse(" has a negative idle_max");
    for (const std::string& target : options.goes_to)
        if (!names.contains(target))
            refuse(" goes_to '" + target + "', which is no node. Known: " + known_nodes(from, target));
}

void check_nodes(const description& from, const node_names& names, mistakes_list& mistakes)
{
    if (from.name.empty()) mistakes.push_back("the graph has no name: give it one");
    if (from.nodes.empty()) mistakes.push_back("the graph has no nodes: add one");
    for (std::size_t i = 0; i < from.nodes.size(); ++i) check_node(from, i, names, mistakes);
}

bool is_conditional(edge_kind kind) { return kind == edge_kind::when || kind == edge_kind::routed; }

bool has_answer_label(edge_kind kind) { return kind == edge_kind::routed || kind == edge_kind::labelled; }

void check_edge(const description& from, std::size_t i, const node_names& names, mistakes_list& mistakes)
{
    const auto& edge = from.edges[i];
    const auto& rule = edge.rule();
    const auto refuse = [&](std::string_view why) { mistakes.push_back(edge_text(from, i).append(why)); };
    if (edge.from == name_table::end)
        refuse(" starts at the end, where nothing goes on");
    else if (!names.contains(edge.from))
        refuse(" starts at an unknown node. Known: " + known_nodes(from, source_of(from, edge)));
    if (edge.to == name_table::start)
        refuse(" leads to the start: name the first node instead");
    else if (!names.contains(edge.to))
        refuse(" leads to an unknown node. Known: " + known_nodes(from, target_of(from, edge)));
    if (edge.kind == edge_kind::when && !rule.holds && !rule.condition && rule.condition_mistake.empty())
        refuse(" has no predicate: give one, or make it a plain edge");
    if (edge.kind == edge_kind::routed && !*rule.route) refuse(" has no function to route by: give one");
    if (has_answer_label(edge.kind) && rule.label.empty())
        refuse(" has no label: name the answer that leads there");
    const bool waits_for_failure = edge.after != edge_after::success;
    if (waits_for_failure && !is_conditional(edge.kind))
        refuse(" has the option `after`, which conditional edges have: make it one of the kind on_failure or always");
    // The start is no node that works: it cannot fail, answer or decide.
    if (edge.from != name_table::start) return;
    if (waits_for_failure && is_conditional(edge.kind))
        refuse(" is asked after a failure of the start, which cannot fail: leave `after` out");
    if (edge.kind == edge_kind::labelled)
        refuse(" waits for a label of the start, which answers nothing: begin with a router");
    if (edge.kind == edge_kind::on_failure || edge.kind == edge_kind::on_budget || edge.kind == edge_kind::always)
        refuse(" waits for a failure of the start, which cannot fail: make it a plain edge");
}

/** What makes two edges of one source the same: for labelled ones the answer, for others the target. */
auto identity_of(const description& from, std::uint32_t i)
{
    const auto& edge = from.edges[i];
    const std::string_view way = has_answer_label(edge.kind) ? edge.rule().label : target_of(from, edge);
    return std::tuple{edge.kind, edge.rule().route.get(), way};
}

/** Pairs of edges of one source that are the same, the later one first. */
void find_repeated(const description& from, std::span<const std::uint32_t> of_source,
                   std::vector<std::pair<std::uint32_t, std::uint32_t>>& repeated)
{
    std::vector<std::uint32_t> sorted;
    for (const std::uint32_t i : of_source)
        if (from.edges[i].kind != edge_kind::when) sorted.push_back(i);
    std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
        const auto one = identity_of(from, a);
        const auto other = identity_of(from, b);
        return one != other ? one < other : a < b;
    });
    for (std::size_t k = 1; k < sorted.size(); ++k)
        if (identity_of(from, sorted[k]) == identity_of(from, sorted[k - 1]))
            repeated.emplace_back(sorted[k], sorted[k - 1]);
}

void check_repeated_edges(const description& from, const edges_by_source& edges, mistakes_list& mistakes)
{
    std::vector<std::pair<std::uint32_t, std::uint32_t>> repeated;
    // Stamps tell most sources, whose edges lead to different nodes, without a sort.
    std::vector<name_number> source_of_target(from.names.size(), name_table::none);
    for (name_number source = 0; source < from.names.size(); ++source) {
        bool may_repeat = false;
        for (const std::uint32_t i : edges.of(source)) {
            const auto& edge = from.edges[i];
            may_repeat |= has_answer_label(edge.kind) || std::exchange(source_of_target[edge.to], source) == source;
        }
        if (may_repeat) find_repeated(from, edges.of(source), repeated);
    }
    std::sort(repeated.begin(), repeated.end());
    for (const auto& [again, first] : repeated) {
        const auto& edge = from.edges[again];
        const std::string what = has_answer_label(edge.kind) ? "the label '" + edge.rule().label + "' of " : "";
        mistakes.push_back(edge_text(from, again) + " repeats " + what + "edge[" + std::to_string(first) +
                           "]: remove one");
    }
}

void check_edges(const description& from, const node_names& names, const edges_by_source& edges,
                 mistakes_list& mistakes)
{
    for (std::size_t i = 0; i < from.edges.size(); ++i) check_edge(from, i, names, mistakes);
    check_repeated_edges(from, edges, mistakes);
    if (edges.of(name_table::start).empty() && !from.nodes.empty())
        mistakes.push_back("no edge begins at '" + std::string{start} + "': add one to the first node, as '" +
                           from.names[from.nodes.front().name] + "'");
}

void check_fan_outs(const description& from, const node_names& names, mistakes_list& mistakes)
{
    std::unordered_map<std::string_view, int> seen;
    for (const auto& [source, options] : from.fan_outs) {
        if (!names.contains(source) || source == end)
            mistakes.push_back("fan_out of '" + source + "', which is no node. Known: " + known_nodes(from, source));
        if (options.until && options.on_failure.needed() > 0)
            mistakes.push_back("fan_out of '" + source + "' has until beside a policy that counts successes: choose " +
                               "fail_all, continue_others or wait_all");
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
                                   "' is no node. Known: " + known_nodes(from, name));
}

void check_decisions(const description& from, const node_names& names, mistakes_list& mistakes)
{
    std::unordered_map<std::string_view, int> seen;
    std::unordered_set<std::string_view> leading_on;
    for (const auto& edge : from.edges)
        if (edge.kind == edge_kind::llm) leading_on.insert(source_of(from, edge));
    for (const auto& [source, options] : from.decisions) {
        const std::string subject = "edge_llm of '" + source + "'";
        if (++seen[source] == 2) mistakes.push_back(subject + " is given twice: list all targets in one");
        if (options.fallback.empty())
            mistakes.push_back(subject + " has no fallback: say where to go without a usable answer");
        else if (!names.contains(options.fallback) || options.fallback == start)
            mistakes.push_back(subject + " falls back to '" + options.fallback + "', which is no node. Known: " +
                               known_nodes(from, options.fallback));
        if (!leading_on.contains(source))
            mistakes.push_back(subject + " has no targets: name the nodes to choose among");
    }
}

// Failure edges count as ways, and so does what a node may go to by a command: a handler is not unreachable.
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
        for (std::uint32_t e = node.first_edge[0]; e < node.first_edge[edge_ranges]; ++e) visit(data.edges[e].target);
        if (node.fallback != no_node) visit(node.fallback);
        for (const std::string& name : node.options->goes_to) visit(data.find(name));
    }
    return seen;
}

/** The nodes between a fan-out and its join from which a way leads to the join; looks no further than the join. */
std::unordered_set<node_index> nodes_before(const graph::data& data, const graph_node& source, node_index join)
{
    // Only what lies between is looked at: a graph has many fan-outs, and each is small.
    std::unordered_map<node_index, std::vector<node_index>> sources;  // of what is reached, by its target
    std::vector<node_index> open;
    const auto visit = [&](node_index from, node_index target) {
        if (target == end_node) return;
        const auto [known, is_new] = sources.try_emplace(target);
        if (from != no_node) known->second.push_back(from);
        if (is_new && target != join) open.push_back(target);
    };
    for (const graph_edge& edge : data.ways_on(source)) visit(no_node, edge.target);
    while (!open.empty()) {
        const node_index n = open.back();
        const graph_node& node = data.nodes[n];
        open.pop_back();
        for (std::uint32_t e = node.first_edge[0]; e < node.first_edge[edge_ranges]; ++e)
            visit(n, data.edges[e].target);
        if (node.fallback != no_node) visit(n, node.fallback);
        for (const std::string& name : node.options->goes_to) visit(n, data.find(name));
    }
    std::unordered_set<node_index> leading{join};
    for (open.push_back(join); !open.empty();) {
        const node_index n = open.back();
        open.pop_back();
        for (const node_index before : sources[n])
            if (leading.insert(before).second) open.push_back(before);
    }
    return leading;
}

std::size_t branches_at_most(const graph::data& data, const graph_node& node)
{
    std::vector<node_index> targets;
    std::size_t conditional = 0;
    for (const graph_edge& edge : data.ways_on(node)) {
        const bool is_unconditional = edge.kind == edge_kind::on_success || edge.kind == edge_kind::plain ||
                                      edge.kind == edge_kind::always;
        if (!is_unconditional) conditional = 1;
        else if (edge.target != end_node) targets.push_back(edge.target);
    }
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    return targets.size() + conditional;
}

}  // namespace

void check_description(const description& from, const node_names& names, const edges_by_source& edges,
                       mistakes_list& mistakes)
{
    check_nodes(from, names, mistakes);
    check_edges(from, names, edges, mistakes);
    check_fan_outs(from, names, mistakes);
    check_decisions(from, names, mistakes);
    check_keys(from, mistakes);
    check_stream_edges(from, names, mistakes);
}

void check_structure(const description& from, const graph::data& data, mistakes_list& mistakes)
{
    const std::vector<char> reachable = reachable_from(data, start_node);
    for (std::size_t n = 1; n < data.nodes.size(); ++n)
        if (!reachable[n])
            mistakes.push_back("node '" + data.nodes[n].name +
                               "' is unreachable: add an edge to it, name it in a node's goes_to, or remove it");
    for (const auto& fan_out : from.fan_outs) {
        const graph_node* const source = &data.nodes[data.find(fan_out.source)];
        const branch_policy policy = fan_out.options.on_failure;
        const std::size_t most = branches_at_most(data, *source);
        // A node that sends items has as many branches as there are items.
        const bool may_send = !source->options->goes_to.empty();
        if (policy.which() == branch_policy::kind::quorum && policy.needed() > most && !may_send)
            mistakes.push_back("fan_out of '" + fan_out.source + "' needs " + std::to_string(policy.needed()) +
                               " successes of at most " + std::to_string(most) + " branches");
    }
    for (const graph_node& node : data.nodes) {
        if (node.named_join == no_node) continue;
        const std::unordered_set<node_index> leading = nodes_before(data, node, node.named_join);
        for (const graph_edge& edge : data.ways_on(node)) {
            const node_index target = edge.target;
            if (target != end_node && !leading.contains(target))
                mistakes.push_back("fan_in of '" + node.name + "' at '" + data.nodes[node.named_join].name +
                                   "': the branch '" + data.nodes[target].name + "' never gets there");
        }
    }
}

}  // namespace weft::graph_detail
