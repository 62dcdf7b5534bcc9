#include "frame_branches_reader.hpp"

#include "engine/scheduler/fan_out_results.hpp"
#include "engine/value/checkpoint_format.hpp"
#include "engine/value/list_tree.hpp"
#include "failure_record.hpp"

#include <weft/base/error.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace weft::checkpoint_detail {

namespace {

/** Branches and fan-outs of a frame: a branch takes hundreds of times its byte in the record. */
constexpr std::size_t branches_max = std::size_t{1} << 18;

branch_status status_of(std::uint64_t number, const record_reader& from)
{
    if (number > static_cast<std::uint64_t>(branch_status::not_started)) from.refuse("a branch ended in no known way");
    return static_cast<branch_status>(number);
}

}  // namespace

pooled_vector<run_branch> frame_branches_reader::read_branches(linked_reader from)
{
    pooled_vector<run_branch> branches;
    const std::size_t count = from.number_up_to(std::min(from.left(), branches_max), "the number of tokens");
    branches.reserve(count);
    for (std::size_t i = 0; i < count; ++i) branches.push_back(read_branch(from));
    from.require_end();
    return branches;
}

run_branch frame_branches_reader::read_branch(linked_reader& from)
{
    run_branch t;
    const std::uint64_t flags = from.number_up_to(branch_flags_max, "the flags of a token");
    const std::uint64_t phase = flags & token_phase_mask;
    if (phase > static_cast<std::uint64_t>(branch_phase::broken_off)) from.refuse("a token is in no known phase");
    t.phase = static_cast<branch_phase>(phase);
    if (t.phase == branch_phase::free) {
        if (flags != 0) from.refuse("a free token has flags");
        return t;
    }
    t.is_stopping = (flags & token_is_stopping) != 0;
    t.is_counted = (flags & token_is_counted) != 0;
    t.has_paused = (flags & token_has_paused) != 0;
    t.has_failed = (flags & token_has_failed) != 0;
    t.is_leaving = (flags & token_is_leaving) != 0;
    t.node = values_.needed_node(from, "the run stands there");
    t.visit = from.number32("a visit");
    t.attempt = from.number32("an attempt");
    t.in_a_row = from.number32("visits in a row");
    t.step = from.number32("visits of a branch");
    if (flags & token_has_region) {
        t.region = from.number32("a region");
        t.branch = from.number32("a branch");
    }
    if (flags & token_has_fork) t.fork = from.number32("a region");
    if (flags & token_has_input) t.input = std::make_unique<branch_state>(nullptr, values_.entries(from));
    if (flags & token_has_own) t.own = std::make_unique<branch_state>(nullptr, values_.entries(from));
    if (flags & token_has_previous) t.set_previous(values_.failure(from));
    if (flags & token_has_branches) read_ended_branches(from, t);
    return t;
}

void frame_branches_reader::read_ended_branches(linked_reader& from, run_branch& into)
{
    branch_results results;
    for (std::size_t left = from.count("the number of branches"); left > 0; --left) {
        branch_result& result = results.emplace_back();
        result.index = static_cast<std::uint32_t>(results.size() - 1);
        result.node = of_.name_of(values_.needed_node(from, "a join is to read how its branch ended"));
        result.status = status_of(from.byte(), from);
        result.error = values_.failure(from);
    }
    into.set_branches(make_counted<fan_out_results>(std::move(results)));
}

pooled_vector<region> frame_branches_reader::read_regions(linked_reader from, region_form form)
{
    pooled_vector<region> regions;
    const std::size_t count = from.number_up_to(std::min(from.left(), branches_max), "the number of fan-outs");
    regions.reserve(count);
    for (std::size_t i = 0; i < count; ++i) regions.push_back(read_region(from, form));
    from.require_end();
    return regions;
}

region frame_branches_reader::read_region(linked_reader& from, region_form form)
{
    region r;
    const std::uint8_t flags = from.byte();
    if (flags == 0) return r;
    if ((flags & ~(region_is_open | region_is_decided)) != 0 || (flags & region_is_open) == 0)
        from.refuse("a fan-out has unknown flags");
    r.is_open = true;
    r.is_decided = (flags & region_is_decided) != 0;
    r.parent = from.number32("a token");
    linked_reader ahead = from;
    // Read ahead: whether the fan-out has changed is asked of the node that it was.
    const frame_names::node* const source = values_.old_node(ahead);
    r.source = values_.needed_node(from, "its branches run");
    if (source && r.source != lost_node) check_fan_out(*source);
    r.join = values_.needed_node(from, "open branches meet there");
    r.arrived = values_.needed_node(from, "open branches meet there");
    r.started = from.number32("the number of branches");
    r.running = from.number32("the number of branches");
    r.succeeded = from.number32("the number of branches");
    r.failed = from.number32("the number of branches");
    r.first_failure = values_.failure(from);
    read_item(from, "checkpoint, fan-out", values_.blobs(), [&](linked_reader part) { read_beginnings(part, r); });
    if (form == region_form::whole) {
        read_ended_whole(from, r);
    } else {
        read_sent(from, r);
        read_ended(from, r);
    }
    r.ended.settle();
    r.ended.all().for_each([&r](const ended_branch& one) {
        if (one.branch >= r.started) r.cancelled.push_back(one.branch);
    });
    std::sort(r.cancelled.begin(), r.cancelled.end(), std::greater<>{});
    for (std::size_t left = from.count("the number of written keys"); left > 0; --left) {
        const frame_names::key& its_key = values_.key(from);
        const std::uint32_t branch = from.number32("a branch");
        if (its_key.slot != state_layout::none) r.written.push_back({its_key.slot, branch});
    }
    return r;
}

