#include <weft/engine/checkpoint/graph_fingerprint.hpp>

#include <weft/graph/expression.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/store/record/content_hash.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace weft {

namespace {

std::string_view name_of_strategy(conflict_strategy strategy) noexcept
{
    switch (strategy) {
    case conflict_strategy::last_wins: return "last_wins";
    case conflict_strategy::first_wins: return "first_wins";
    case conflict_strategy::error: return "error";
    case conflict_strategy::branch_order: return "branch_order";
    }
    return "unknown";
}

std::string text_of_edge(const graph& of, const graph_edge& edge)
{
    std::string text{name_of(edge.kind)};
    text.append(" -> ").append(of.name_of(edge.target));
    if (!edge.label.empty()) text.append(" [").append(edge.label).append("]");
    if (edge.expression) text.append(" if ").append(edge.expression->source().text());
    if (edge.after == edge_after::failure) text.append(" after failure");
    if (edge.after == edge_after::any) text.append(" after all");
    if (edge.priority != 0) text.append(" priority ").append(std::to_string(edge.priority));
    for (const auto& [to, from] : edge.map)
        text.append(" ").append((*of.layout())[to].name).append(" <- ").append((*of.layout())[from].name);
    return text;
}

/** Empty for what is usual. */
std::string text_of_fan_out(const fan_out_options& options)
{
    const branch_policy policy = options.on_failure;
    std::string text;
    if (policy != branch_policy::fail_all) text = name_of(policy.which());
    if (policy.which() == branch_policy::kind::quorum) text.append(" ").append(std::to_string(policy.needed()));
    if (options.conflict)
        text.append(text.empty() ? "" : ", ").append("conflict ").append(name_of_strategy(*options.conflict));
    return text;
}

boost::json::array shape_of_mappings(const std::vector<key_mapping>& mappings)
{
    boost::json::array result;
    for (const key_mapping& m : mappings) result.emplace_back(m.target + " <- " + m.source);
    return result;
}

boost::json::object shape_of_node(const graph& of, const graph_node& node)
{
    boost::json::object shape{{"name", node.name}};
    boost::json::array edges;
    // In the order in which they were declared: what they mean may depend on it.
    for (const graph_edge& edge : of.all_edges(node)) edges.emplace_back(text_of_edge(of, edge));
    if (node.fallback != no_node) edges.emplace_back("otherwise -> " + std::string{of.name_of(node.fallback)});
    if (!edges.empty()) shape.emplace("edges", std::move(edges));
    if (const auto join = of.join_of(node.name); !join.empty()) shape.emplace("join", join);
    if (std::string fan_out = text_of_fan_out(node.fan_out); !fan_out.empty())
        shape.emplace("fan_out", std::move(fan_out));
    if (node.is_deferred) shape.emplace("deferred", true);
    const subgraph* const inner = node.body ? node.body->inner() : nullptr;
    if (!inner) return shape;
    if (inner->is_mapped()) {
        shape.emplace("inputs", shape_of_mappings(inner->inputs));
        shape.emplace("outputs", shape_of_mappings(inner->outputs));
    }
    shape.emplace("graph", graph_shape(inner->graph));
    return shape;
}

boost::json::object shape_of_key(const state_layout::slot& key)
{
    boost::json::object shape{{"name", key.name}};
    const key_type& type = *key.type;
    if (type.is_transient) shape.emplace("transient", true);
    else if (type.value->name) shape.emplace("type", type.value->name());
    if (type.has_reducer) shape.emplace("reducer", boost::json::string_view{type.reducer});
    if (type.update != type.value && type.update->name) shape.emplace("update", type.update->name());
    if (key.conflict) shape.emplace("conflict", boost::json::string_view{name_of_strategy(*key.conflict)});
    return shape;
}

std::string fingerprint_of_text(std::string_view shape) { return hash_of(shape, hash_key{}).text(); }

}  // namespace

boost::json::object graph_shape(const graph& of)
{
    boost::json::object shape{{"name", of.name()}};
    // What is usual is left out, so that a new option with a default changes no fingerprint.
    if (of.conflict() != conflict_strategy::last_wins)
        shape.emplace("conflict", boost::json::string_view{name_of_strategy(of.conflict())});
    if (of.routing() != routing::every_match) shape.emplace("routing", "first_match");
    boost::json::array nodes;
    for (node_index n = 0; n < of.size(); ++n) nodes.emplace_back(shape_of_node(of, of.node(n)));
    shape.emplace("nodes", std::move(nodes));
    boost::json::array keys;
    for (std::uint32_t slot = 0; slot < of.layout()->size(); ++slot)
        keys.emplace_back(shape_of_key((*of.layout())[slot]));
    shape.emplace("keys", std::move(keys));
    return shape;
}

std::string fingerprint_of_shape(const boost::json::object& shape)
{
    return fingerprint_of_text(boost::json::serialize(shape));
}

std::string graph_fingerprint(const graph& of) { return fingerprint_of_shape(graph_shape(of)); }

graph_table::graph_table(weft::graph of)
    : graph_{std::move(of)},
      shape_{boost::json::serialize(graph_shape(graph_))},
      fingerprint_{fingerprint_of_text(shape_)}
{
}

std::string graph_change::text() const
{
    const bool is_key = what == kind::key_added || what == kind::key_removed || what == kind::type_changed ||
                        what == kind::reducer_changed || what == kind::value_refused;
    if (name.empty()) return detail;
    return (is_key ? "key '" : "node '") + name + "': " + detail;
}

}  // namespace weft
