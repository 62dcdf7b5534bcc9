#include <weft/engine/trace/run_overlay_recorder.hpp>

#include <weft/graph/node/subgraph.hpp>

#include <algorithm>
#include <utility>

namespace weft {

void run_overlay_recorder::add(const run_event& event)
{
    const place at = find(event.address);
    if (!at.of) return;
    switch (event.what) {
    case run_event::kind::node_started: return start(event, at);
    case run_event::kind::node_succeeded: return end(event, at, false);
    case run_event::kind::node_failed: return end(event, at, true);
    case run_event::kind::edge_taken: return take(event, at);
    case run_event::kind::node_skipped: ++at.ran->steps; return;
    case run_event::kind::run_started: return begin(event, at);
    case run_event::kind::question_asked:
        if (const node_index n = at.of->find(event.node); n < at.ran->nodes.size()) ++at.ran->nodes[n].questions;
        return;
    case run_event::kind::question_answered:
        if (const node_index n = at.of->find(event.node); n < at.ran->nodes.size() && at.ran->nodes[n].questions > 0)
            --at.ran->nodes[n].questions;
        return;
    case run_event::kind::run_paused:
    case run_event::kind::run_finished:
        at.ran->termination = event.text;
        at.ran->was_cut_short = event.label == run_event::cut_short;
        if (event.address.empty()) open_.clear();
        return;
    default: return;
    }
}

/** A graph that begins without a choice is on its way before anybody watches: no event tells of its first edges. */
void run_overlay_recorder::begin(const run_event& event, place at)
{
    at.ran->termination.clear();
    const graph_node& start = at.of->node(start_node);
    if (!at.of->conditional(start).empty() || !at.of->by_llm(start).empty()) return;
    for (const auto edges : {at.of->on_success(start), at.of->otherwise(start)})
        for (const graph_edge& edge : edges) {
            std::uint32_t& times = at.ran->edges[edge.declared];
            if (times == 0 || !event.address.empty()) ++times;  // the outermost run may be a resumed one
        }
}

/** Where an event happened. Names of nodes may contain the "/" that joins them in an address. */
run_overlay_recorder::place run_overlay_recorder::find(const std::string& address)
{
    const place outermost{&graph_, &overlay_};
    return address.empty() ? outermost : find_inner(outermost, address);
}

run_overlay_recorder::place run_overlay_recorder::find_inner(place outer, std::string_view address)
{
    // Longest last: each "/" may be one of a name or one between names.
    for (std::size_t slash = address.find('/');; slash = address.find('/', slash + 1)) {
        const node_index n = outer.of->find(address.substr(0, slash));
        const bool is_node = n != no_node && n != end_node && n != start_node;
        if (const subgraph* inner = is_node ? outer.of->node(n).body->inner() : nullptr) {
            auto& all = outer.ran->inner;
            auto found = std::find_if(all.begin(), all.end(), [n](const auto& i) { return i.node == n; });
            if (found == all.end()) found = all.insert(all.end(), {n, run_overlay{inner->graph}});
            const place at{&inner->graph, &found->of};
            if (slash == std::string_view::npos) return at;
            if (const place deeper = find_inner(at, address.substr(slash + 1)); deeper.of) return deeper;
        }
        if (slash == std::string_view::npos) return {nullptr, nullptr};
    }
}

void run_overlay_recorder::start(const run_event& event, place at)
{
    const node_index n = at.of->find(event.node);
    if (n >= at.ran->nodes.size()) return;
    open_.push_back({event.address, n, event.branch, event.at});
    auto& node = at.ran->nodes[n];
    if (event.attempt > 1 || event.visit <= node.visits) node.questions = 0;  // it begins anew, and asks again
    // Only in the outermost graph visits are those of one run; there the number of a visit tells a resumed one apart.
    const bool is_new = event.address.empty() ? event.visit > node.visits : event.attempt == 1;
    if (!is_new) return;
    ++node.visits;
    ++at.ran->steps;
}

void run_overlay_recorder::end(const run_event& event, place at, bool has_failed)
{
    const node_index n = at.of->find(event.node);
    if (n >= at.ran->nodes.size()) return;
    const auto begun = std::find_if(open_.begin(), open_.end(), [&](const open_attempt& o) {
        return o.node == n && o.branch == event.branch && o.address == event.address;
    });
    auto& node = at.ran->nodes[n];
    if (begun != open_.end()) {
        node.elapsed += event.at - begun->since;
        open_.erase(begun);
    }
    node.has_failed = has_failed && event.text != run_event::stopped;
    if (node.has_failed) ++node.failures;
}

void run_overlay_recorder::take(const run_event& event, place at)
{
    if (event.edge != no_edge) {
        if (event.edge < at.ran->edges.size()) ++at.ran->edges[event.edge];
        return;
    }
    const node_index source = at.of->find(event.source);
    const node_index target = at.of->find(event.node);
    if (source == no_node || target == no_node) return;
    for (run_overlay::jump& j : at.ran->jumps)
        if (j.source == source && j.target == target) {
            ++j.times;
            return;
        }
    at.ran->jumps.push_back({source, target, 1});
}

}  // namespace weft
