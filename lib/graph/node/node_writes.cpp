#include <weft/graph/node/node_writes.hpp>

#include <weft/graph/node/subgraph.hpp>

#include <algorithm>
#include <string>

namespace weft {

namespace {

/** By the keys of the node's own graph. */
std::vector<std::string> writes_of(const graph& g, const graph_node& node)
{
    if (node.options->writes) return *node.options->writes;
    std::vector<std::string> keys;
    if (!node.body) return keys;
    if (auto known = node.body->written_keys(*g.layout())) keys = *std::move(known);
    if (node.observed)
        for (std::uint32_t slot = 0; slot < g.layout()->size(); ++slot)
            if (node.observed->has(slot)) keys.push_back((*g.layout())[slot].name);
    const subgraph* const inside = node.body->inner();
    if (!inside) return keys;
    if (inside->is_mapped()) {
        for (const key_mapping& m : inside->outputs) keys.push_back(m.target);
        return keys;
    }
    for (node_index n = 1; n < inside->graph.size(); ++n)
        for (std::string& key : writes_of(inside->graph, inside->graph.node(n))) keys.push_back(std::move(key));
    return keys;
}

}  // namespace

std::vector<std::uint32_t> written_slots(const graph& what, node_index node)
{
    std::vector<std::uint32_t> slots;
    for (const std::string& key : writes_of(what, what.node(node)))
        if (const std::uint32_t slot = what.layout()->find(key); slot != state_layout::none) slots.push_back(slot);
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    return slots;
}

std::vector<std::string_view> nodes_that_write(const graph& what, std::uint32_t slot)
{
    std::vector<std::string_view> names;
    for (node_index n = 1; n < what.size(); ++n) {
        const std::vector<std::uint32_t> slots = written_slots(what, n);
        if (std::binary_search(slots.begin(), slots.end(), slot)) names.push_back(what.name_of(n));
    }
    return names;
}

}  // namespace weft
