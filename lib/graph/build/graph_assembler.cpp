#include "graph_assembler.hpp"

#include "bound_nodes.hpp"
#include "cached_node.hpp"
#include "stream_edges.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace weft::graph_detail {

namespace {

/** A range is what a run looks at in one go: after success or failure it reads one stretch of the edge array. */
int range_of(edge_kind kind, edge_after after)
{
    switch (kind) {
    case edge_kind::on_success: return on_success_range;
    case edge_kind::when:
    case edge_kind::routed: return after == edge_after::failure ? rescue_range : conditional_range;
    case edge_kind::llm: return llm_range;
    case edge_kind::plain:
    case edge_kind::always: return otherwise_range;
    case edge_kind::labelled: return labelled_range;
    case edge_kind::on_failure:
    case edge_kind::on_budget: return on_failure_range;
    }
    return otherwise_range;
}

/** Whether a node must keep what it wrote for the condition of its edge: most graphs never do. */
bool looks_at_output(const graph_edge& edge)
{
    if (!edge.expression) return false;
    const auto names = edge.expression->source().names();
    return std::any_of(names.begin(), names.end(),
                       [](const expression_name& name) { return name.text == "output" || name.text == "result"; });
}

/** Whether it has no time of its own that is measured while it holds the loop. */
bool is_untimed(const graph_node& node)
{
    return node.body && (node.body->is_coroutine() || node.options->timeout.count() <= 0);
}

/** Says where a run needs no way through the scheduler: it goes along its nodes as if along a straight line. */
void note_straightness(graph_node& node)
{
    const bool is_bare = is_untimed(node) && !node.joins_conversation;
    node.begins_straight = is_bare && !node.is_deferred && node.visits_max == 0 &&
                           node.pauses == pause_point::never && !node.clears_keys && !node.gives_feedback;
    node.ends_straight = is_bare && node.ends_plainly && !node.owes_outputs;
    const fan_out_options& branches = node.fan_out;
    node.forks_straight = !node.maps_values && !branches.until && branches.on_failure.needed() == 0 &&
                          branches.branch_timeout.count() <= 0 && branches.concurrency_max == 0;
}

/** Numbers the nodes that a run comes along first, for as long as each has one way on. */
void number_line(std::vector<graph_node>& nodes)
{
    std::uint32_t place = 0;
    node_index next = nodes[start_node].only_next;
    while (next < nodes.size() && next != start_node && nodes[next].line_place == 0) {
        nodes[next].line_place = ++place;
        next = nodes[next].only_next;
    }
}

}  // namespace

std::shared_ptr<graph::data> graph_assembler::assemble()
{
    data_ = std::make_shared<graph::data>();
    data_->name = from_.name;
    data_->conflict = from_.conflict;
    data_->routing = from_.routing;
    data_->goal = from_.goal;
    data_->description = from_.purpose;
    data_->row_limit = from_.row_limit;
    data_->conversation = from_.conversation;
    data_->memory = from_.memory;
    add_keys();
    add_nodes();
    add_fan_outs();
    add_edges();
    join_streams(*data_);
    find_bound_nodes(*data_);
    return data_;
}

void graph_assembler::finish(const graph& g)
{
    std::vector<node_index> targets;
    // Stamps, not a set for each node: a graph of 100,000 nodes is finished in one pass over its edges.
    std::vector<node_index> target_of(data_->nodes.size(), no_node);  // the last source that a node is a target of
    for (graph_node& node : data_->nodes) {
        const auto source = static_cast<node_index>(&node - data_->nodes.data());
        targets.clear();
        for (const auto edges : {g.on_success(node), g.otherwise(node)})
            for (const graph_edge& edge : edges)
                if (edge.target != end_node && !data_->nodes[edge.target].is_deferred &&
                    std::exchange(target_of[edge.target], source) != source)
                    targets.push_back(edge.target);
        if (targets.size() > 1) {
            node.join = g.meeting_point(targets);
            const node_index join = node.named_join != no_node ? node.named_join : node.join;
            node.branches_meet_early = g.branch_groups(targets, join).size() < targets.size();
        }
        const bool decides = !g.conditional(node).empty() || !g.by_llm(node).empty();
        // The common node has one way on: the engine takes it without looking at edges at all.
        if (g.ways_on(node).empty())
            node.only_next = end_node;
        else if (g.on_success(node).empty() && !decides && g.otherwise(node).size() == 1 && !node.maps_values)
            node.only_next = g.otherwise(node).front().target;
        node.ends_plainly =
            node.only_next != no_node && node.pauses == pause_point::never && !node.keeps_outputs;
        note_straightness(node);
    }
    number_line(data_->nodes);
    warn_of_conflicts(g, *data_);
}