void frame_branches_reader::check_fan_out(const frame_names::node& source)
{
    if (!source.has_other_fan_out) return;
    values_.add_problem(graph_change::kind::fan_out_changed, source.old_name,
            "its policy, its conflict strategy or where its branches meet has changed, and its branches run; change it "
            "back until they have met");
}

void frame_branches_reader::read_beginnings(linked_reader from, region& into)
{
    into.branches = static_cast<std::uint32_t>(from.count("the number of branches"));
    if (into.branches == 0) from.refuse("a fan-out has no branches");
    for (std::uint32_t b = 0; b < into.branches; ++b)
        (void)values_.needed_node(from, "a branch that has not been joined yet begins there");
    for (std::size_t left = from.count("the number of groups"); left > 0; --left)
        into.groups.push_back(read_nodes(from, "a branch begins there"));
    const std::vector<node_index> targets = read_nodes(from, "a branch begins there");
    into.targets.assign(targets.begin(), targets.end());
    // Only of the form where each fan-out is whole. There an item has no values any more when its branch has begun.
    for (std::size_t left = from.count("the number of items"); left > 0; --left) {
        if (!into.sent) into.sent = make_counted<shared_items>(sent_items{});
        into.sent->items.push_back(read_sent_item(from, false));
    }
    from.require_end();
}

sent_item frame_branches_reader::read_sent_item(linked_reader& from, bool has_begun)
{
    sent_item item;
    item.target = values_.needed_node(from, "an item was sent to it");
    item.timeout = std::chrono::nanoseconds{from.signed_number()};
    if (!has_begun) item.input = values_.writes(from);
    return item;
}

void frame_branches_reader::read_sent(linked_reader& from, region& into)
{
    const list_tree sent = list_tree::read(from);
    if (sent.size() == 0) return;
    into.sent = make_counted<shared_items>(sent_items{});
    sent.for_each(values_.blobs().blobs(), [&](std::string_view bytes, std::span<const content_hash> links) {
        linked_reader item{bytes, "checkpoint, sent item", links};
        // The values of items whose branches have begun are in these branches, and may be large.
        const bool has_begun = into.sent->items.size() < into.started;
        into.sent->items.push_back(read_sent_item(item, has_begun));
        if (!has_begun) item.require_end();
    });
}

std::vector<node_index> frame_branches_reader::read_nodes(linked_reader& from, std::string_view why)
{
    std::vector<node_index> nodes;
    for (std::size_t left = from.count("the number of nodes"); left > 0; --left)
        nodes.push_back(values_.needed_node(from, why));
    return nodes;
}

void frame_branches_reader::read_ended(linked_reader& from, region& into)
{
    const list_tree ended = list_tree::read(from);
    // The items are read in place, but the records of those that became blobs have links of their own.
    ended.for_each(values_.blobs().blobs(), [&](std::string_view bytes, std::span<const content_hash> links) {
        linked_reader item{bytes, "checkpoint, ended branch", links};
        ended_branch one{};
        one.branch = item.number32("a branch");
        const std::uint8_t how = item.byte();
        one.status = status_of(how >> ended_status_shift, item);
        if (how & ended_has_error) one.error = read_failure({item.text(), "checkpoint, failure"});
        if (how & ended_has_changes) one.changes = values_.entries(item);
        item.require_end();
        into.ended.push_back(std::move(one));
    });
}

/** How each branch stands, and what those wrote that have finished. */
void frame_branches_reader::read_ended_whole(linked_reader& from, region& into)
{
    std::vector<ended_branch> results(into.branches);
    for (std::uint32_t b = 0; b < into.branches; ++b) {
        const std::uint8_t how = from.byte();
        results[b] = {b, status_of(how >> 1, from), how & 1 ? values_.failure(from) : nullptr, {}};
    }
    const list_tree finished = list_tree::read(from);
    finished.for_each(values_.blobs().blobs(), [&](std::string_view bytes, std::span<const content_hash> links) {
        linked_reader item{bytes, "checkpoint, finished branch", links};
        const auto branch = static_cast<std::uint32_t>(item.number_up_to(into.branches - 1, "a branch"));
        ended_branch& one = results[branch];
        one.changes = values_.entries(item);
        item.require_end();
        into.ended.push_back(one);
        one.status = branch_status::not_started;  // it is among them
    });
    for (ended_branch& one : results)
        if (one.status != branch_status::not_started) into.ended.push_back(std::move(one));
}

}  // namespace weft::checkpoint_detail
