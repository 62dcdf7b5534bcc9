#include "graph/node/stream_pipeline.hpp"
#include "spec_condition.hpp"

#include <weft/base/memory/sort_stably.hpp>
#include <weft/graph/graph_spec_writer.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/graph/spec/spec_reading.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

std::map<std::string, std::string> map_of(const std::vector<key_mapping>& mappings)
{
    std::map<std::string, std::string> result;
    for (const key_mapping& m : mappings) result.emplace(m.target, m.source);
    return result;
}

/** Says a graph as a spec; its parts say theirs. */
class describer {
public:
    describer(const graph& what, const node_registry& registry) : what_{what}, registry_{registry} {}

    graph_spec describe()
    {
        spec_.name = what_.name();
        spec_.description = what_.description();
        if (what_.conversation()) spec_.conversation = spec_conversation::continuous;
        spec_.conflict = what_.conflict();
        spec_.routing = what_.routing();
        add_keys();
        for (node_index n = 0; n < what_.size(); ++n) {
            if (n != start_node) add_node(what_.node(n));
            add_edges(what_.node(n));
            add_fan_out(what_.node(n));
        }
        order_edges();
        if (what_.memory()) add_memory(*what_.memory());
        if (what_.goal()) add_goal(*what_.goal());
        return std::move(spec_);
    }

private:
    void add_keys()
    {
        const state_layout& layout = *what_.layout();
        for (std::uint32_t slot = 0; slot < layout.size(); ++slot) {
            if (slot == what_.conversation_slot()) continue;  // the file has it by saying that it has one
            if (graph_detail::is_outcome_key(*layout[slot].type)) continue;  // by its streaming edges
            key_spec key{.name = layout[slot].name, .conflict = layout[slot].conflict};
            if (const auto named = registry_.name_of(*layout[slot].type)) {
                key.type = named->first;
                key.reducer = named->second;
            } else {
                key.type = unnamed_type;
            }
            if (layout[slot].initial && !layout[slot].type->is_transient)
                key.initial = layout[slot].type->value->to_json(*layout[slot].initial);
            spec_.state.push_back(std::move(key));
        }
    }

    void add_node(const graph_node& from)
    {
        node_spec node{.name = from.name};
        describe_work(node, from.body->plain());
        const node_options& options = *from.options;
        if (options.reads) node.reads = options.reads;
        if (options.writes) node.writes = options.writes;
        node.outputs = {options.outputs.required, options.outputs.nullable, options.outputs.text_max,
                        spec_detail::text_of(options.outputs), schemas_of(options.outputs)};
        node.retry = retry_of(options.retry);
        if (options.timeout.count() > 0) node.timeout = options.timeout;
        if (options.idle_max.count() > 0) node.idle_max = options.idle_max;
        node.visits_max = options.visits_max;
        node.clears = options.clears;
        node.goes_to = options.goes_to;
        node.routing = options.routing;
        node.pauses = options.pauses;
        node.deferred = options.is_deferred;
        node.feedback = options.gives_feedback;
        node.client_facing = options.faces_client;
        node.isolated = options.is_isolated;
        node.cache = cache_of(options.cache);
        node.description = options.description;
        spec_.nodes.push_back(std::move(node));
    }

    static std::map<std::string, boost::json::value> schemas_of(const output_check& from)
    {
        std::map<std::string, boost::json::value> result;
        for (const auto& [key, schema] : from.schemas) result.emplace(key, schema.document());
        return result;
    }

    static std::optional<cache_spec> cache_of(const std::optional<node_cache_policy>& from)
    {
        if (!from) return std::nullopt;
        cache_spec cache;
        if (from->keep_for.count() > 0) cache.keep_for = std::chrono::nanoseconds{from->keep_for};
        // What follows the first line was added when the file was read, and is added again.
        cache.version = from->version.substr(0, from->version.find('\n'));
        cache.keys = from->keys;
        if (from->key) cache.keys = std::vector<std::string>{std::string{unnamed_function}};
        return cache;
    }

    static std::optional<retry_spec> retry_of(const retry_policy& from)
    {
        retry_spec retry{from.attempts_max, from.initial, from.factor, from.delay_max, from.jitter, {}};
        for (const errc code : from.retry_on) retry.retry_on.emplace_back(name_of(code));
        if (retry == retry_spec{.attempts_max = node_options{}.retry.attempts_max}) return std::nullopt;
        return retry;
    }

    void describe_work(node_spec& node, const node_body& body)
    {
        if (body.describe(node, *what_.layout())) return;
        if (const subgraph* const inner = body.inner()) return describe_inner(node, *inner);
        if (&body == registry_.nothing().get()) {
            node.kind = "join";
            return;
        }
        const std::string_view name = registry_.name_of(body);
        if (name != node.name) node.settings["function"] = name.empty() ? unnamed_function : name;
    }

