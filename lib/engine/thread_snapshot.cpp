#include <weft/engine/thread_snapshot.hpp>

#include <algorithm>
#include <set>

namespace weft {

bool is_unfinished(const frontier& where) noexcept
{
    return std::any_of(where.tokens.begin(), where.tokens.end(),
                       [](const token& t) { return t.phase != token_phase::free; });
}

bool thread_snapshot::is_unfinished() const noexcept { return weft::is_unfinished(where_); }

std::vector<std::string> thread_snapshot::next_nodes() const
{
    std::vector<std::string> names;
    for (const token& t : where_.tokens)
        if (t.phase != token_phase::free && t.phase != token_phase::forked)
            names.emplace_back(graph_.name_of(t.node));
    for (const region& r : where_.regions)
        if (r.is_open && !r.is_decided)
            for (std::uint32_t b = r.started; b < r.size(); ++b) names.emplace_back(r.results[b].node);
    std::sort(names.begin(), names.end());
    return names;
}

namespace {

std::optional<boost::json::value> value_of(const thread_snapshot& of, const std::string& key)
{
    const state_layout& layout = of.state().layout();
    const std::uint32_t slot = layout.find(key);
    if (slot == state_layout::none || layout[slot].type->is_transient) return std::nullopt;
    const value_ptr& value = of.state().at(slot);
    if (!value) return std::nullopt;
    return layout[slot].type->value->to_json(*value);
}

/** The names that two snapshots have, of keys or nodes, in order. */
template <class Names>
std::set<std::string> names_of(const thread_snapshot& a, const thread_snapshot& b, Names names)
{
    std::set<std::string> all;
    for (const thread_snapshot* each : {&a, &b}) names(*each, all);
    return all;
}

std::uint32_t visits_of(const thread_snapshot& of, const std::string& node)
{
    const node_index at = of.what().find(node);
    return at < of.where().visits.size() ? of.where().visits[at] : 0;
}

}  // namespace

bool snapshot_difference::is_empty() const noexcept
{
    return keys.empty() && visits.empty() && steps.first == steps.second && retries.first == retries.second &&
           next_nodes.first == next_nodes.second;
}

snapshot_difference compare(const thread_snapshot& before, const thread_snapshot& after)
{
    snapshot_difference difference;
    const auto keys = names_of(before, after, [](const thread_snapshot& of, std::set<std::string>& all) {
        for (const std::string_view name : of.state().layout().names()) all.emplace(name);
    });
    for (const std::string& key : keys) {
        auto old_value = value_of(before, key);
        auto new_value = value_of(after, key);
        if (old_value != new_value) difference.keys.push_back({key, std::move(old_value), std::move(new_value)});
    }
    const auto nodes = names_of(before, after, [](const thread_snapshot& of, std::set<std::string>& all) {
        for (node_index n = 0; n < of.where().visits.size(); ++n) all.emplace(of.what().name_of(n));
    });
    for (const std::string& node : nodes)
        if (const auto from = visits_of(before, node), to = visits_of(after, node); from != to)
            difference.visits.push_back({node, from, to});
    difference.steps = {before.where().steps, after.where().steps};
    difference.retries = {before.where().retries, after.where().retries};
    difference.next_nodes = {before.next_nodes(), after.next_nodes()};
    return difference;
}

}  // namespace weft
