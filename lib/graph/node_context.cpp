#include <weft/graph/node_context.hpp>

#include <algorithm>

namespace weft {

void node_context::write(state_write write)
{
    if (own_view_) std::erase_if(*own_view_, [&](const state_write& seen) { return seen.slot == write.slot; });
    writes_.push_back(std::move(write));
}

const value_ptr& node_context::read_through_writes(std::uint32_t slot) const
{
    const auto is_this = [&](const state_write& w) { return w.slot == slot; };
    if (std::none_of(writes_.begin(), writes_.end(), is_this)) return view_.read(slot);
    if (!own_view_) own_view_ = std::make_unique<write_set>();
    if (const auto seen = std::find_if(own_view_->begin(), own_view_->end(), is_this); seen != own_view_->end())
        return seen->value;
    const key_type& type = *layout()[slot].type;
    value_ptr value = view_.read(slot);
    for (const state_write& w : writes_) {
        if (w.slot != slot) continue;
        value = w.is_overwrite || !type.has_reducer ? w.value : type.reduce(std::move(value), w.value);
    }
    return own_view_->emplace_back(state_write{slot, true, false, std::move(value)}).value;
}

void node_context::refuse_missing(std::string_view key) const
{
    throw error{errc::missing_state_value, "node '" + std::string{info_.node} + "', key '" + std::string{key} + "'",
                "give it with the run's input, write it in an earlier node, or use find or value_or"};
}

}  // namespace weft
