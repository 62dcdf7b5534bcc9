#include <weft/engine/durable/durable_graphs.hpp>

#include "engine/value/checkpoint_format.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace weft {

namespace {

/** How many graphs stand in nodes of one another below `what`, itself included; beyond `most` it is not counted on. */
std::size_t depth_of(const graph& what, std::size_t most)
{
    std::size_t deepest = 0;
    for (node_index n = 0; n < what.size() && most > 0; ++n)
        if (const subgraph* const inner = what.node(n).body ? what.node(n).body->inner() : nullptr)
            deepest = std::max(deepest, depth_of(inner->graph, most - 1));
    return deepest + 1;
}

}  // namespace

durable_graphs& durable_graphs::add(graph what, run_options options)
{
    constexpr std::size_t most = checkpoint_detail::frames_max;
    if (depth_of(what, most) > most)
        throw error{errc::invalid_configuration, "graph '" + std::string{what.name()} + "'",
                    "graphs stand in its nodes more than " + std::to_string(most) +
                        " deep, and a checkpoint keeps so many: nest them less deep, or run it without keeping"};
    entries_.push_back({std::make_shared<const graph_table>(std::move(what)), std::move(options), nullptr});
    return *this;
}

durable_graphs& durable_graphs::add(graph what, run_options options, graph_migrations by)
{
    add(std::move(what), std::move(options));
    entries_.back().migrations = std::make_shared<const graph_migrations>(std::move(by));
    return *this;
}

durable_graphs& durable_graphs::add(graph what, run_options options, std::shared_ptr<const void> keeps)
{
    add(std::move(what), std::move(options));
    entries_.back().keeps = std::move(keeps);
    return *this;
}

durable_graphs& durable_graphs::add(entry of)
{
    entries_.push_back(std::move(of));
    return *this;
}

durable_graphs& durable_graphs::add_former(entry of)
{
    of.is_former = true;
    entries_.push_back(std::move(of));
    return *this;
}

const durable_graphs::entry* durable_graphs::find(std::string_view name) const noexcept
{
    for (auto it = entries_.rbegin(); it != entries_.rend(); ++it)
        if (!it->is_former && it->graph().name() == name) return &*it;
    return nullptr;
}

const durable_graphs::entry* durable_graphs::find(std::string_view name, std::string_view fingerprint) const noexcept
{
    for (auto it = entries_.rbegin(); it != entries_.rend(); ++it)
        if (it->graph().name() == name && it->table->fingerprint() == fingerprint) return &*it;
    return find(name);
}

const durable_graphs::entry& durable_graphs::require(std::string_view name, std::string_view fingerprint) const
{
    if (const entry* const found = find(name, fingerprint)) return *found;
    std::string known;
    for (const entry& one : entries_)
        if (!one.is_former) known.append(known.empty() ? "'" : ", '").append(one.graph().name()).append("'");
    throw error{errc::invalid_configuration, "graph '" + std::string{name} + "'",
                "this process has " + (known.empty() ? "no graphs" : known) + "; add it to its durable_graphs"};
}

std::string_view durable_graphs::only() const noexcept
{
    std::string_view name;
    for (const entry& one : entries_) {
        if (one.is_former || one.graph().name() == name) continue;
        if (!name.empty()) return {};
        name = one.graph().name();
    }
    return name;
}

}  // namespace weft
