#include <weft/engine/checkpoint/graph_migration.hpp>

#include <algorithm>
#include <cstddef>

namespace weft {

graph_migration& graph_migration::rename_node(std::string from, std::string to)
{
    nodes_.insert_or_assign(std::move(from), std::move(to));
    return *this;
}

graph_migration& graph_migration::rename_key(std::string from, std::string to)
{
    rule(std::move(from)).name = std::move(to);
    return *this;
}

graph_migration& graph_migration::drop_key(std::string key)
{
    rule(std::move(key)) = key_rule{};
    return *this;
}

graph_migration& graph_migration::convert_key(std::string key, converter convert, converter update)
{
    key_rule& changed = rule(std::move(key));
    changed.convert_update = update ? std::move(update) : convert;
    changed.convert = std::move(convert);
    return *this;
}

graph_migration::key_rule& graph_migration::rule(std::string key)
{
    const auto [at, is_new] = keys_.try_emplace(std::move(key));
    if (is_new) at->second.name = at->first;
    return at->second;
}

std::string_view graph_migration::new_node(std::string_view old) const noexcept
{
    const auto found = nodes_.find(old);
    return found == nodes_.end() ? old : std::string_view{found->second};
}

const graph_migration::key_rule* graph_migration::rule_of(std::string_view key) const noexcept
{
    const auto found = keys_.find(key);
    return found == keys_.end() ? nullptr : &found->second;
}

graph_migrations& graph_migrations::add(graph_migration migration)
{
    all_.push_back(std::move(migration));
    return *this;
}

std::vector<const graph_migration*> graph_migrations::way(std::string_view from, std::string_view to) const
{
    struct step {
        std::string_view at;
        const graph_migration* by;
        std::size_t before;
    };
    std::vector<step> seen{{from, nullptr, 0}};
    for (std::size_t i = 0; i < seen.size(); ++i) {
        if (seen[i].at == to) {
            std::vector<const graph_migration*> way;
            for (std::size_t at = i; seen[at].by; at = seen[at].before) way.push_back(seen[at].by);
            std::reverse(way.begin(), way.end());
            return way;
        }
        for (const graph_migration& next : all_) {
            const auto is_known = [&](const step& s) { return s.at == next.to(); };
            if (next.from() != seen[i].at || std::any_of(seen.begin(), seen.end(), is_known)) continue;
            seen.push_back({next.to(), &next, i});
        }
    }
    return {};
}

std::vector<std::string> graph_migrations::origins_of(std::string_view to) const
{
    std::vector<std::string> origins;
    for (const graph_migration& each : all_)
        if (!way(each.from(), to).empty()) origins.push_back(each.from());
    return origins;
}

const graph_migrations& graph_migrations::none() noexcept
{
    static const graph_migrations nothing;
    return nothing;
}

graph_migration::graph_migration(std::string from, std::string to) : from_{std::move(from)}, to_{std::move(to)} {}

bool graph_migrations::is_empty() const noexcept { return all_.empty(); }

}  // namespace weft
