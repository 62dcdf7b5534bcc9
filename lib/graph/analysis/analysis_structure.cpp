#include "analysis_rules.hpp"

#include <algorithm>
#include <set>

namespace weft::graph_detail {

namespace {

/** All ways that a node may lead on after success; `end_node` among them if it may end there. */
std::vector<node_index> ways_of(const graph& g, const graph_node& node)
{
    std::vector<node_index> ways;
    for (const graph_edge& edge : g.ways_on(node)) ways.push_back(edge.target);
    if (node.fallback != no_node) ways.push_back(node.fallback);
    for (const std::string& name : node.options->goes_to) ways.push_back(g.find(name));
    if (ways.empty()) ways.push_back(end_node);
    return ways;
}

/** Nodes from which an end may be reached, or that may do something else than their edges say. */
std::vector<char> nodes_with_a_way_out(const graph& g)
{
    std::vector<std::vector<node_index>> sources(g.size());
    std::vector<char> ends(g.size());
    std::vector<node_index> open;
    const auto mark = [&](node_index n) {
        if (ends[n]) return;
        ends[n] = 1;
        open.push_back(n);
    };
    for (node_index n = 0; n < g.size(); ++n) {
        const graph_node& node = g.node(n);
        // What a function does cannot be seen: a node that may answer with a command has a way out.
        const bool may_leave = n != start_node && (node.body->may_command() || node.visits_max > 0);
        if (may_leave) mark(n);
        for (const node_index way : ways_of(g, node))
            if (way == end_node || g.node(way).is_deferred)
                mark(n);
            else
                sources[way].push_back(n);
    }
    while (!open.empty()) {
        const node_index n = open.back();
        open.pop_back();
        for (const node_index source : sources[n]) mark(source);
    }
    return ends;
}

/** The cycle that a walk from `n` along first ways comes into; every node on the way has no way out. */
std::vector<node_index> cycle_from(const graph& g, node_index n)
{
    std::vector<node_index> walk;
    for (;;) {
        if (const auto seen = std::find(walk.begin(), walk.end(), n); seen != walk.end()) {
            // What leads into the cycle is not a part of it.
            walk.erase(walk.begin(), seen);
            walk.push_back(n);
            return walk;
        }
        walk.push_back(n);
        n = ways_of(g, g.node(n)).front();
    }
}

bool says_where_it_ends(const graph& g)
{
    for (node_index n = 0; n < g.size(); ++n)
        for (const graph_edge& edge : g.ways_on(g.node(n)))
            if (edge.target == end_node) return true;
    return false;
}

}  // namespace

void find_endless_cycles(const analysed& in, std::vector<finding>& found)
{
    const std::vector<char> ends = nodes_with_a_way_out(in.what);
    std::set<node_index> reported;
    for (node_index n = 1; n < in.what.size(); ++n) {
        if (ends[n] || reported.contains(n)) continue;
        const std::vector<node_index> cycle = cycle_from(in.what, n);
        const bool is_new = !reported.contains(cycle.front());
        reported.insert(cycle.begin(), cycle.end());
        if (!is_new) continue;
        finding f{"endless_cycle", severity::error, "nothing leads out of a cycle that begins at '" +
                  in.name(cycle.front()) + "'",
                  "add a conditional edge that leaves it, or give a node of it visits_max", {}};
        for (const node_index node : cycle) f.witness.push_back(in.name(node));
        found.push_back(std::move(f));
    }
}

void find_unused_edges(const analysed& in, std::vector<finding>& found)
{
    for (node_index n = 0; n < in.what.size(); ++n)
        for (const graph_edge& edge : in.what.unused(in.what.node(n)))
            found.push_back({"unused_edge", severity::warning,
                             "edge[" + std::to_string(edge.declared) + "] from '" + in.name(n) + "' to '" +
                                 in.name(edge.target) + "' is never taken: one before it always matches",
                             "put conditions before edges without one, or remove it",
                             {in.name(n), in.name(edge.target)}});
}

void find_dead_ends(const analysed& in, std::vector<finding>& found)
{
    // An author who never names the end lets branches end where their edges do, on purpose.
    if (!says_where_it_ends(in.what)) return;
    for (node_index n = 1; n < in.what.size(); ++n) {
        const graph_node& node = in.what.node(n);
        if (!in.what.ways_on(node).empty() || node.fallback != no_node || node.body->may_command()) continue;
        found.push_back({"dead_end", severity::note, "nothing comes after '" + in.name(n) + "': its branch ends there",
                         "say so with an edge to the end", {in.name(n)}});
    }
}

void find_streams_read_whole(const analysed& in, std::vector<finding>& found)
{
    for (node_index n = 1; n < in.what.size(); ++n)
        for (const graph_edge& edge : in.what.all_edges(in.what.node(n))) {
            if (edge.streams != edge_stream::whole) continue;
            const std::string reader = in.name(edge.target);
            found.push_back({"stream_read_whole", severity::note,
                             "'" + reader + "' reads no stream: it begins when that of '" + in.name(n) + "' has ended",
                             "leave `streams` out, or let a node read it that reads streams",
                             {in.name(n), reader}});
        }
}

}  // namespace weft::graph_detail
