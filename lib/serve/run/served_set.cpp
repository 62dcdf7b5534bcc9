#include "served_set.hpp"

#include <weft/base/error.hpp>

#include <algorithm>
#include <utility>

namespace weft::serve_detail {

namespace {

constexpr std::ptrdiff_t formers_max = 8;  // of one name

/** Whether so many newer ones of its name stay that a former revision goes. */
bool is_superseded(const std::vector<const durable_graphs::entry*>& newer, const durable_graphs::entry& of)
{
    const auto is_its_name = [&](const auto* other) { return other->graph().name() == of.graph().name(); };
    const auto is_same_shape = [&](const auto* other) {
        return is_its_name(other) && other->table->fingerprint() == of.table->fingerprint();
    };
    return std::any_of(newer.begin(), newer.end(), is_same_shape) ||
           std::count_if(newer.begin(), newer.end(), is_its_name) >= formers_max;
}

}  // namespace

served_set::served_set(std::vector<served_graph> with, std::vector<served_entry> and_entries)
    : entries{std::move(and_entries)}
{
    graphs.reserve(with.size());
    for (served_graph& one : with) graphs.emplace_back(std::move(one));
}

const hosted_graph* served_set::find(std::string_view name) const noexcept
{
    for (const hosted_graph& one : graphs)
        if (one.graph.name() == name) return &one;
    return nullptr;
}

std::string served_set::names() const
{
    std::string all;
    for (const hosted_graph& one : graphs) all.append(all.empty() ? "" : ", ").append(one.graph.name());
    return all;
}

void check_graphs(const std::vector<served_graph>& graphs)
{
    std::string wrong;
    if (graphs.empty()) wrong = "there is no graph to serve";
    for (std::size_t i = 0; i < graphs.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (graphs[i].graph.name() == graphs[j].graph.name())
                wrong += (wrong.empty() ? "two graphs are named '" : "; two graphs are named '") +
                         std::string{graphs[i].graph.name()} + '\'';
    if (!wrong.empty()) throw error{errc::invalid_configuration, "server", wrong};
}

std::shared_ptr<const durable_graphs> engine_graphs(const std::vector<hosted_graph>& graphs, const durable_graphs* now)
{
    durable_graphs newest;
    for (const hosted_graph& one : graphs) newest.add(one.graph, one.limits.value_or(run_options{}), one.keeps);
    if (!now) return std::make_shared<const durable_graphs>(std::move(newest));
    // From the newest to the oldest, so that what goes is the oldest.
    std::vector<const durable_graphs::entry*> formers;
    for (auto it = now->entries().rbegin(); it != now->entries().rend(); ++it) {
        const durable_graphs::entry* const same = newest.find(it->graph().name(), it->table->fingerprint());
        const bool has_same_shape = same && same->table->fingerprint() == it->table->fingerprint();
        if (!has_same_shape && !is_superseded(formers, *it)) formers.push_back(&*it);
    }
    auto result = std::make_shared<durable_graphs>();
    for (auto it = formers.rbegin(); it != formers.rend(); ++it) result->add_former(**it);
    for (const durable_graphs::entry& each : newest.entries()) result->add(each);
    return result;
}

}  // namespace weft::serve_detail
