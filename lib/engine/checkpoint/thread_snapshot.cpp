#include <weft/engine/checkpoint/thread_snapshot.hpp>

#include "left_state.hpp"

#include <weft/engine/checkpoint/checkpoint_outline.hpp>
#include <weft/engine/scheduler/frontier.hpp>

#include <algorithm>

namespace weft {

namespace {

state state_at(const checkpoint_info& info, const graph& of, const frontier& where)
{
    const bool is_end = info.kind == checkpoint_kind::finish || info.kind == checkpoint_kind::cancel;
    return is_end ? left_state(of, where, info.kind) : where.root->root();
}

}  // namespace

thread_snapshot::thread_snapshot(checkpoint_info info, weft::graph of, frontier where)
    : info_{std::move(info)}, graph_{std::move(of)}, where_{std::make_shared<const frontier>(std::move(where))},
      state_{state_at(info_, graph_, *where_)}
{
}

bool is_unfinished(const frontier& where) noexcept
{
    return std::any_of(where.branches.begin(), where.branches.end(),
                       [](const run_branch& t) { return t.phase != branch_phase::free; });
}

bool thread_snapshot::is_unfinished() const noexcept { return weft::is_unfinished(*where_); }

std::vector<std::string> thread_snapshot::next_nodes() const
{
    std::vector<std::string> names;
    for (const run_branch& t : where_->branches)
        if (t.phase != branch_phase::free && t.phase != branch_phase::forked && t.phase != branch_phase::broken_off)
            names.emplace_back(graph_.name_of(t.node));
    for (const region& r : where_->regions)
        if (r.is_open && !r.is_decided)
            for (std::uint32_t b = r.started; b < r.size(); ++b) names.emplace_back(graph_.name_of(r.first_node_of(b)));
    std::sort(names.begin(), names.end());
    return names;
}

namespace {

/** Without the shape of its graph. */
checkpoint_outline outline_of(const thread_snapshot& from)
{
    checkpoint_outline result;
    result.steps = from.where().steps;
    result.retries = from.where().retries;
    for (node_index n = 0; n < from.where().visits.size(); ++n)
        if (const std::uint32_t visits = from.where().visits[n]; visits > 0)
            result.visits.emplace(from.graph().name_of(n), visits);
    result.next_nodes = from.next_nodes();
    result.is_unfinished = from.is_unfinished();
    const state_layout& layout = from.state().layout();
    for (std::uint32_t slot = 0; slot < layout.size(); ++slot)
        if (const value_ptr& value = from.state().at(slot); value && !layout[slot].type->is_transient)
            result.state.insert_or_assign(layout[slot].name, layout[slot].type->value->to_json(*value));
    return result;
}

}  // namespace

bool snapshot_difference::is_empty() const noexcept
{
    return keys.empty() && visits.empty() && steps.first == steps.second && retries.first == retries.second &&
           next_nodes.first == next_nodes.second;
}

snapshot_difference compare(const thread_snapshot& before, const thread_snapshot& after)
{
    return compare(outline_of(before), outline_of(after));
}

}  // namespace weft
