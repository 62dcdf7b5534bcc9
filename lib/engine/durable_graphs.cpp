#include <weft/engine/durable_graphs.hpp>

#include <weft/base/error.hpp>

#include <utility>

namespace weft {

durable_graphs& durable_graphs::add(graph what, run_options options)
{
    entries_.push_back({std::make_shared<const graph_table>(std::move(what)), std::move(options), nullptr});
    return *this;
}

durable_graphs& durable_graphs::add(graph what, run_options options, graph_migrations by)
{
    add(std::move(what), std::move(options));
    entries_.back().migrations = std::make_shared<const graph_migrations>(std::move(by));
    return *this;
}

const durable_graphs::entry* durable_graphs::find(std::string_view name) const noexcept
{
    for (auto it = entries_.rbegin(); it != entries_.rend(); ++it)
        if (it->what().name() == name) return &*it;
    return nullptr;
}

const durable_graphs::entry* durable_graphs::find(std::string_view name, std::string_view fingerprint) const noexcept
{
    for (const entry& one : entries_)
        if (one.what().name() == name && one.table->fingerprint() == fingerprint) return &one;
    return find(name);
}

const durable_graphs::entry& durable_graphs::require(std::string_view name, std::string_view fingerprint) const
{
    if (const entry* const found = find(name, fingerprint)) return *found;
    std::string known;
    for (const entry& one : entries_) known.append(known.empty() ? "'" : ", '").append(one.what().name()).append("'");
    throw error{errc::invalid_configuration, "graph '" + std::string{name} + "'",
                "this process has " + (known.empty() ? "no graphs" : known) + "; add it to its durable_graphs"};
}

std::string_view durable_graphs::only() const noexcept
{
    for (const entry& one : entries_)
        if (one.what().name() != entries_.front().what().name()) return {};
    return entries_.empty() ? std::string_view{} : std::string_view{entries_.front().what().name()};
}

}  // namespace weft