void graph_assembler::add_keys()
{
    auto layout = std::make_shared<state_layout>();
    for (const any_state_key& key : from_.keys) layout->add(key);
    add_stream_keys(from_, names_, *layout);
    for (const auto& [key, strategy] : from_.key_conflicts) (*layout)[layout->find(key)].conflict = strategy;
    for (const auto& [key, value] : from_.initials) (*layout)[layout->find(key.name, key.hash)].initial = value;
    if (from_.conversation) data_->conversation_slot = layout->find(from_.conversation->key.name);
    data_->layout = std::move(layout);
}

void graph_assembler::add_nodes()
{
    data_->nodes.resize(from_.nodes.size() + 1);
    data_->nodes[start_node].name = std::string{weft::start};
    for (std::size_t i = 0; i < from_.nodes.size(); ++i) {
        graph_node& node = data_->nodes[i + 1];
        node.name = from_.names[from_.nodes[i].name];
        node.options = from_.nodes[i].options;
        const node_options& options = *node.options;
        node.body = body_of(from_.nodes[i]);
        node.joins_conversation = data_->conversation && !options.is_isolated;
        node.scope = scope_of(options);
        for (const std::string& key : options.clears) node.clears.push_back(data_->layout->find(key));
        node.clears_keys = !node.clears.empty();
        node.visits_max = options.visits_max;
        node.is_deferred = options.is_deferred;
        node.pauses = options.pauses;
        node.gives_feedback = node.keeps_outputs = options.gives_feedback;
        const output_check& owed = options.outputs;
        node.owes_outputs = owed.required || owed.passes || !owed.schemas.empty();
        node.observes_writes =
            !options.writes && node.body && !node.body->inner() && !node.body->written_keys(*data_->layout);
        if (node.observes_writes) node.observed = std::make_shared<observed_writes>(data_->layout->size());
    }
    data_->by_name.reserve(data_->nodes.size());
    for (node_index n = 0; n < data_->nodes.size(); ++n)
        data_->by_name.insert(hash_of_name(data_->nodes[n].name), n);
}

/** The work of a node, behind its cache if it has one. */
std::shared_ptr<const node_body> graph_assembler::body_of(const graph_builder::description::node& node)
{
    const node_options& options = *node.options;
    if (!options.cache) return node.body;
    node_cache_policy policy = *options.cache;
    // Nodes without a place of their own share one cache, so that its limits hold for the graph.
    if (!policy.where) {
        if (!cache_) cache_.emplace();
        policy.where = cache_;
    }
    return make_cached_node(node.body, std::move(policy),
                            {from_.name, from_.names[node.name], options.reads, options.writes});
}

void graph_assembler::add_fan_outs()
{
    for (const auto& fan_out : from_.fan_outs) data_->nodes[names_.at(fan_out.source)].fan_out = fan_out.options;
    for (const auto& fan_in : from_.fan_ins) data_->nodes[names_.at(fan_in.source)].named_join = names_.at(fan_in.join);
    for (const auto& decision : from_.decisions) {
        graph_node& node = data_->nodes[names_.at(decision.source)];
        node.decision = std::make_shared<const llm_options>(decision.options);
        node.fallback = names_.at(decision.options.fallback);
    }
}

