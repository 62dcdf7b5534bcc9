#include "join_rules.hpp"

#include "branch_failure.hpp"
#include "fan_out_rules.hpp"

#include <weft/graph/node/node_writes.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace weft {

namespace {

/** ` (nodes that write it: 'a', 'b')`, as far as it is known. */
std::string writers_of(const graph& of, std::uint32_t slot)
{
    std::string text;
    for (const std::string_view name : nodes_that_write(of, slot))
        text.append(text.empty() ? " (nodes that write it: '" : ", '").append(name).append("'");
    return text.empty() ? text : text + ")";
}

/** Whether what the branches did to a key joins in the order of the branches, and not in that of their ends. */
bool joins_in_order(const graph& of, const region& r, std::uint32_t slot) noexcept
{
    const conflict_strategy strategy = strategy_of(of, r, slot);
    if (strategy == conflict_strategy::branch_order) return true;
    const state_layout::slot& key = (*of.layout())[slot];
    if (!key.type->has_reducer || strategy == conflict_strategy::first_wins) return false;
    // Without a word to the contrary a result does not depend on time.
    return strategy == conflict_strategy::error || !(key.conflict || options_of(of, r).conflict);
}

}  // namespace

conflict_strategy strategy_of(const graph& of, const region& r, std::uint32_t slot) noexcept
{
    if (const auto own = (*of.layout())[slot].conflict) return *own;
    return options_of(of, r).conflict.value_or(of.conflict());
}

void note_written(const graph& of, region& r, const run_branch& branch)
{
    for (const branch_state::entry& change : branch.own->changes()) {
        if (strategy_of(of, r, change.slot) != conflict_strategy::error) continue;
        // The first branch that wrote a key is enough to refuse the second.
        const auto is_its_key = [&change](const region::written_key& known) { return known.slot == change.slot; };
        if (std::none_of(r.written.begin(), r.written.end(), is_its_key))
            r.written.push_back({change.slot, branch.branch});
    }
}

failure_ptr conflict_of(const graph& of, const frontier& where, const region& r, const run_branch& branch)
{
    for (const branch_state::entry& change : branch.own->changes()) {
        if (!change.is_overwrite || strategy_of(of, r, change.slot) != conflict_strategy::error) continue;
        for (const region::written_key& other : r.written)
            if (other.slot == change.slot && other.branch != branch.branch)
                return failure_at(of, where.branches[r.parent], errc::write_conflict,
                                  "key '" + (*of.layout())[change.slot].name + "' was written by the branches '" +
                                      std::string{of.name_of(r.first_node_of(other.branch))} + "' and '" +
                                      std::string{of.name_of(r.first_node_of(branch.branch))} + "'" +
                                      writers_of(of, change.slot) +
                                      "; give the key a reducer or choose another conflict_strategy");
    }
    return nullptr;
}

void merge_branches(const graph& of, const region& r, ended_branches::items& ended, branch_state& into)
{
    // Branches of a fan-out mostly write the same key, so that the last answer serves the next one too.
    std::uint32_t last = state_layout::none;
    bool last_in_order = false;
    const auto in_order = [&](std::uint32_t slot) {
        if (slot != last) last_in_order = joins_in_order(of, r, last = slot);
        return last_in_order;
    };
    std::vector<std::uint32_t> taken;
    bool has_ordered = false;
    for (ended_branch& f : ended)
        for (branch_state::entry& change : f.changes) {
            if (in_order(change.slot)) {
                has_ordered = true;
                continue;
            }
            if (strategy_of(of, r, change.slot) == conflict_strategy::first_wins && change.is_overwrite) {
                // Updates of a reducer all count; of overwrites the first one does.
                if (std::find(taken.begin(), taken.end(), change.slot) != taken.end()) continue;
                taken.push_back(change.slot);
            }
            into.merge(std::move(change));
        }
    // Keys that join in the order of ends are done; the others wait until all are sorted by branch.
    if (!has_ordered) return;
    const auto comes_before = [](const auto& a, const auto& b) { return a.branch < b.branch; };
    // Branches that wait for nothing end in their order.
    if (!std::is_sorted(ended.begin(), ended.end(), comes_before)) std::sort(ended.begin(), ended.end(), comes_before);
    for (ended_branch& f : ended)
        for (branch_state::entry& change : f.changes)
            if (in_order(change.slot)) into.merge(std::move(change));
}

void merge_finished(const graph& of, frontier& where)
{
    for (region& r : where.regions) {
        if (!r.is_open) continue;
        try {
            ended_branches::items ended = r.ended.take();
            merge_branches(of, r, ended, *where.root);
        } catch (const std::exception&) {
            where.is_degraded = true;  // a reducer that throws loses its own update; the failure stands
        }
    }
}

}  // namespace weft
