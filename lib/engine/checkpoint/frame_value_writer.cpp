#include "frame_value_writer.hpp"

#include "engine/value/checkpoint_format.hpp"
#include "failure_record.hpp"

#include <weft/base/error.hpp>

#include <algorithm>

namespace weft::checkpoint_detail {

void frame_value_writer::write_value(linked_writer& to, const value_ptr& value, std::uint32_t slot)
{
    // The name is for errors alone: of the outermost frame it needs no string of its own.
    if (prefix_.empty())
        with_.values.write(to, value, (*of_.layout())[slot].name);
    else
        with_.values.write(to, value, key_name(slot));
}

void frame_value_writer::write_entries(linked_writer& to, const branch_state::entries& entries)
{
    to.number(entries.size());
    for (const branch_state::entry& e : entries) {
        to.number(e.slot);
        to.byte(e.is_overwrite ? entry_is_overwrite : 0);
        if (e.is_overwrite) {
            // Otherwise what the branch sees follows from its updates and from what it forked from.
            if (e.visible) require_stored(e.slot, e.visible->type());
            to.number(e.folded);
            write_value(to, e.visible, e.slot);
        }
        to.number(e.updates.size());
        for (const value_ptr& update : e.updates) {
            if (update) require_stored(e.slot, update->type());
            write_value(to, update, e.slot);
        }
    }
}

void frame_value_writer::write_writes(linked_writer& to, const write_set& writes)
{
    to.number(writes.size());
    for (const state_write& w : writes) {
        if (w.value) require_stored(w.slot, w.value->type());
        to.number(w.slot);
        to.byte(static_cast<std::uint8_t>((w.is_overwrite ? entry_is_overwrite : 0) |
                                          (w.is_published ? write_is_published : 0)));
        write_value(to, w.value, w.slot);
    }
}

/** A branch that is under way needs what it has written and what it was given. */
void frame_value_writer::require_stored(std::uint32_t slot, const value_type& type) const
{
    if (!(*of_.layout())[slot].type->is_transient && type.to_json) return;
    throw error{errc::state_conversion, "key '" + key_name(slot) + "'",
                "it is transient, and a branch that is under way needs its value: write it behind the join, or make "
                "its type one that is stored"};
}

void frame_value_writer::write_failure(linked_writer& to, const failure_ptr& what)
{
    if (!what) return to.number(0);
    // Most frames have no failure or one: a map is made only where a search would be slow.
    constexpr std::size_t few = 8;
    if (failures_.size() < few) {
        const auto found = std::find(failures_.begin(), failures_.end(), what.get());
        to.number(static_cast<std::uint64_t>(found - failures_.begin()) + 1);
        if (found == failures_.end()) failures_.push_back(what.get());
        return;
    }
    if (failure_numbers_.empty())
        for (std::uint32_t i = 0; i < failures_.size(); ++i) failure_numbers_.emplace(failures_[i], i + 1);
    const auto next = static_cast<std::uint32_t>(failures_.size() + 1);
    const auto [at, is_new] = failure_numbers_.emplace(what.get(), next);
    if (is_new) failures_.push_back(what.get());
    to.number(at->second);
}

void frame_value_writer::write_failures(linked_writer& to) const
{
    to.number(failures_.size());
    for (const failure* what : failures_)
        write_item(to, {bytes_of(*what)}, part_in_place_max, with_.blobs);
}

}  // namespace weft::checkpoint_detail
