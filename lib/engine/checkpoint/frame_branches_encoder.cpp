#include "frame_encoder.hpp"

#include <weft/base/error.hpp>

#include <algorithm>
#include <utility>

namespace weft::checkpoint_detail {

class sent_item_maker final : public item_maker {
public:
    sent_item_maker(frame_encoder& frame, const sent_items& of) noexcept : frame_{frame}, of_{of} {}
    stored_item item(std::uint64_t index) override { return frame_.item_of(of_[static_cast<std::size_t>(index)]); }

private:
    frame_encoder& frame_;
    const sent_items& of_;
};

class ended_item_maker final : public item_maker {
public:
    ended_item_maker(frame_encoder& frame, const settled_list<ended_branch>& of) noexcept : frame_{frame}, of_{of} {}
    stored_item item(std::uint64_t index) override
    {
        return frame_.item_of(of_[static_cast<std::size_t>(index)]);
    }

private:
    frame_encoder& frame_;
    const settled_list<ended_branch>& of_;
};

namespace {

written_part keep_part(stored_item part, blob_sink& sink)
{
    if (part.links.empty() && part.bytes.size() <= part_in_place_max) return {std::move(part.bytes), std::nullopt};
    return {{}, sink.add(std::move(part.bytes), std::move(part.links))};
}

/** As `write_item` does. */
void write_kept(linked_writer& to, const written_part& part)
{
    if (part.blob) {
        to.number(0);
        return to.link(*part.blob);
    }
    to.number(part.in_place.size() + 1);
    to.raw(part.in_place);
}

}  // namespace

void frame_encoder::write_branches()
{
    to_.number(where_.branches.size());
    for (const run_branch& t : where_.branches) write_branch(t);
}

void frame_encoder::write_branch(const run_branch& t)
{
    if (t.phase == branch_phase::free) return to_.number(0);
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
    fan_out_memory& known = memory_.regions[index];
    write_sent(r, known);
    write_ended(r, known);
    to_.number(r.written.size());
    for (const region::written_key& written : r.written) {
        to_.number(written.slot);
        to_.number(written.branch);
    }
}

/** Where the branches begin, and what is sent to them: neither changes while they run. */
void frame_encoder::write_sent(const region& r, fan_out_memory& known)
{
    if (!r.sent) {
        known.sent = nullptr;
        known.sent_tree = list_tree{};
        write_item(to_, beginnings_of(r), part_in_place_max, with_.blobs);
    } else {
        if (known.sent != r.sent) {
            known.sent_tree = list_tree{};
            sent_item_maker items{*this, r.sent->items};
            (void)known.sent_tree.extend(items, r.sent->items.size(), with_.blobs);
            known.beginnings = keep_part(beginnings_of(r), with_.blobs);
            known.sent = r.sent;
        }
        write_kept(to_, known.beginnings);
    }
    known.sent_tree.write(to_, with_.blobs);
}

stored_item frame_encoder::beginnings_of(const region& r) const
{
    linked_writer part;
    part.number(r.size());
    for (std::uint32_t b = 0; b < r.size(); ++b) part.number(code_of_node(r.first_node_of(b)));
    part.number(r.groups.size());
    for (const std::vector<node_index>& group : r.groups) {
        part.number(group.size());
        for (const node_index n : group) part.number(code_of_node(n));
    }
    part.number(r.targets.size());
    for (const node_index n : r.targets) part.number(code_of_node(n));
    part.number(0);  // items, which stood here once
    return {part.take()};
}

void frame_encoder::write_ended(const region& r, fan_out_memory& known)
{
    settled_list<ended_branch> all = r.ended.all();
    if (!all.extends(known.ended)) known.ended_tree = list_tree{};
    ended_item_maker items{*this, all};
    (void)known.ended_tree.extend(items, all.size(), with_.blobs);
    known.ended = std::move(all);
    known.ended_tree.write(to_, with_.blobs);
}

stored_item frame_encoder::item_of(const sent_item& sent)
{
    linked_writer item;
    item.number(code_of_node(sent.target));
    item.signed_number(sent.timeout.count());
    write_writes(item, sent.input);
    std::vector<content_hash> links = item.take_links();
    return {item.take(), std::move(links)};
}

stored_item frame_encoder::item_of(const ended_branch& branch)
{
    linked_writer item;
    item.number(branch.branch);
    item.byte(static_cast<std::uint8_t>(static_cast<unsigned>(branch.status) << ended_status_shift |
                                        (branch.error ? ended_has_error : 0u) |
                                        (branch.changes.empty() ? 0u : ended_has_changes)));
    if (branch.error) item.text(bytes_of(*branch.error));
    if (!branch.changes.empty()) write_entries(item, branch.changes);
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
