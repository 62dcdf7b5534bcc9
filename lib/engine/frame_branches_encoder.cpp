#include "frame_encoder.hpp"

#include <weft/base/error.hpp>

#include <algorithm>
#include <utility>

namespace weft::checkpoint_detail {

namespace {

bool is_same_entry(const branch_state::entry& a, const branch_state::entry& b)
{
    return a.slot == b.slot && a.is_overwrite == b.is_overwrite && a.folded == b.folded && a.visible == b.visible &&
           a.updates == b.updates;
}

bool is_same_branch(const region::finished_branch& a, const region::finished_branch& b)
{
    return a.branch == b.branch &&
           std::equal(a.changes.begin(), a.changes.end(), b.changes.begin(), b.changes.end(), &is_same_entry);
}

}  // namespace

class finished_items final : public item_maker {
public:
    finished_items(frame_encoder& frame, const region& of) noexcept : frame_{frame}, of_{of} {}
    stored_item item(std::uint64_t index) override
    {
        return frame_.item_of(of_.finished[static_cast<std::size_t>(index)]);
    }

private:
    frame_encoder& frame_;
    const region& of_;
};

void frame_encoder::write_tokens()
{
    to_.number(where_.tokens.size());
    for (const token& t : where_.tokens) write_token(t);
}

void frame_encoder::write_token(const token& t)
{
    if (t.phase == token_phase::free) return to_.number(0);
    std::uint64_t flags = static_cast<std::uint64_t>(t.phase);
    const auto flag = [&flags](bool is_set, std::uint64_t bit) { flags |= is_set ? bit : 0; };
    flag(t.is_stopping, token_is_stopping);
    flag(t.is_counted, token_is_counted);
    flag(t.has_paused, token_has_paused);
    flag(t.has_failed, token_has_failed);
    flag(t.is_leaving, token_is_leaving);
    flag(t.region != no_index, token_has_region);
    flag(t.fork != no_index, token_has_fork);
    flag(static_cast<bool>(t.input), token_has_input);
    flag(static_cast<bool>(t.own), token_has_own);
    flag(t.previous != nullptr, token_has_previous);
    flag(t.branches != nullptr, token_has_branches);
    to_.number(flags);
    node(t.node);
    to_.number(t.visit);
    to_.number(t.attempt);
    to_.number(t.in_a_row);
    to_.number(t.step);
    if (t.region != no_index) {
        to_.number(t.region);
        to_.number(t.branch);
    }
    if (t.fork != no_index) to_.number(t.fork);
    if (t.input) write_entries(to_, t.input->changes());
    if (t.own) write_entries(to_, t.own->changes());
    if (t.previous) failure(to_, t.previous);
    if (!t.branches) return;
    to_.number(t.branches->size());
    for (const branch_result& result : *t.branches) {
        node(of_.find(result.node));
        to_.byte(static_cast<std::uint8_t>(result.status));
        failure(to_, result.error);
    }
}

void frame_encoder::write_regions()
{
    to_.number(where_.regions.size());
    for (region_index r = 0; r < where_.regions.size(); ++r) write_region(r);
}

void frame_encoder::write_region(region_index index)
{
    const region& r = where_.regions[index];
    if (!r.is_open) return to_.byte(0);
    to_.byte(r.is_decided ? region_is_open | region_is_decided : region_is_open);
    to_.number(r.parent);
    node(r.source);
    node(r.join);
    node(r.arrived);
    to_.number(r.started);
    to_.number(r.running);
    to_.number(r.succeeded);
    to_.number(r.failed);
    failure(to_, r.first_failure);
    write_fixed_part(r);
    for (const branch_result& result : r.results) {
        // The status and whether an error follows, in one byte.
        to_.byte(static_cast<std::uint8_t>(static_cast<unsigned>(result.status) << 1 | (result.error ? 1u : 0u)));
        if (result.error) failure(to_, result.error);
    }
    write_finished(index);
    to_.number(r.written.size());
    for (const region::written_key& written : r.written) {
        to_.number(written.slot);
        to_.number(written.branch);
    }
}

/** What hardly changes while the branches run: where they begin and what is sent to them. */
void frame_encoder::write_fixed_part(const region& r)
{
    linked_writer fixed;
    fixed.number(r.results.size());
    for (const branch_result& result : r.results) fixed.number(code_of_node(of_.find(result.node)));
    fixed.number(r.groups.size());
    for (const std::vector<node_index>& group : r.groups) {
        fixed.number(group.size());
        for (const node_index n : group) fixed.number(code_of_node(n));
    }
    fixed.number(r.targets.size());
    for (const node_index n : r.targets) fixed.number(code_of_node(n));
    fixed.number(r.sent.size());
    for (const sent_item& item : r.sent) {
        fixed.number(code_of_node(item.target));
        fixed.signed_number(item.timeout.count());
        write_writes(fixed, item.input);
    }
    std::vector<content_hash> links = fixed.take_links();
    write_item(to_, {fixed.take(), std::move(links)}, part_in_place_max, with_.blobs);
}

void frame_encoder::write_finished(region_index index)
{
    const region& r = where_.regions[index];
    frame_memory::finished_branches& known = memory_.regions[index];
    const bool goes_on = known.seen.size() <= r.finished.size() &&
                         std::equal(known.seen.begin(), known.seen.end(), r.finished.begin(), &is_same_branch);
    if (!goes_on) known = {};
    finished_items items{*this, r};
    (void)known.tree.extend(items, r.finished.size(), with_.blobs);
    known.seen.insert(known.seen.end(), r.finished.begin() + static_cast<std::ptrdiff_t>(known.seen.size()),
                      r.finished.end());
    known.tree.write(to_, with_.blobs);
}

stored_item frame_encoder::item_of(const region::finished_branch& branch)
{
    linked_writer item;
    item.number(branch.branch);
    write_entries(item, branch.changes);
    std::vector<content_hash> links = item.take_links();
    return {item.take(), std::move(links)};
}

void frame_encoder::write_entries(linked_writer& to, const branch_state::entries& entries)
{
    to.number(entries.size());
    for (const branch_state::entry& e : entries) {
        to.number(e.slot);
        to.byte(e.is_overwrite ? entry_is_overwrite : 0);
        const std::string key = key_name(e.slot);
        if (e.is_overwrite) {
            // Otherwise what the branch sees follows from its updates and from what it forked from.
            if (e.visible) require_stored(e.slot, e.visible->type());
            to.number(e.folded);
            with_.values.write(to, e.visible, key);
        }
        to.number(e.updates.size());
        for (const value_ptr& update : e.updates) {
            if (update) require_stored(e.slot, update->type());
            with_.values.write(to, update, key);
        }
    }
}

void frame_encoder::write_writes(linked_writer& to, const write_set& writes)
{
    to.number(writes.size());
    for (const state_write& w : writes) {
        if (w.value) require_stored(w.slot, w.value->type());
        to.number(w.slot);
        to.byte(static_cast<std::uint8_t>((w.is_overwrite ? entry_is_overwrite : 0) |
                                          (w.is_published ? write_is_published : 0)));
        with_.values.write(to, w.value, key_name(w.slot));
    }
}

/** A branch that is under way needs what it has written and what it was given. */
void frame_encoder::require_stored(std::uint32_t slot, const value_type& type) const
{
    if (!(*of_.layout())[slot].type->is_transient && type.to_json) return;
    throw error{errc::state_conversion, "key '" + key_name(slot) + "'",
                "it is transient, and a branch that is under way needs its value: write it behind the join, or make "
                "its type one that is stored"};
}

}  // namespace weft::checkpoint_detail
