#include "frame_branches_writer.hpp"

#include "engine/value/checkpoint_format.hpp"
#include "failure_record.hpp"

#include <algorithm>
#include <utility>

namespace weft::checkpoint_detail {

class frame_branches_writer::sent_item_maker final : public item_maker {
public:
    sent_item_maker(frame_branches_writer& frame, const sent_items& of) noexcept : frame_{frame}, of_{of} {}
    encoded_item item(std::uint64_t index) override { return frame_.item_of(of_[static_cast<std::size_t>(index)]); }

private:
    frame_branches_writer& frame_;
    const sent_items& of_;
};

class frame_branches_writer::ended_item_maker final : public item_maker {
public:
    ended_item_maker(frame_branches_writer& frame, const settled_list<ended_branch>& of) noexcept
        : frame_{frame}, of_{of}
    {
    }
    encoded_item item(std::uint64_t index) override
    {
        return frame_.item_of(of_[static_cast<std::size_t>(index)]);
    }

private:
    frame_branches_writer& frame_;
    const settled_list<ended_branch>& of_;
};

namespace {

written_piece part_of(encoded_item part, blob_sink& sink)
{
    if (part.links.empty() && part.bytes.size() <= part_in_place_max) return {std::move(part.bytes), std::nullopt};
    return {{}, sink.add(std::move(part.bytes), std::move(part.links))};
}

/** As `write_item` does. */
void write_piece(linked_writer& to, const written_piece& part)
{
    if (part.blob) {
        to.number(0);
        return to.link(*part.blob);
    }
    to.number(part.in_place.size() + 1);
    to.raw(part.in_place);
}

encoded_item beginnings_of(const region& r)
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

}  // namespace

void frame_branches_writer::write_node(node_index node) { to_.number(code_of_node(node)); }

void frame_branches_writer::forget_closed()
{
    std::erase_if(memory_, [this](const auto& entry) {
        return entry.first >= where_.regions.size() || !where_.regions[entry.first].is_open;
    });
}

void frame_branches_writer::write_branches()
{
    to_.number(where_.branches.size());
    for (const run_branch& t : where_.branches) write_branch(t);
}

void frame_branches_writer::write_branch(const run_branch& t)
{
    // A free place keeps its number: regions and failures refer to branches by theirs.
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
    flag(t.previous() != nullptr, token_has_previous);
    flag(t.branches() != nullptr, token_has_branches);
    to_.number(flags);
    write_node(t.node);
    to_.number(t.visit);
    to_.number(t.attempt);
    to_.number(t.in_a_row);
    to_.number(t.step);
    if (t.region != no_index) {
        to_.number(t.region);
        to_.number(t.branch);
    }
    if (t.fork != no_index) to_.number(t.fork);
    if (t.input) values_.write_entries(to_, t.input->changes());
    if (t.own) values_.write_entries(to_, t.own->changes());
    if (t.previous()) values_.write_failure(to_, t.previous());
    if (!t.branches()) return;
    const branch_results& ended = t.branches()->results();
    to_.number(ended.size());
    for (const branch_result& result : ended) {
        write_node(of_.find(result.node));
        to_.byte(static_cast<std::uint8_t>(result.status));
        values_.write_failure(to_, result.error);
    }
}

void frame_branches_writer::write_regions()
{
    to_.number(where_.regions.size());
    for (region_index r = 0; r < where_.regions.size(); ++r) write_region(r);
}

void frame_branches_writer::write_region(region_index index)
{
    const region& r = where_.regions[index];
    if (!r.is_open) return to_.byte(0);
    to_.byte(r.is_decided ? region_is_open | region_is_decided : region_is_open);
    to_.number(r.parent);
    write_node(r.source);
    write_node(r.join);
    write_node(r.arrived);
    to_.number(r.started);
    to_.number(r.running);
    to_.number(r.succeeded);
    to_.number(r.failed);
    values_.write_failure(to_, r.first_failure);
    fan_out_memory& known = memory_[index];
    write_sent(r, known);
    write_ended(r, known);
    to_.number(r.written.size());
    for (const region::written_key& written : r.written) {
        to_.number(written.slot);
        to_.number(written.branch);
    }
}

/** Where the branches begin, and what is sent to them: neither changes while they run. */
void frame_branches_writer::write_sent(const region& r, fan_out_memory& known)
{
    if (!r.sent) {
        known.sent = nullptr;
        known.sent_tree = list_tree{};
        write_item(to_, beginnings_of(r), part_in_place_max, with_.blobs);
    } else {
        // Compared by address: a fan-out over a million items costs nothing while it runs.
        if (known.sent != r.sent) {
            known.sent_tree = list_tree{};
            sent_item_maker items{*this, r.sent->items};
            (void)known.sent_tree.extend(items, r.sent->items.size(), with_.blobs);
            known.beginnings = part_of(beginnings_of(r), with_.blobs);
            known.sent = r.sent;
        }
        write_piece(to_, known.beginnings);
    }
    known.sent_tree.write(to_, with_.blobs);
}

void frame_branches_writer::write_ended(const region& r, fan_out_memory& known)
{
    settled_list<ended_branch> all = r.ended.all();
    // A resume may have taken branches up again that had ended.
    if (!all.extends(known.ended)) known.ended_tree = list_tree{};
    ended_item_maker items{*this, all};
    (void)known.ended_tree.extend(items, all.size(), with_.blobs);
    known.ended = std::move(all);
    known.ended_tree.write(to_, with_.blobs);
}

encoded_item frame_branches_writer::item_of(const sent_item& sent)
{
    linked_writer item;
    item.number(code_of_node(sent.target));
    item.signed_number(sent.timeout.count());
    values_.write_writes(item, sent.input);
    std::vector<content_hash> links = item.take_links();
    return {item.take(), std::move(links)};
}

encoded_item frame_branches_writer::item_of(const ended_branch& branch)
{
    linked_writer item;
    item.number(branch.branch);
    item.byte(static_cast<std::uint8_t>(static_cast<unsigned>(branch.status) << ended_status_shift |
                                        (branch.error ? ended_has_error : 0u) |
                                        (branch.changes.empty() ? 0u : ended_has_changes)));
    // In the item and not by number: the item does not change, while numbers differ from draft to draft.
    if (branch.error) item.text(bytes_of(*branch.error));
    if (!branch.changes.empty()) values_.write_entries(item, branch.changes);
    std::vector<content_hash> links = item.take_links();
    return {item.take(), std::move(links)};
}

}  // namespace weft::checkpoint_detail
