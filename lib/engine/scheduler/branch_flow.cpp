#include "branch_flow.hpp"

#include "branch_failure.hpp"
#include "fan_out_plan.hpp"
#include "join_rules.hpp"

#include <weft/graph/state/written_values.hpp>

#include <exception>
#include <utility>

namespace weft {

void branch_flow::commit(branch_index index, write_set&& writes)
{
    if (writes.empty()) return;
    branch_state& own = now_.branches.own_state_of(index);
    if (!now_.actions.gives_notices()) return own.commit(std::move(writes));
    write_set written = writes;
    own.commit(std::move(writes));
    notify_written(action::notice_kind::state_written, index, now_.branches[index].node, std::move(written));
}

void branch_flow::notify_written(action::notice_kind what, branch_index index, node_index node, write_set&& written)
{
    if (!now_.actions.gives_notices()) return;
    const bool is_in_branch = now_.branches[index].region != no_index;
    now_.actions.notify_written(what, index, node,
                                std::make_shared<written_values>(
                                    std::move(written), now_.branches.own_state_of(index).snapshot(), is_in_branch));
}

void branch_flow::arrive(branch_index index, node_index target)
{
    run_branch& t = now_.branches[index];
    t.is_counted = false;
    // An edge may lead out of several fan-outs at once. The innermost notes where, closes, and its parent arrives
    // there in turn.
    for (region_index r = t.region; r != no_index; r = now_.branches[now_.regions[r].parent].region) {
        if (now_.regions[r].join != target) continue;
        now_.regions[t.region].arrived = target;
        return settle(index, branch_status::succeeded, nullptr);
    }
    if (target == end_node) return end(index);
    if (now_.graph().node(target).is_deferred) {
        now_.branches.defer(target);
        return end(index);
    }
    if (target != t.node) t.in_a_row = 0;
    t.node = target;
    make_ready(index);
}

void branch_flow::end(branch_index index)
{
    run_branch& t = now_.branches[index];
    if (t.region != no_index) return settle(index, branch_status::succeeded, nullptr);
    if (const node_index deferred = now_.branches.take_deferred(); deferred != no_node) {
        t.node = deferred;
        t.in_a_row = 0;
        return make_ready(index);
    }
    // A pause behind the last node leaves the branch at the end: the resume has nothing to run, and the run has not
    // ended by itself.
    const bool may_pause = t.node != end_node && t.node != start_node;
    if (now_.course.is_pausing() && may_pause && pauses_at(now_.graph().node(t.node), pause_point::after)) {
        t.node = end_node;
        return make_ready(index);
    }
    release(index);
    now_.course.finish(run_status::finished);
}

void branch_flow::move_values(branch_index index, const graph_edge& edge)
{
    if (edge.map.empty()) return;
    branch_state& view = now_.branches.view_of(index);
    write_set moved;
    for (const auto& [target, source] : edge.map)
        if (const value_ptr& value = view.read(source)) moved.push_back({target, true, false, value});
    commit(index, std::move(moved));
}

void branch_flow::ask_conditions(branch_index index, bool has_failed)
{
    run_branch& t = now_.branches[index];
    t.phase = branch_phase::choosing;
    t.has_failed = has_failed;
    now_.actions.push(action::kind::choose_edge, index);
}

void branch_flow::after_success(branch_index index)
{
    const graph_node& node = now_.node_of(index);
    if (node.only_next != no_node) {
        const auto only = now_.graph().otherwise(node);
        return take_edge(index, node.only_next, only.empty() ? no_edge : only.front().declared);
    }
    if (now_.graph().conditional(node).empty()) return take_success_route(index, nullptr);
    ask_conditions(index, false);
}

void branch_flow::take_success_route(branch_index index, const graph_edge* chosen, node_index by_llm)
{
    success_route route = route_after_success(now_.graph(), now_.node_of(index), chosen, by_llm);
    switch (route.what) {
    case success_route::kind::ask_model:
        now_.branches[index].phase = branch_phase::deciding;
        now_.nodes.begin();
        return now_.actions.push(action::kind::decide, index);
    case success_route::kind::follow: return follow(index, *route.edge);
    case success_route::kind::go:
        notify_fired(index, chosen, by_llm);
        if (route.edge) move_values(index, *route.edge);
        return arrive(index, route.target);
    case success_route::kind::fork:
        notify_fired(index, chosen, by_llm);
        return fork(index, std::move(route.targets));
    case success_route::kind::none: break;
    }
    take_failure_edge(index, failure_at(now_.graph(), now_.branches[index], errc::no_edge_matched,
                                        text_of_no_match(now_.graph(), now_.node_of(index))));
}

void branch_flow::after_failure(branch_index index, failure_ptr cause)
{
    if (!asks_after_failure(now_.graph(), now_.node_of(index), cause->code))
        return take_failure_edge(index, std::move(cause));
    now_.branches[index].set_previous(std::move(cause));
    ask_conditions(index, true);
}

void branch_flow::take_failure_edge(branch_index index, failure_ptr cause)
{
    run_branch& t = now_.branches[index];
    t.is_counted = false;
    t.set_previous(cause);
    const graph_edge* const edge = failure_edge_of(now_.graph(), now_.graph().node(t.node), cause->code);
    if (!edge) return fail(index, std::move(cause));
    now_.branches.forget_extras(index);
    now_.branches.where().is_degraded = true;
    follow(index, *edge);
}

void branch_flow::notify_fired(branch_index index, const graph_edge* chosen, node_index by_llm)
{
    if (!now_.actions.gives_notices()) return;
    const node_index source = now_.branches[index].node;
    for (const auto& [target, declared] : edges_fired(now_.graph(), now_.graph().node(source), chosen, by_llm))
        now_.actions.notify_edge(index, source, target, declared);
}

void branch_flow::fork(branch_index index, pooled_vector<node_index>&& targets, bool is_group)
{
    const region_index at = now_.regions.add(index);
    plan_branches(now_.graph(), now_.regions[at], std::move(targets), is_group);
    open(at);
}

void branch_flow::fork_items(branch_index index, sent_items&& items)
{
    const item_plan plan = plan_items(now_.graph(), now_.node_of(index), items);
    if (items.empty()) return take_edge(index, plan.join == no_node ? end_node : plan.join);
    const node_index source = now_.branches[index].node;
    for (const node_index target : plan.targets) now_.actions.notify_edge(index, source, target, no_edge);
    const region_index at = now_.regions.add(index);
    now_.regions[at].join = plan.join;
    now_.regions[at].send(std::move(items));
    open(at);
}

void branch_flow::open(region_index at)
{
    const region& r = now_.regions[at];
    now_.actions.notify(action::notice_kind::branches_started, r.parent, r.source, r.size());
    now_.regions.open(at, now_.limits.in_flight_max);
}

bool branch_flow::start_some_branch()
{
    const region_index at = now_.regions.next_to_start();
    if (at == no_index) return false;
    const branch_index index = now_.regions.begin_branch(at);
    const region& r = now_.regions[at];
    const run_branch& t = now_.branches[index];
    if (const auto limit = now_.regions.timeout_of(t); limit.count() > 0)
        now_.actions.push(action::kind::arm_branch, index, limit);
    if (r.has_group(t.branch)) {
        const auto& group = r.groups[t.branch];
        fork(index, pooled_vector<node_index>(group.begin(), group.end()), true);
    } else {
        arrive(index, r.first_node_of(t.branch));
    }
    return true;
}

/** A branch of a fan-out has ended. */
void branch_flow::settle(branch_index index, branch_status status, failure_ptr cause)
{
    run_branch& t = now_.branches[index];
    const region_index at = t.region;
    region& r = now_.regions[at];
    bool is_enough = false;
    if (status == branch_status::succeeded && now_.regions.ends_plainly(t)) {
        now_.regions.end_plain(t);
    } else {
        if (status == branch_status::succeeded && (cause = now_.regions.refusal_of(index, is_enough))) {
            status = branch_status::failed;
            t.phase = branch_phase::choosing;  // its node has run, and what it wrote stays
            t.has_failed = false;
        }
        // When the whole run is stopped, what its nodes have completed is kept, branch by branch.
        now_.regions.end_branch(index, status, std::move(cause), now_.course.is_stopping());
    }
    if (now_.regions.timeout_of(t).count() > 0) now_.actions.push(action::kind::disarm_branch, index);
    if (now_.actions.gives_notices())
        now_.actions.notify(action::notice_kind::branch_ended, index, r.first_node_of(t.branch), t.branch);
    const bool has_succeeded = status == branch_status::succeeded;
    if (has_succeeded && r.succeeded == 1 && !r.broken_off.empty() && !may_fail(now_.graph(), r))
        forget_failed_branches(at);
    // A failure that is tolerated in any case is the end of its branch; others may fail the run, which goes on there.
    if (has_succeeded || now_.course.is_stopping() ||
        (status != branch_status::stopped && !may_fail(now_.graph(), r)))
        release(index);
    else
        break_off(index);
    // A success decides only where so many are enough.
    const bool may_decide = !has_succeeded || options_of(now_.graph(), r).on_failure.needed() > 0;
    if (is_enough || (may_decide && is_decided_by_policy(now_.graph(), r))) decide(at);
    close_if_settled(at);
}

void branch_flow::decide(region_index at)
{
    if (now_.regions[at].is_decided) return;
    now_.regions[at].is_decided = true;
    // Held open meanwhile: the last branch that stops at once must not close the region under the loop.
    ++now_.regions[at].running;
    for (branch_index t = 0; t < now_.branches.size(); ++t)
        if (now_.branches[t].phase != branch_phase::free && now_.branches[t].region == at) stop_branch(t);
    --now_.regions[at].running;
}

/** All branches have ended: the one that forked goes on at the join, or takes the failure up. */
void branch_flow::close(region_index at)
{
    region& r = now_.regions[at];
    frontier& where = now_.branches.where();
    const branch_index parent = r.parent;
    // What finished branches wrote is joined though the fan-out is stopped: their nodes have completed, and the
    // effects of these have happened.
    if (now_.branches[parent].is_stopping) {
        try {
            if (now_.course.is_stopping()) (void)now_.regions.join(at);
        } catch (const std::exception&) {
            where.is_degraded = true;  // a reducer that throws loses its own update; the stop goes on
        }
        r.is_decided = true;
        return stopped(parent);
    }
    // Branches of a failed fan-out stay broken off, for a resume that goes on within it; nothing is joined.
    if (failure_ptr cause = failure_of(now_.graph(), where, r)) {
        r.is_decided = true;
        return fail(parent, std::move(cause));
    }
    now_.branches[parent].fork = no_index;
    if (r.failed > 0) where.is_degraded = true;
    try {
        now_.branches[parent].set_branches(now_.regions.join(at));
    } catch (const std::exception& e) {
        release_region(at);
        return fail(parent, failure_at(now_.graph(), now_.branches[parent], errc::node_failed,
                                       std::string{"a reducer threw: "} + e.what()));
    }
    const node_index join = r.meeting_place();
    notify_written(action::notice_kind::branches_joined, parent, join, {});
    release_region(at);
    arrive(parent, join);
}

void branch_flow::fail(branch_index index, failure_ptr cause)
{
    if (now_.branches[index].region != no_index) return settle(index, branch_status::failed, std::move(cause));
    fail_run(std::move(cause));
}

/** The first branch has failed: all others stand where they failed or were stopped. */
void branch_flow::fail_run(failure_ptr cause)
{
    break_off(0);
    frontier& where = now_.branches.where();
    now_.course.note_unfinished(nodes_broken_off(now_.graph(), where));
    if (now_.restart.is_left()) now_.restart.mark_failed();
    merge_finished(now_.graph(), where);
    release(0);
    now_.course.fail(std::move(cause));
}

/** Keeps a branch that failed or was stopped: if its fan-out fails the run, a resume goes on with it. */
void branch_flow::break_off(branch_index index)
{
    mark_broken_off(now_.branches[index]);
    now_.branches.forget_lateness(index);
    const region_index at = now_.branches[index].region;
    if (at != no_index) now_.regions[at].broken_off.push_back(index);
}

/** Drops failed branches that no resume will need. */
void branch_flow::forget_failed_branches(region_index at)
{
    const std::vector<branch_status> statuses = statuses_of(now_.regions[at]);
    for (const branch_index index : std::exchange(now_.regions[at].broken_off, {})) {
        if (statuses[now_.branches[index].branch] == branch_status::stopped)
            now_.regions[at].broken_off.push_back(index);
        else
            release(index);
    }
}

void branch_flow::release_region(region_index at)
{
    for (const branch_index index : std::exchange(now_.regions[at].broken_off, {})) release(index);
    now_.regions.release(at);
}

void branch_flow::stopped(branch_index index)
{
    run_branch& t = now_.branches[index];
    const failure_ptr late = now_.branches.where().lateness_of(index);
    const bool is_wanted = t.region == no_index || !now_.regions[t.region].is_decided;
    if (late && t.is_leaving && is_wanted && now_.course.out_of_time() && !now_.course.is_stopping()) {
        t.is_stopping = false;
        now_.branches.forget_extras(index);
        return take_failure_edge(index, late);
    }
    if (t.region != no_index) return settle(index, late ? branch_status::timed_out : branch_status::stopped, late);
    release(index);
    now_.course.finish_stopped();
}

void branch_flow::stop_branch(branch_index index)
{
    run_branch& t = now_.branches[index];
    if (t.is_stopping || t.phase == branch_phase::free || t.phase == branch_phase::broken_off) return;
    t.is_stopping = true;
    switch (t.phase) {
    case branch_phase::ready: now_.ready.remove(index); return stopped(index);
    case branch_phase::waiting:
        // A pause has ended all waits already.
        if (!now_.course.is_pausing()) now_.actions.push(action::kind::stop_waiting, index);
        return stopped(index);
    case branch_phase::deciding:
    case branch_phase::running: unpark(index); return now_.actions.push(action::kind::stop_node, index);
    case branch_phase::forked: {
        const region_index fork = t.fork;
        decide(fork);
        return close_if_settled(fork);
    }
    case branch_phase::choosing:  // its predicates are being asked; `edge_chosen` comes next and stops it
    case branch_phase::broken_off:
    case branch_phase::free: return;
    }
}

std::size_t branch_flow::cancel_siblings(branch_index from, const branch_choice& which)
{
    const region_index at = now_.regions.region_meant(from, which);
    if (at == no_index || now_.regions[at].is_decided || now_.course.is_stopping()) return 0;
    const std::uint32_t own = now_.branches[from].branch;
    std::size_t count = 0;
    for (branch_index t = 0; t < now_.branches.size(); ++t) {
        const run_branch& sibling = now_.branches[t];
        if (sibling.phase == branch_phase::free || sibling.region != at || sibling.is_stopping) continue;
        if (sibling.branch == own || !now_.regions.is_meant(at, sibling.branch, which)) continue;
        ++count;
        stop_branch(t);
    }
    count += now_.regions.cancel_unstarted(at, own, which);
    if (count > 0) now_.changed(checkpoint_kind::node_start, now_.regions[at].source);
    return count;
}

void branch_flow::pause()
{
    if (!now_.course.pause()) return;
    for (branch_index t = 0; t < now_.branches.size(); ++t)
        if (now_.branches[t].phase == branch_phase::waiting) now_.actions.push(action::kind::stop_waiting, t);
}

void branch_flow::stop(failure_ptr cause)
{
    if (!now_.course.stop(std::move(cause))) return;
    now_.course.note_unfinished(nodes_under_way(now_.branches.where()));
    if (now_.restart.is_left() && !now_.course.was_cut_short()) now_.restart.mark();
    stop_branch(0);
}

}  // namespace weft
