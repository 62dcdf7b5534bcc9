#include <weft/engine/scheduler/scheduler.hpp>

#include <algorithm>
#include <utility>

namespace weft {

/** Keeps the token of a branch that failed or was stopped: if its fan-out fails the run, a resume goes on with it. */
void scheduler::break_off(token_index index)
{
    token& t = frontier_.tokens[index];
    const bool is_behind_its_node = t.phase == token_phase::choosing || t.phase == token_phase::deciding ||
                                    (t.phase == token_phase::forked && t.fork == no_index);
    const bool has_begun_its_node = t.phase == token_phase::running || t.phase == token_phase::waiting ||
                                    (t.phase == token_phase::choosing && t.has_failed);
    if (has_begun_its_node) t.is_counted = true;
    t.has_failed = !is_behind_its_node || t.has_failed;
    t.phase = token_phase::broken_off;
    t.is_stopping = false;
    t.is_parked = false;
    if (frontier_.extras)
        std::erase_if(frontier_.extras->late, [index](const auto& entry) { return entry.first == index; });
    if (t.region != no_index) frontier_.regions[t.region].broken_off.push_back(index);
}

/** Drops the tokens of failed branches that no resume will need. */
void scheduler::forget_failed_branches(region_index at)
{
    const std::vector<branch_status> how = statuses_of(frontier_.regions[at]);
    for (const token_index index : std::exchange(frontier_.regions[at].broken_off, {})) {
        if (how[frontier_.tokens[index].branch] == branch_status::stopped)
            frontier_.regions[at].broken_off.push_back(index);
        else
            free_token(index);
    }
}

/** The first token has failed: all others stand where they failed or were stopped. */
void scheduler::fail_run(failure_ptr cause)
{
    break_off(0);
    failure_ = std::move(cause);
    note_broken_off();
    if (leaves_restart()) keep_restart();
    merge_finished();
    free_token(0);
    finish(run_status::failed);
}

/** Names where a resume begins. */
void scheduler::note_broken_off()
{
    unfinished_.clear();
    std::vector<std::vector<branch_status>> how(frontier_.regions.size());
    for (region_index at = 0; at < how.size(); ++at)
        if (!frontier_.regions[at].broken_off.empty()) how[at] = statuses_of(frontier_.regions[at]);
    for (const token& t : frontier_.tokens) {
        if (t.phase != token_phase::broken_off || t.fork != no_index) continue;
        const bool is_tolerated = t.region != no_index && !has_failed(frontier_.regions[t.region]) &&
                                  how[t.region][t.branch] != branch_status::stopped;
        if (!is_tolerated) unfinished_.push_back(t.node);
    }
    for (const region& r : frontier_.regions)
        if (r.is_open)
            for (std::uint32_t b = r.started; b < r.size(); ++b) unfinished_.push_back(r.first_node_of(b));
}

/** Keeps the frontier that a resume of the failed run goes on from. */
void scheduler::keep_restart()
{
    frontier_.settle();
    cut_ = std::make_unique<frontier>(frontier_);
    take_up_again(*cut_, 0);
}

/** A token begins the same visit again, so that the effects of that visit keep their keys; with all its attempts. */
void scheduler::take_up_again(frontier& at, token_index index) const
{
    token& t = at.tokens[index];
    const bool runs_again = std::exchange(t.has_failed, false);
    if (t.fork != no_index) {
        t.phase = token_phase::forked;
        return take_up_branches(at, at.regions[t.fork]);
    }
    t.phase = runs_again ? token_phase::ready : token_phase::choosing;
    t.attempt = 0;
}

/** Branches that were stopped begin again; so do those that failed, if their fan-out failed of that. */
void scheduler::take_up_branches(frontier& at, region& r) const
{
    const bool takes_failed = has_failed(r);
    const std::vector<branch_status> how = statuses_of(r);
    std::vector<bool> runs_again(r.size());
    std::erase_if(r.broken_off, [&](token_index index) {
        const std::uint32_t branch = at.tokens[index].branch;
        const bool was_stopped = how[branch] == branch_status::stopped;
        if (!was_stopped && !takes_failed) return false;
        if (!was_stopped) --r.failed;
        runs_again[branch] = true;
        ++r.running;
        take_up_again(at, index);
        return true;
    });
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

/** How the branches of a fan-out have ended, by branch. */
std::vector<branch_status> scheduler::statuses_of(const region& r)
{
    std::vector<branch_status> how(r.size(), branch_status::not_started);
    r.ended.for_each([&how](std::uint32_t plain) { how[plain] = branch_status::succeeded; },
                     [&how](const ended_branch& ended) { how[ended.branch] = ended.status; });
    return how;
}

/** What branches have finished is part of the state that the failed run leaves. */
void scheduler::merge_finished()
{
    for (region& r : frontier_.regions) {
        if (!r.is_open) continue;
        try {
            ended_branches::items ended = r.ended.take();
            merge_branches(r, ended, *frontier_.root);
        } catch (const std::exception&) {
            frontier_.is_degraded = true;  // a reducer that throws loses its own update; the failure stands
        }
    }
}

}  // namespace weft
