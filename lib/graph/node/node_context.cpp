#include <weft/graph/graph.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/finite_value.hpp>

#include <algorithm>

namespace weft {

std::string node_host::purpose() const { return {}; }
std::shared_ptr<const item_space> node_host::memory(const node_context&) const { return nullptr; }

namespace {

[[noreturn]] void refuse_use(const state_layout& layout, std::uint32_t slot, std::string_view node, const char* list)
{
    throw error{errc::key_out_of_scope, "node '" + std::string{node} + "', key '" + layout[slot].name + "'",
                "add the key to the `" + std::string{list} + "` of the node"};
}

}  // namespace

bool node_context::may_read(std::uint32_t slot) const noexcept { return !info_.scope || info_.scope->readable[slot]; }
bool node_context::may_write(std::uint32_t slot) const noexcept { return !info_.scope || info_.scope->writable[slot]; }

void node_context::require_readable(std::uint32_t slot) const
{
    if (!may_read(slot)) refuse_use(layout(), slot, info_.node, "reads");
}

void node_context::require_writable(std::uint32_t slot) const
{
    if (!may_write(slot)) refuse_use(layout(), slot, info_.node, "writes");
}

std::string node_context::revision_note() const
{
    if (!past_.last_outputs) return {};
    return "Graph state '" + std::string{info_.node} + "' visit #" + std::to_string(info_.visit) +
           ". Prior visit's output is provided above; refine your response based on it.";
}

const value_box* node_context::prior(std::uint32_t slot, const value_type& type) const noexcept
{
    if (!past_.last_outputs) return nullptr;
    for (auto write = past_.last_outputs->rbegin(); write != past_.last_outputs->rend(); ++write)
        if (write->slot == slot && write->value && &write->value->type() == &type) return write->value.get();
    return nullptr;
}

void node_context::write(state_write write)
{
    require_writable(write.slot);
    const state_layout::slot& key = layout()[write.slot];
    require_finite(write.value, key, info_.node);
    if (may_overflow(*key.type) && !write.is_overwrite) {
        value_ptr now = value_at(write.slot);
        static_cast<void>(reduce_finite(now, write.value, key, info_.node));
    }
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
    const state_layout::slot& key = layout()[slot];
    const key_type& type = *key.type;
    value_ptr value = view_.read(slot);
    for (const state_write& w : writes_) {
        if (w.slot != slot) continue;
        value = w.is_overwrite || !type.has_reducer ? w.value : reduce_finite(value, w.value, key);
    }
    return own_view_->emplace_back(state_write{slot, true, false, std::move(value)}).value;
}

void node_context::refuse_missing(std::string_view key) const
{
    throw error{errc::missing_state_value, "node '" + std::string{info_.node} + "', key '" + std::string{key} + "'",
                "give it with the run's input, write it in an earlier node, or use find or value_or"};
}

}  // namespace weft
