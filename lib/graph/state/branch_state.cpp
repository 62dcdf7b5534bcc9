#include <weft/graph/state/branch_state.hpp>

#include <weft/graph/state/finite_value.hpp>

#include <algorithm>

namespace weft {

const value_ptr& branch_state::read(std::uint32_t slot)
{
    for (branch_state* branch = this;; branch = branch->parent_) {
        if (branch->is_root()) return branch->root_.at(slot);
        if (entry* change = branch->find(slot)) return branch->fold(*change);
    }
}

void branch_state::commit(write_set&& writes)
{
    for (state_write& write : writes) apply(std::move(write));
    writes.clear();
}

void branch_state::apply(state_write&& write)
{
    const state_layout::slot& key = layout()[write.slot];
    const bool replaces = write.is_overwrite || !key.type->has_reducer;
    if (is_root()) {
        value_ptr& value = root_.writable(write.slot);
        value = replaces ? std::move(write.value) : reduce_finite(value, std::move(write.value), key);
        return;
    }
    entry& change = entry_of(write.slot);
    if (replaces) {
        change.visible = std::move(write.value);
        change.is_overwrite = true;
        change.updates.clear();
        change.folded = 0;
    } else {
        change.updates.push_back(std::move(write.value));
    }
}

void branch_state::merge(entry&& change)
{
    // Without an overwrite `visible` is this branch's own view, of no use to anybody else.
    if (change.is_overwrite) apply({change.slot, true, false, std::move(change.visible)});
    const std::size_t first = change.is_overwrite ? change.folded : 0;
    for (std::size_t i = first; i < change.updates.size(); ++i)
        apply({change.slot, false, false, std::move(change.updates[i])});
}

state branch_state::snapshot()
{
    branch_state* branch = this;
    while (!branch->is_root()) branch = branch->parent_;
    state result = branch->root_;
    if (is_root()) return result;
    for (std::uint32_t slot = 0; slot < result.layout().size(); ++slot)
        if (const value_ptr& value = read(slot); value != result.at(slot)) result.writable(slot) = value;
    return result;
}

branch_state::entry& branch_state::entry_of(std::uint32_t slot)
{
    if (entry* found = find(slot)) return *found;
    return entries_.emplace_back(entry{slot, false, 0, nullptr, {}});
}

branch_state::entry* branch_state::find(std::uint32_t slot) noexcept
{
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const entry& e) { return e.slot == slot; });
    return found == entries_.end() ? nullptr : &*found;
}

/** Brings `visible` up to date with the updates that came since it was last read. */
const value_ptr& branch_state::fold(entry& change)
{
    if (change.folded == change.updates.size()) return change.visible;
    const state_layout::slot& key = layout()[change.slot];
    if (change.folded == 0 && !change.is_overwrite) change.visible = parent_->read(change.slot);
    for (; change.folded < change.updates.size(); ++change.folded)
        change.visible = reduce_finite(change.visible, change.updates[change.folded], key);
    return change.visible;
}

}  // namespace weft
