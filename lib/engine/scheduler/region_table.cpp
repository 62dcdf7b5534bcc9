#include "region_table.hpp"

#include "branch_failure.hpp"
#include "fan_out_plan.hpp"
#include "fan_out_results.hpp"
#include "join_rules.hpp"

#include <weft/base/error.hpp>

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

namespace weft {

region_table::region_table(branch_table& branches) : branches_{branches}
{
    auto& regions = branches_.where().regions;
    for (region_index at = 0; at < regions.size(); ++at) {
        // Closed ones are a list of free places, linked by the field that open ones need.
        if (!regions[at].is_open)
            regions[at].parent = std::exchange(free_, at);
        else if (regions[at].started < regions[at].size())
            starting_.push_back(at);
    }
}

region_index region_table::add(branch_index parent)
{
    auto& regions = branches_.where().regions;
    region_index at = static_cast<region_index>(regions.size());
    if (free_ == no_index) {
        regions.emplace_back();
    } else {
        at = free_;
        free_ = regions[at].parent;
    }
    region& r = regions[at];
    r.is_open = true;
    r.source = branches_[parent].node;
    r.parent = parent;
    r.view = &branches_.view_of(parent);
    return at;
}

void region_table::open(region_index at, std::uint32_t in_flight_max)
{
    const region& r = (*this)[at];
    run_branch& parent = branches_[r.parent];
    parent.phase = branch_phase::forked;
    parent.fork = at;
    starting_.push_back(at);
    std::uint32_t at_once = r.size();
    for (const std::uint32_t most : {options_of(graph(), r).concurrency_max, in_flight_max})
        if (most != 0) at_once = std::min(at_once, most);
    // At most so many have a slot at once, however many items were sent.
    branches_.reserve(at_once);
}

region_index region_table::next_to_start()
{
    for (auto it = starting_.begin(); it != starting_.end();) {
        const region& r = (*this)[*it];
        if (!r.is_open || r.is_decided || r.started == r.size()) {
            // Taken out here, so that a region that closes need not be searched for.
            it = starting_.erase(it);
            continue;
        }
        if (may_start_branch(graph(), r)) return *it;
        ++it;
    }
    return no_index;
}

node_index region_table::next_first_node() const
{
    for (const region_index at : starting_) {
        const region& r = (*this)[at];
        if (may_start_branch(graph(), r)) return r.first_node_of(r.started);
    }
    return no_node;
}

node_index region_table::next_straight(const run_branch& branch, node_index join) const noexcept
{
    const region& r = (*this)[branch.region];
    const bool is_straight = graph().node(r.source).forks_straight && !r.sent && r.groups.empty();
    if (!is_straight || r.join != join || branch.own || r.is_decided) return no_node;
    if (branch.is_leaving || branches_[r.parent].is_leaving) return no_node;
    if (r.started == r.size() || !r.cancelled.empty() || !r.broken_off.empty()) return no_node;
    if (starting_.front() != branch.region) return no_node;  // an older one, or one that has none left
    const node_index first = r.targets[r.started];
    return meets_at(branch, first) ? no_node : first;
}

void region_table::pass_on(run_branch& branch)
{
    const region_index at = branch.region;
    region& r = (*this)[at];
    r.arrived = r.join;
    end_plain(branch);
    // As in `begin_branch`: a slot that is free is used again, the one that was left last first.
    std::destroy_at(&branch);
    std::construct_at(&branch)->region = at;
    branch.phase = branch_phase::running;
    branch.branch = r.started++;
    ++r.running;
}

void region_table::sort() { std::sort(starting_.begin(), starting_.end()); }

branch_index region_table::begin_branch(region_index at)
{
    const branch_index index = branches_.add();
    region& r = (*this)[at];
    run_branch& t = branches_[index];
    t.region = at;
    t.branch = r.started++;
    t.node = r.source;
    t.is_leaving = branches_[r.parent].is_leaving;
    r.skip_cancelled();
    ++r.running;
    if (r.sent || graph().node(r.source).maps_values) give_input(index, r);
    return index;
}

/** Gives a branch what is sent to it or moves along its edge; only it sees that. */
void region_table::give_input(branch_index index, region& r)
{
    run_branch& t = branches_[index];
    if (r.has_group(t.branch)) return;  // its own branches get it
    write_set moved;
    if (r.sent) {
        write_set& sent = r.sent->items[t.branch].input;
        // What copies of the frontier share stays as it is.
        if (r.sent->use_count() == 1) moved = std::move(sent);
        else moved = sent;
    } else {
        moved = moved_into(graph(), r, r.first_node_of(t.branch));
    }
    if (moved.empty()) return;
    t.input = std::make_unique<branch_state>(r.view);
    t.input->commit(std::move(moved));
}

failure_ptr region_table::refusal_of(branch_index index, bool& is_enough)
{
    const run_branch& t = branches_[index];
    region& r = (*this)[t.region];
    if (t.own)
        if (failure_ptr conflict = conflict_of(graph(), branches_.where(), r, t)) return conflict;
    const fan_out_options& options = options_of(graph(), r);
    // Of a region that is decided nothing follows any more.
    if (r.is_decided || !options.until) return nullptr;
    try {
        is_enough = joins_.is_enough(t.region, r, t, options);
        return nullptr;
    } catch (...) {
        return failure_at(graph(), branches_[r.parent], errc::condition_failed,
                          "`until` of the fan-out threw: " + text_of(std::current_exception()));
    }
}

void region_table::end_branch(branch_index index, branch_status status, failure_ptr cause, bool keeps_changes)
{
    run_branch& t = branches_[index];
    region& r = (*this)[t.region];
    if (t.is_leaving) branches_[r.parent].is_leaving = true;  // what comes behind is on the way out as well
    --r.running;
    if (status == branch_status::succeeded) {
        ++r.succeeded;
        // Most branches of a large fan-out succeed; without writes of their own they need no entry.
        if (!t.own) return r.ended.add_plain(t.branch, r.size());
        note_written(graph(), r, t);
    } else if (status != branch_status::stopped) {
        ++r.failed;
        if (!r.first_failure) r.first_failure = cause;
    }
    ended_branch& ended = r.ended.add(t.branch, status, r.size());
    ended.error = std::move(cause);
    const bool joins = status == branch_status::succeeded || (status == branch_status::stopped && keeps_changes);
    // What a failed branch wrote is dropped: its node did not complete.
    if (t.own && joins) ended.changes = t.own->take_changes();
}

intrusive_ptr<const joined_branches> region_table::join(region_index at)
{
    region& r = (*this)[at];
    // Before what the branches wrote is taken, and how they ended with it.
    intrusive_ptr<const joined_branches> results = make_counted<fan_out_results>(graph(), r);
    ended_branches::items ended = r.ended.take();
    const auto has_written = [](const ended_branch& one) { return !one.changes.empty(); };
    if (std::any_of(ended.begin(), ended.end(), has_written))
        merge_branches(graph(), r, ended, branches_.own_state_of(r.parent));
    return results;
}

void region_table::release(region_index at)
{
    joins_.forget(at);
    // The place is used again. Made anew where it is: an assignment would look at each member twice.
    region* const place = &(*this)[at];
    std::destroy_at(place);
    std::construct_at(place)->parent = std::exchange(free_, at);
}

bool region_table::is_meant(region_index at, std::uint32_t branch, const branch_choice& which) const
{
    if (which.index) return branch == *which.index;
    return graph().name_of((*this)[at].first_node_of(branch)) == which.first_node;
}

region_index region_table::region_meant(branch_index& from, const branch_choice& which) const
{
    for (region_index at = branches_[from].region; at != no_index; at = branches_[from].region) {
        const region& r = (*this)[at];
        for (std::uint32_t branch = 0; branch < r.size(); ++branch)
            if (is_meant(at, branch, which)) return at;
        from = r.parent;
    }
    return no_index;
}

std::size_t region_table::cancel_unstarted(region_index at, std::uint32_t own, const branch_choice& which)
{
    region& r = (*this)[at];
    std::size_t count = 0;
    const auto known = r.cancelled;
    for (std::uint32_t branch = r.started; branch < r.size(); ++branch) {
        if (branch == own || !is_meant(at, branch, which)) continue;
        if (std::binary_search(known.begin(), known.end(), branch, std::greater<>{})) continue;
        r.cancelled.push_back(branch);
        r.ended.push_back({branch, branch_status::stopped, nullptr, {}});
        ++count;
    }
    std::sort(r.cancelled.begin(), r.cancelled.end(), std::greater<>{});
    r.skip_cancelled();
    return count;
}

}  // namespace weft
