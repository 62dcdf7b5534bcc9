#include <weft/graph/node/node_visit.hpp>

#include <weft/base/error.hpp>
#include <weft/graph/node/graph_structure.hpp>
#include <weft/graph/state/finite_value.hpp>

#include <algorithm>

namespace weft {

namespace {

[[noreturn]] void refuse_use(const state_layout& layout, std::uint32_t slot, std::string_view node, const char* list)
{
    throw error{errc::key_out_of_scope, "node '" + std::string{node} + "', key '" + layout[slot].name + "'",
                "add the key to the `" + std::string{list} + "` of the node"};
}

}  // namespace

bool node_visit::may_read(std::uint32_t slot) const noexcept { return !scope_ || scope_->readable[slot]; }
bool node_visit::may_write(std::uint32_t slot) const noexcept { return !scope_ || scope_->writable[slot]; }

void node_visit::require_readable(std::uint32_t slot) const
{
    if (!may_read(slot)) refuse_use(layout(), slot, info().node, "reads");
}

void node_visit::require_writable(std::uint32_t slot) const
{
    if (!may_write(slot)) refuse_use(layout(), slot, info().node, "writes");
}

const value_box* node_visit::prior(std::uint32_t slot, const value_type& type) const noexcept
{
    if (!before().last_outputs) return nullptr;
    const write_set& last = *before().last_outputs;
    for (std::size_t left = last.size(); left > 0; --left) {
        const state_write& write = last[left - 1];
        if (write.slot == slot && write.value && &write.value->type() == &type) return write.value.get();
    }
    return nullptr;
}

void node_visit::write(state_write write)
{
    require_writable(write.slot);
    // A number that no JSON can hold is refused where it is written, not at the next checkpoint.
    const state_layout::slot& key = layout()[write.slot];
    require_finite(write.value, key, info().node);
    if (may_overflow(*key.type) && !write.is_overwrite) {
        value_ptr now = value_at(write.slot);
        static_cast<void>(reduce_finite(now, write.value, key, info().node));
    }
    // The joined value that reads have cached is older than this write.
    if (beside_) erase_if(beside_->own_view, [&](const state_write& seen) { return seen.slot == write.slot; });
    writes_.push_back(std::move(write));
}

const value_ptr& node_visit::read_through_writes(std::uint32_t slot) const
{
    const auto is_this = [&](const state_write& w) { return w.slot == slot; };
    // Most keys that a node reads it has not written.
    if (std::none_of(writes_.begin(), writes_.end(), is_this)) return view_.read(slot);
    write_set& own_view = beside().own_view;
    if (const auto seen = std::find_if(own_view.begin(), own_view.end(), is_this); seen != own_view.end())
        return seen->value;
    const state_layout::slot& key = layout()[slot];
    const key_type& type = *key.type;
    value_ptr value = view_.read(slot);
    for (const state_write& w : writes_) {
        if (w.slot != slot) continue;
        value = w.is_overwrite || !type.has_reducer ? w.value : reduce_finite(value, w.value, key);
    }
    return own_view.emplace_back(state_write{slot, true, false, std::move(value)}).value;
}

}  // namespace weft
