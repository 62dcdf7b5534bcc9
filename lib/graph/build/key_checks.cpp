#include "graph_description.hpp"

#include <weft/base/suggestion.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <algorithm>

namespace weft::graph_detail {

namespace {

using description = graph_builder::description;
using mistakes_list = std::vector<std::string>;

/** Says that there is no such key, and which one is probably meant. */
std::string not_declared(const state_layout& layout, std::string_view key)
{
    return "the graph does not declare" + did_you_mean(key, layout.names());
}

std::string unknown_key(std::string_view what, std::string_view key, const state_layout& layout)
{
    return std::string{what}.append(" '").append(key).append("', which ") + not_declared(layout, key);
}

bool is_json(const state_layout& keys, std::uint32_t slot) { return keys[slot].type->value->to_json != nullptr; }

void check_named(const std::vector<std::string>& names, const state_layout& keys, std::vector<std::string>& found)
{
    for (const std::string& name : names) {
        const std::uint32_t slot = keys.find(name);
        if (slot == state_layout::none)
            found.push_back("by key '" + name + "', which " + not_declared(keys, name));
        else if (!is_json(keys, slot))
            found.push_back("by key '" + name + "', whose values are never JSON: leave it out");
    }
}

/** Keys that would be compared without being named. */
void check_unnamed(const node_options& options, const state_layout& keys, std::vector<std::string>& found)
{
    // A value that cannot be compared would make every visit a new one, and the cache fill for nothing.
    const std::string help = "', whose values are never JSON and cannot be compared: name the keys that count in "
                             "the `keys` of the cache";
    const auto check = [&](const std::string& name, std::uint32_t slot) {
        if (slot != state_layout::none && !is_json(keys, slot)) found.push_back("and may read key '" + name + help);
    };
    if (!options.reads) {
        for (std::uint32_t slot = 0; slot < keys.size(); ++slot) check(keys[slot].name, slot);
        return;
    }
    for (const std::string& name : *options.reads) check(name, keys.find(name));
    if (options.writes)
        for (const std::string& name : *options.writes) check(name, keys.find(name));
}

std::vector<std::string> cache_mistakes(const node_options& options, const node_body& work, const state_layout& keys)
{
    const node_cache_policy& policy = *options.cache;
    std::vector<std::string> found;
    if (work.inner()) found.push_back("and its work is a graph: give nodes of that graph a cache instead");
    if (options.faces_client) found.push_back("and speaks with a person, who would not be asked: leave the cache out");
    if (options.gives_feedback)
        found.push_back("and gets feedback, so that each visit is another one: leave the cache or the feedback out");
    if (policy.keep_for.count() < 0) found.push_back("for a negative time: 0 keeps a result while there is room");
    if (policy.keys && policy.key) found.push_back("by keys and by a function: keep one");
    if (policy.keys) check_named(*policy.keys, keys, found);
    else if (!policy.key) check_unnamed(options, keys, found);
    return found;
}

void check_caches(const graph_builder::description& from, const state_layout& layout,
                  std::vector<std::string>& mistakes)
{
    for (const auto& node : from.nodes) {
        if (!node.options->cache || !node.body) continue;
        for (const std::string& mistake : cache_mistakes(*node.options, *node.body, layout))
            mistakes.push_back("node '" + from.names[node.name] + "' is cached, " + mistake);
    }
}

void check_mappings(const description& from, const state_layout& layout, mistakes_list& mistakes)
{
    for (std::size_t i = 0; i < from.edges.size(); ++i)
        for (const key_mapping& m : from.edges[i].rule().map) {
            const std::string subject =
                edge_text(from, i) + " maps '" + m.source + "' to '" + m.target + "': ";
            const std::uint32_t target = layout.find(m.target);
            const std::uint32_t source = layout.find(m.source);
            for (const auto& [slot, name] : {std::pair{target, &m.target}, std::pair{source, &m.source}})
                if (slot == state_layout::none)
                    mistakes.push_back(subject + "the graph does not declare '" + *name + "'" +
                                       did_you_mean(*name, layout.names()));
            if (target != state_layout::none && source != state_layout::none &&
                layout[target].type->value != layout[source].type->value)
                mistakes.push_back(subject + "the keys have values of different types");
        }
}

void check_expressions(const description& from, const state_layout& layout, mistakes_list& mistakes)
{
    for (std::size_t i = 0; i < from.edges.size(); ++i) {
        const auto& rule = from.edges[i].rule();
        const auto refuse = [&](const std::string& what) { mistakes.push_back(edge_text(from, i) + ", " + what); };
        if (!rule.condition_mistake.empty()) refuse(rule.condition_mistake);
        if (!rule.condition) continue;
        for (const std::string& mistake : rule.condition->mistakes(layout))
            refuse(condition_text(rule.condition->text()) + mistake);
    }
}

void check_subgraphs(const description& from, const state_layout& outer, mistakes_list& mistakes)
{
    for (const auto& node : from.nodes) {
        const subgraph* const inside = node.body ? node.body->inner() : nullptr;
        if (!inside) continue;
        // The graph inside was built, so that its own keys are right: only what moves between the two is checked.
        const state_layout& inner = *inside->graph.layout();
        const auto check = [&](const key_mapping& m, const state_layout& to, const state_layout& of, bool is_input) {
            const std::string subject =
                "node '" + from.names[node.name] + "' maps '" + m.source + "' to '" + m.target + "': ";
            const std::string this_graph = "this graph";
            const std::string inner_name = "graph '" + std::string{inside->graph.name()} + "'";
            const std::uint32_t target = to.find(m.target);
            const std::uint32_t source = of.find(m.source);
            const std::string& owner_of_target = is_input ? inner_name : this_graph;
            const std::string& owner_of_source = is_input ? this_graph : inner_name;
            if (target == state_layout::none)
                mistakes.push_back(subject + owner_of_target + " does not declare '" + m.target + "'" +
                                   did_you_mean(m.target, to.names()));
            if (source == state_layout::none)
                mistakes.push_back(subject + owner_of_source + " does not declare '" + m.source + "'" +
                                   did_you_mean(m.source, of.names()));
            if (target != state_layout::none && source != state_layout::none &&
                to[target].type->value != of[source].type->value)
                mistakes.push_back(subject + "the keys have values of different types");
        };
        for (const key_mapping& m : inside->inputs) check(m, inner, outer, true);
        for (const key_mapping& m : inside->outputs) check(m, outer, inner, false);
    }
}

void check_schemas(const std::string& node, const node_options& options, const state_layout& layout,
                   mistakes_list& mistakes)
{
    const std::optional<std::vector<std::string>>& writes = options.writes;
    for (const auto& [key, schema] : options.outputs.schemas) {
        const std::string what = "node '" + node + "' has a schema for key '" + key + "', which ";
        const std::uint32_t slot = layout.find(key);
        if (slot == state_layout::none) mistakes.push_back(what + not_declared(layout, key));
        else if (!layout[slot].type->value->to_json) mistakes.push_back(what + "has values that are never JSON");
        else if (writes && std::find(writes->begin(), writes->end(), key) == writes->end())
            mistakes.push_back(what + "it does not write: add the key to writes, or leave its schema out");
    }
}

void check_keys_of(const std::string& name, const description::node& node, const state_layout& layout,
                   mistakes_list& mistakes)
{
    const node_options& options = *node.options;
    const auto check = [&](const std::vector<std::string>& keys, const char* how) {
        for (const std::string& key : keys)
            if (layout.find(key) == state_layout::none)
                mistakes.push_back(unknown_key("node '" + name + "' " + how + " key", key, layout));
    };
    if (options.reads) check(*options.reads, "declares");
    if (options.writes) check(*options.writes, "declares");
    check(options.clears, "clears");
    check(options.outputs.nullable, "names as nullable");
    check_schemas(name, options, layout, mistakes);
    if (node.body)
        for (const std::string& mistake : node.body->mistakes(layout))
            mistakes.push_back("node '" + name + "': " + mistake);
    if (options.outputs.required && !options.writes)
        mistakes.push_back("node '" + name + "' requires its outputs but declares none: give it writes");
}

}  // namespace

std::string edge_text(const description& from, std::size_t i)
{
    const auto& edge = from.edges[i];
    return "edge[" + std::to_string(i) + "] '" + source_of(from, edge) + "' -> '" + target_of(from, edge) + "'";
}

std::string condition_text(std::string_view condition)
{
    return "condition \"" + std::string{condition.substr(0, 200)} + "\": ";
}

void check_keys(const description& from, mistakes_list& mistakes)
{
    // A layout of its own, with the keys that are right: one wrong declaration must not make its uses unknown too.
    state_layout layout;
    for (const any_state_key& key : from.keys) {
        const std::string subject = "key '" + std::string{key.name} + "'";
        if (key.name.empty()) mistakes.push_back("a state key has no name");
        if (!layout.add(key)) mistakes.push_back(subject + " is declared twice with different types or reducers");
    }
    for (const auto& [key, strategy] : from.key_conflicts)
        if (layout.find(key) == state_layout::none)
            mistakes.push_back(unknown_key("conflict strategy for key", key, layout));
    for (const auto& [key, value] : from.initials) {
        const std::uint32_t slot = layout.find(key.name, key.hash);
        if (slot == state_layout::none)
            mistakes.push_back(unknown_key("initial value of key", key.name, layout));
        else if (layout[slot].type->value != key.type->value)
            mistakes.push_back("initial value of key '" + std::string{key.name} + "' has another type than the key");
    }
    for (const auto& node : from.nodes) check_keys_of(from.names[node.name], node, layout, mistakes);
    if (from.memory)
        for (const graph_memory_mistake& wrong : mistakes_of(*from.memory, layout))
            mistakes.push_back("memory, scope[" + std::to_string(wrong.name) + "]: " + wrong.text);
    check_caches(from, layout, mistakes);
    check_mappings(from, layout, mistakes);
    check_expressions(from, layout, mistakes);
    check_subgraphs(from, layout, mistakes);
}

}  // namespace weft::graph_detail
