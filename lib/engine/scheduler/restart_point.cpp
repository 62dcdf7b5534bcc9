#include "restart_point.hpp"

#include "fan_out_rules.hpp"

#include <utility>

namespace weft {

void restart_point::mark()
{
    // A settled list is shared with its copy.
    branches_.where().settle(branches_.graph());
    marked_ = std::make_unique<frontier>(branches_.where());
}

void restart_point::mark_failed()
{
    mark();
    take_up(0);
}

/** A branch begins the same visit again, so that the effects of that visit keep their keys; with all its attempts. */
void restart_point::take_up(branch_index index)
{
    run_branch& t = marked_->branches[index];
    const bool runs_again = std::exchange(t.has_failed, false);
    if (t.fork != no_index) {
        t.phase = branch_phase::forked;
        return take_up_branches(marked_->regions[t.fork]);
    }
    t.phase = runs_again ? branch_phase::ready : branch_phase::choosing;
    t.attempt = 0;
}

/** Branches that were stopped begin again; so do those that failed, if their fan-out failed of that. */
void restart_point::take_up_branches(region& r)
{
    const bool takes_failed = has_failed(branches_.graph(), r);
    const std::vector<branch_status> statuses = statuses_of(r);
    std::vector<bool> runs_again(r.size());
    erase_if(r.broken_off, [&](branch_index index) {
        const std::uint32_t branch = marked_->branches[index].branch;
        const bool was_stopped = statuses[branch] == branch_status::stopped;
        if (!was_stopped && !takes_failed) return false;
        if (!was_stopped) --r.failed;
        runs_again[branch] = true;
        ++r.running;
        take_up(index);
        return true;
    });
    // It runs again, and its policy decides anew.
    r.is_decided = false;
    r.first_failure = nullptr;
    std::uint32_t first = r.size();
    r.ended.settle();
    for (ended_branch& ended : r.ended.take()) {
        if (runs_again[ended.branch]) continue;
        if (ended.error && ended.branch < first) {
            first = ended.branch;
            r.first_failure = ended.error;
        }
        r.ended.push_back(std::move(ended));
    }
    r.ended.settle();
}

void restart_point::add_published(branch_index index, const write_set& writes)
{
    // A branch that is late was given up before the stop: its work does not count.
    if (!marked_ || writes.empty() || marked_->lateness_of(index)) return;
    run_branch& t = marked_->branches[index];
    branch_state* into = marked_->root.get();
    if (t.region != no_index) {
        if (!t.own) t.own = std::make_unique<branch_state>(t.input ? t.input.get() : marked_->regions[t.region].view);
        into = t.own.get();
    }
    into->commit(write_set{writes});
}

void restart_point::note_inner(branch_index index, const std::shared_ptr<const frontier>& inner)
{
    branches_.where().note_inner(index, inner);
    if (marked_) marked_->note_inner(index, inner);  // the run is being stopped, and its nodes end one after another
}

void restart_point::note_spent(const spending& so_far)
{
    branches_.where().extra().spent = so_far;
    if (marked_) marked_->extra().spent = so_far;
}

void restart_point::note_elapsed(std::chrono::nanoseconds so_far)
{
    branches_.where().extra().elapsed = so_far;
    if (marked_) marked_->extra().elapsed = so_far;
}

void mark_broken_off(run_branch& t) noexcept
{
    const bool is_behind_its_node = t.phase == branch_phase::choosing || t.phase == branch_phase::deciding ||
                                    (t.phase == branch_phase::forked && t.fork == no_index);
    const bool has_begun_its_node = t.phase == branch_phase::running || t.phase == branch_phase::waiting ||
                                    (t.phase == branch_phase::choosing && t.has_failed);
    // Its visit goes on: a further one would have other keys for its effects.
    if (has_begun_its_node) t.is_counted = true;
    t.has_failed = !is_behind_its_node || t.has_failed;
    t.phase = branch_phase::broken_off;
    t.is_stopping = false;
    t.is_parked = false;
}

std::vector<node_index> nodes_under_way(const frontier& where)
{
    std::vector<node_index> nodes;
    for (const run_branch& t : where.branches)
        if (t.phase != branch_phase::free && t.phase != branch_phase::forked && t.phase != branch_phase::broken_off)
            nodes.push_back(t.node);
    for (const region& r : where.regions)
        if (r.is_open && !r.is_decided)
            for (std::uint32_t b = r.started; b < r.size(); ++b) nodes.push_back(r.first_node_of(b));
    return nodes;
}

std::vector<node_index> nodes_broken_off(const graph& of, const frontier& where)
{
    std::vector<node_index> nodes;
    std::vector<std::vector<branch_status>> statuses(where.regions.size());
    for (region_index at = 0; at < statuses.size(); ++at)
        if (!where.regions[at].broken_off.empty()) statuses[at] = statuses_of(where.regions[at]);
    for (const run_branch& t : where.branches) {
        if (t.phase != branch_phase::broken_off || t.fork != no_index) continue;
        const bool is_tolerated = t.region != no_index && !has_failed(of, where.regions[t.region]) &&
                                  statuses[t.region][t.branch] != branch_status::stopped;
        if (!is_tolerated) nodes.push_back(t.node);
    }
    for (const region& r : where.regions)
        if (r.is_open)
            for (std::uint32_t b = r.started; b < r.size(); ++b) nodes.push_back(r.first_node_of(b));
    return nodes;
}

}  // namespace weft
