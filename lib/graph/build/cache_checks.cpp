#include "graph_description.hpp"

#include <weft/graph/node/subgraph.hpp>

namespace weft::graph_detail {

namespace {

bool is_json(const state_layout& keys, std::uint32_t slot) { return keys[slot].type->value->to_json != nullptr; }

void check_named(const std::vector<std::string>& names, const state_layout& keys, std::vector<std::string>& found)
{
    for (const std::string& name : names) {
        const std::uint32_t slot = keys.find(name);
        if (slot == state_layout::none)
            found.push_back("by key '" + name + "', which the graph does not declare");
        else if (!is_json(keys, slot))
            found.push_back("by key '" + name + "', whose values are never JSON: leave it out");
    }
}

/** Keys that would be compared without being named. */
void check_unnamed(const node_options& options, const state_layout& keys, std::vector<std::string>& found)
{
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

}  // namespace

void check_caches(const graph_builder::description& from, const state_layout& layout,
                  std::vector<std::string>& mistakes)
{
    for (const auto& node : from.nodes) {
        if (!node.options.cache || !node.body) continue;
        for (const std::string& mistake : cache_mistakes(node.options, *node.body, layout))
            mistakes.push_back("node '" + node.name + "' is cached, " + mistake);
    }
}

}  // namespace weft::graph_detail