std::shared_ptr<const key_scope> graph_assembler::scope_of(const node_options& options) const
{
    if (!options.reads && !options.writes) return nullptr;
    const std::size_t size = data_->layout->size();
    auto scope = std::make_shared<key_scope>();
    scope->readable.assign(size, !options.reads);
    scope->writable.assign(size, !options.writes);
    if (options.reads)
        for (const std::string& key : *options.reads) scope->readable[data_->layout->find(key)] = true;
    if (options.writes)
        for (const std::string& key : *options.writes) {
            scope->writable[data_->layout->find(key)] = true;
            scope->readable[data_->layout->find(key)] = true;
        }
    allow_stream_keys(*data_->layout, *scope);
    // The conversation is no key that authors declare, so no `reads` or `writes` shuts it out.
    if (const std::uint32_t talk = data_->conversation_slot; talk != state_layout::none && !options.is_isolated)
        scope->readable[talk] = scope->writable[talk] = true;
    return scope;
}

weft::routing graph_assembler::routing_of(node_index n) const
{
    return data_->nodes[n].options->routing.value_or(from_.routing);
}

graph_edge graph_assembler::edge_at(std::uint32_t declared) const
{
    const auto& edge = from_.edges[declared];
    graph_edge result{names_.at(edge.to), edge.kind, edge.priority, declared, nullptr, nullptr, {}, nullptr, {},
                      edge.after, stream_over(from_, names_, edge)};
    // Most edges have no rule.
    if (!edge.with_rule) return result;
    const auto& rule = edge.rule();
    result.holds = rule.holds;
    result.label = rule.label;
    result.route = rule.route;
    if (rule.condition) {
        result.expression = std::make_shared<const bound_expression>(rule.condition->bind(*data_->layout));
        if (result.label.empty()) result.label = rule.condition->text();
    }
    for (const key_mapping& m : rule.map)
        result.map.emplace_back(data_->layout->find(m.target), data_->layout->find(m.source));
    return result;
}

/** Leaves of a node's edges those conditional ones that come before the first that always matches, and that one. */
void graph_assembler::use_first_match(std::span<place> of_node)
{
    std::sort(of_node.begin(), of_node.end(), [](const place& a, const place& b) {
        return std::tuple{-std::int64_t{a.priority}, a.declared} < std::tuple{-std::int64_t{b.priority}, b.declared};
    });
    bool is_decided = false;
    for (place& edge : of_node) {
        if (edge.range == labelled_range || edge.range == rescue_range || edge.range == on_failure_range) continue;
        const bool always_matches = edge.range == on_success_range || edge.range == otherwise_range;
        if (is_decided)
            edge.range = unused_range;
        else if (always_matches)
            edge.range = otherwise_range;
        is_decided |= always_matches;
    }
}

void graph_assembler::add_edges()
{
    data_->edges.reserve(from_.edges.size());
    std::vector<place> places;
    for (node_index n = 0; n < data_->nodes.size(); ++n) add_edges_of(n, places);
}

/** @param places  Room that is used again for each node. */
void graph_assembler::add_edges_of(node_index n, std::vector<place>& places)
{
    places.clear();
    const name_number name = n == start_node ? name_table::start : from_.nodes[n - 1].name;
    for (const std::uint32_t i : edges_.of(name)) {
        const auto& edge = from_.edges[i];
        places.push_back({range_of(edge.kind, edge.after), edge.priority, i});
    }
    if (routing_of(n) == weft::routing::first_match) use_first_match(places);
    const auto before = [](const place& a, const place& b) {
        return std::tuple{a.range, -std::int64_t{a.priority}, a.declared} <
               std::tuple{b.range, -std::int64_t{b.priority}, b.declared};
    };
    std::sort(places.begin(), places.end(), before);
    graph_node& node = data_->nodes[n];
    auto next = places.begin();
    for (int range = 0; range < edge_ranges; ++range) {
        node.first_edge[range] = static_cast<std::uint32_t>(data_->edges.size());
        for (; next != places.end() && next->range == range; ++next) {
            data_->edges.push_back(edge_at(next->declared));
            node.maps_values |= !data_->edges.back().map.empty();
            node.keeps_outputs |= looks_at_output(data_->edges.back());
            node.asks_after_failure |= data_->edges.back().after != edge_after::success;
        }
    }
    node.first_edge[edge_ranges] = static_cast<std::uint32_t>(data_->edges.size());
}

}  // namespace weft::graph_detail