    void describe_inner(node_spec& node, const subgraph& inner)
    {
        node.kind = "subgraph";
        graph_spec what = spec_of(inner.graph, registry_);
        if (inner.steps_max != subgraph{inner.graph}.steps_max) what.limits.steps_max = inner.steps_max;
        if (inner.at_limit) what.limits.at_limit = static_cast<spec_limit_action>(*inner.at_limit);
        node.settings["graph"] = to_json(what);
        if (inner.is_mapped()) {
            node.settings["inputs"] = to_json(map_of(inner.inputs));
            node.settings["outputs"] = to_json(map_of(inner.outputs));
        }
        // A function beside the mapping has no name: its place says so, and reading refuses it.
        const auto add_unnamed = [&](std::string_view member) {
            boost::json::value& mapping = node.settings[member];
            if (!mapping.is_object()) mapping = boost::json::object{};
            mapping.get_object().emplace(unnamed_function, unnamed_function);
        };
        if (inner.make_inputs) add_unnamed("inputs");
        if (inner.take_outputs) add_unnamed("outputs");
    }

    void add_edges(const graph_node& from)
    {
        for (const graph_edge& edge : what_.all_edges(from)) {
            if (edge.kind == edge_kind::llm) continue;
            edge_spec result{.from = from.name,
                             .to = std::string{what_.name_of(edge.target)},
                             .after = edge.after,
                             .label = edge.label,
                             .priority = edge.priority,
                             .streams = edge.streams != edge_stream::none};
            describe_kind(result, edge);
            for (const auto& [target, source] : edge.map)
                result.map.emplace((*what_.layout())[target].name, (*what_.layout())[source].name);
            edges_.emplace_back(edge.declared, std::move(result));
        }
        if (from.decision) add_decision(from);
    }

    static void describe_kind(edge_spec& to, const graph_edge& from)
    {
        switch (from.kind) {
        case edge_kind::plain:
        case edge_kind::llm: break;
        case edge_kind::on_success: to.kind = spec_edge_kind::on_success; break;
        case edge_kind::on_failure: to.kind = spec_edge_kind::on_failure; break;
        case edge_kind::on_budget: to.kind = spec_edge_kind::on_budget; break;
        case edge_kind::always: to.kind = spec_edge_kind::always; break;
        case edge_kind::labelled: to.kind = spec_edge_kind::labelled; break;
        case edge_kind::routed: to.when = unnamed_predicate; break;
        case edge_kind::when:
            to.when = from.expression ? from.expression->source().text() : std::string{unnamed_predicate};
            if (to.label == to.when) to.label.clear();
            if (to.when.empty()) to.when = "True";
            break;
        }
    }

    void add_decision(const graph_node& from)
    {
        edge_spec result{.from = from.name, .kind = spec_edge_kind::llm};
        std::uint32_t declared = 0xffff'ffff;
        for (const graph_edge& edge : what_.all_edges(from)) {
            if (edge.kind != edge_kind::llm) continue;
            declared = std::min(declared, edge.declared);
            result.targets.emplace_back(what_.name_of(edge.target));
        }
        result.fallback = from.decision->fallback;
        result.instructions = from.decision->instructions;
        result.model = from.decision->model;
        if (from.decision->timeout != llm_options{}.timeout) result.timeout = from.decision->timeout;
        edges_.emplace_back(declared, std::move(result));
    }

    void order_edges()
    {
        sort_stably(edges_, [](const auto& a, const auto& b) { return a.first < b.first; });
        for (auto& [declared, edge] : edges_) spec_.edges.push_back(std::move(edge));
    }

    void add_fan_out(const graph_node& from)
    {
        fan_out_spec result{.from = from.name, .concurrency_max = from.fan_out.concurrency_max,
                            .conflict = from.fan_out.conflict};
        if (from.named_join != no_node) result.join = what_.name_of(from.named_join);
        result.policy = static_cast<spec_policy>(from.fan_out.on_failure.which());
        if (result.policy == spec_policy::quorum) result.quorum = from.fan_out.on_failure.needed();
        if (from.fan_out.branch_timeout.count() > 0) result.branch_timeout = from.fan_out.branch_timeout;
        result.until = spec_detail::text_of(from.fan_out.until);
        if (result != fan_out_spec{.from = from.name}) spec_.fan_outs.push_back(std::move(result));
    }

    void add_memory(const graph_memory& from)
    {
        memory_spec memory{from.scope, from.items_max, from.value_bytes_max, {}};
        if (from.keep_for) memory.keep_for = std::chrono::nanoseconds{*from.keep_for};
        spec_.memory = std::move(memory);
    }

    void add_goal(const goal& from)
    {
        goal_spec result{from.name, from.description, {}, {}, from.weight_needed};
        for (const goal_criterion& c : from.criteria)
            result.criteria.push_back({c.id, c.description, c.weight, spec_detail::text_of(c.is_met)});
        for (const goal_constraint& c : from.constraints)
            result.constraints.push_back({c.id, c.description, c.is_hard, spec_detail::text_of(c.is_kept)});
        spec_.goal = std::move(result);
    }

    const graph& what_;
    const node_registry& registry_;
    graph_spec spec_;
    std::vector<std::pair<std::uint32_t, edge_spec>> edges_;  // by the order of declaration
};

}  // namespace

static_assert(static_cast<int>(spec_limit_action::return_with_flag) ==
              static_cast<int>(step_limit_action::return_with_flag));
static_assert(static_cast<int>(spec_policy::quorum) == static_cast<int>(branch_policy::kind::quorum));

graph_spec spec_of(const graph& what, const node_registry& registry) { return describer{what, registry}.describe(); }

}  // namespace weft
