#include "edge_rules.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace weft {

namespace {

/** Of a node that has several edges which may fire at once. */
success_route route_along_all(const graph& of, const graph_node& node, const graph_edge* chosen, node_index by_llm)
{
    const auto sure = of.on_success(node);
    // Otherwise-edges are for the case that no condition holds.
    const auto otherwise = chosen || by_llm != no_node ? std::span<const graph_edge>{} : of.otherwise(node);
    success_route route;
    pooled_vector<node_index>& targets = route.targets;
    targets.reserve(sure.size() + otherwise.size() + 1);
    bool leads_to_end = false;
    bool may_repeat = !sure.empty();
    const auto add = [&](node_index target) {
        if (target == end_node)
            leads_to_end = true;
        else
            targets.push_back(target);
    };
    for (const graph_edge& edge : sure) add(edge.target);
    if (chosen) add(chosen->target);
    if (by_llm != no_node) add(by_llm);
    for (const graph_edge& edge : otherwise) {
        may_repeat |= edge.kind == edge_kind::always;
        add(edge.target);
    }
    // Two edges of different kinds may lead to one node, which runs once; edges of one kind never do.
    if (may_repeat) {
        auto last = targets.end();
        for (auto it = targets.begin(); it < last; ++it) last = std::remove(it + 1, last, *it);
        targets.erase(last, targets.end());
    }
    const bool may_match = !of.conditional(node).empty() || !of.labelled(node).empty();
    // Nothing holds, and no plain edge says what to do then: that is a mistake of the graph, and not its end.
    if (targets.empty() && may_match && !leads_to_end) return route;
    route.what = targets.size() > 1 ? success_route::kind::fork : success_route::kind::go;
    if (targets.size() > 1) return route;
    route.target = targets.empty() ? end_node : targets.front();
    if (!targets.empty() && node.maps_values) {
        const auto ways = of.ways_on(node);
        const auto leads_there = [&route](const graph_edge& edge) { return edge.target == route.target; };
        const auto found = std::find_if(ways.begin(), ways.end(), leads_there);
        if (found != ways.end()) route.edge = &*found;
    }
    return route;
}

}  // namespace

success_route route_after_success(const graph& of, const graph_node& node, const graph_edge* chosen, node_index by_llm)
{
    success_route route;
    // Conditions come first: a model costs time and money.
    if (!chosen && by_llm == no_node && !of.by_llm(node).empty()) {
        route.what = success_route::kind::ask_model;
        return route;
    }
    if (!of.on_success(node).empty()) return route_along_all(of, node, chosen, by_llm);
    if (by_llm != no_node && !chosen) {
        route.what = success_route::kind::go;
        route.target = by_llm;
        return route;
    }
    if (!chosen && of.otherwise(node).size() != 1) return route_along_all(of, node, chosen, by_llm);
    route.what = success_route::kind::follow;
    route.edge = chosen ? chosen : &of.otherwise(node).front();
    return route;
}

std::vector<fired_edge> edges_fired(const graph& of, const graph_node& node, const graph_edge* chosen,
                                    node_index by_llm)
{
    std::vector<fired_edge> fired;
    const auto add = [&fired](const graph_edge& edge) { fired.push_back({edge.target, edge.declared}); };
    for (const graph_edge& edge : of.on_success(node)) add(edge);
    if (chosen) {
        add(*chosen);
    } else if (by_llm != no_node) {
        const auto candidates = of.by_llm(node);
        const auto found = std::find_if(candidates.begin(), candidates.end(),
                                        [by_llm](const graph_edge& edge) { return edge.target == by_llm; });
        fired.push_back({by_llm, found == candidates.end() ? no_edge : found->declared});
    } else {
        for (const graph_edge& edge : of.otherwise(node)) add(edge);
    }
    return fired;
}

const graph_edge* budget_edge_of(const graph& of, const graph_node& node, errc code) noexcept
{
    if (code != errc::budget_exhausted && code != errc::steps_exceeded && code != errc::run_timeout) return nullptr;
    for (const graph_edge& edge : of.on_failure(node))
        if (edge.kind == edge_kind::on_budget) return &edge;
    return nullptr;
}

const graph_edge* failure_edge_of(const graph& of, const graph_node& node, errc code) noexcept
{
    // The edge that names the cause comes before the one for any failure.
    if (const graph_edge* const own = budget_edge_of(of, node, code)) return own;
    for (const graph_edge& edge : of.on_failure(node))
        if (edge.kind == edge_kind::on_failure) return &edge;
    for (const auto edges : {of.otherwise(node), of.unused(node)})
        for (const graph_edge& edge : edges)
            if (edge.kind == edge_kind::always) return &edge;
    return nullptr;
}

const graph_edge* edge_out_of(const graph& of, const graph_node& node, errc code) noexcept
{
    const graph_edge* const edge = code == errc::node_repeated ? nullptr : failure_edge_of(of, node, code);
    // An `always` edge says where to go on, not how to end.
    return edge && edge->kind == edge_kind::always ? nullptr : edge;
}

const graph_edge* labelled_edge_of(const graph& of, const graph_node& node, std::string_view label) noexcept
{
    for (const graph_edge& edge : of.labelled(node))
        if (edge.label == label) return &edge;
    return nullptr;
}

std::string text_of_no_match(const graph& of, const graph_node& node)
{
    std::string candidates;
    for (const graph_edge& edge : of.conditional(node)) {
        candidates.append(candidates.empty() ? "" : ", ").append(of.name_of(edge.target));
        if (!edge.label.empty()) candidates.append(" [").append(edge.label).append("]");
    }
    if (candidates.empty())
        return "it has labelled edges only and answered without a label; add a plain edge as otherwise";
    return "none of its conditions holds (to " + candidates + "); add a plain edge as the otherwise";
}

}  // namespace weft
