#include "scheduler.hpp"

#include "branch_failure.hpp"
#include "command_mistake.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace weft {

namespace {

/** Whether something is left that goes on without an answer. */
bool may_move(const frontier& where) noexcept
{
    return std::any_of(where.branches.begin(), where.branches.end(), [](const run_branch& t) {
        return t.phase == branch_phase::waiting || t.phase == branch_phase::choosing;
    });
}

/** By its name a checkpoint tells a failure from an end: one of the run itself is said of a node that was under way. */
save_gate::request save_of_end(const run_course& course, const graph& of)
{
    save_gate::request end{checkpoint_kind::finish, no_node};
    if (course.status() == run_status::paused) end.moment = checkpoint_kind::pause;
    if (course.status() == run_status::cancelled) end.moment = checkpoint_kind::cancel;
    if (!course.why()) return end;
    end.node = of.find(course.why()->node);
    if (end.node == no_node && !course.unfinished().empty()) end.node = course.unfinished().front();
    return end;
}

}  // namespace

scheduler::scheduler(const graph& graph, frontier&& from, const schedule_limits& limits)
    : now_{graph, std::move(from), limits}
{
    if (now_.branches.size() == 0)
        flow().after_success(now_.branches.add());
    else
        take_up_branches();
}

/** Takes branches up where a kept frontier left them: what ran or waited starts again, with its branch's whole time,
 *  and what was chosen is chosen anew. Those that were stopping end only when all others stand: they may stop them. */
void scheduler::take_up_branches()
{
    const branch_index size = now_.branches.size();
    std::vector<branch_index> stopping;
    for (branch_index index = 0; index < size; ++index) {
        run_branch& t = now_.branches[index];
        t.is_parked = false;
        if (t.phase == branch_phase::free || t.phase == branch_phase::broken_off) continue;
        if (t.region != no_index)
            if (const auto limit = now_.regions.timeout_of(t); limit.count() > 0)
                now_.actions.push(action::kind::arm_branch, index, limit);
        if (t.phase == branch_phase::deciding) t.phase = branch_phase::choosing;
        if (t.phase == branch_phase::forked || t.phase == branch_phase::choosing) continue;
        // What was cut short is no attempt: the same number starts again, and with it the same keys of effects.
        if (t.phase == branch_phase::running && t.attempt > 0) --t.attempt;
        t.phase = branch_phase::ready;
        if (t.is_stopping)
            stopping.push_back(index);
        else
            now_.ready.push(index);
    }
    for (const branch_index index : stopping) flow().stopped(index);
    for (branch_index index = 0; index < size; ++index) {
        const run_branch& t = now_.branches[index];
        if (t.phase != branch_phase::choosing) continue;
        if (t.has_failed)
            flow().after_failure(index, t.previous());
        else
            flow().after_success(index);
    }
    const auto& branches = where().branches;
    const auto is_free = [](const run_branch& t) { return t.phase == branch_phase::free; };
    if (std::all_of(branches.begin(), branches.end(), is_free)) now_.course.finish(run_status::finished);
}

void scheduler::node_succeeded(branch_index index, write_set&& writes, const command& answer)
{
    run_branch& t = now_.branches[index];
    const node_index at = t.node;
    const graph_node& node = now_.graph().node(at);
    // Fast path. A node without conditions, writes, extras, saves or notices needs none of the steps below; they would
    // come to the same.
    if (node.ends_plainly && answer.which() == command::kind::next && writes.empty() && !t.is_stopping &&
        !where().extras && !now_.saves.saves_steps() && !now_.actions.gives_notices()) {
        now_.nodes.end();
        t.past.reset();
        return flow().arrive(index, node.only_next);
    }
    if (!complete(index, std::move(writes))) return changed(checkpoint_kind::node_complete, at);
    if (answer.which() == command::kind::next) flow().after_success(index);
    else go_on(index, answer);
    // A step is saved when its branch has moved on; one that is choosing does so in `edge_chosen`.
    if (now_.branches[index].phase != branch_phase::choosing) step_done(index, at);
}

/** Takes over what a node that succeeded wrote. @return False if it was stopped or its writes could not be taken. */
bool scheduler::complete(branch_index index, write_set&& writes)
{
    now_.nodes.end();
    run_branch& t = now_.branches[index];
    if (t.is_stopping) {
        flow().stopped(index);
        return false;
    }
    now_.branches.forget_extras(index);
    t.past.reset();
    t.is_counted = false;
    const graph_node& node = now_.graph().node(t.node);
    if (node.keeps_outputs) now_.branches.keep_outputs(t.node, writes);
    if (node.observes_writes) node.observed->note(writes);
    if (pauses_at(node, pause_point::after)) pause();
    try {
        flow().commit(index, std::move(writes));
    } catch (const std::exception& e) {
        flow().take_failure_edge(index, failure_at(now_.graph(), t, errc::node_failed,
                                                  std::string{"a reducer threw: "} + e.what()));
        return false;
    }
    return true;
}

/** A branch goes where its node's command says. */
void scheduler::go_on(branch_index index, const command& answer)
{
    const graph_node& node = now_.node_of(index);
    if (names_a_place(answer))
        if (auto wrong = mistake_of(now_.graph(), node, answer))
            return flow().take_failure_edge(
                index, failure_at(now_.graph(), now_.branches[index], wrong->code, std::move(wrong->text)));
    switch (answer.which()) {
    case command::kind::next: return flow().after_success(index);
    case command::kind::end: return flow().arrive(index, end_node);
    case command::kind::again: return flow().make_ready(index);
    case command::kind::fail:
        return flow().after_failure(
            index, failure_at(now_.graph(), now_.branches[index], errc::node_failed, std::string{answer.text()}));
    case command::kind::label: return flow().follow(index, *labelled_edge_of(now_.graph(), node, answer.text()));
    case command::kind::fan_out:  // comes with its items, by `node_sent`
    case command::kind::go_to: break;
    }
    flow().take_edge(index, now_.graph().find(answer.text()));
}

/** A node has completed and its branch has moved on. */
void scheduler::step_done(branch_index index, node_index node)
{
    if (!now_.saves.saves_steps()) return;
    if (now_.saves.holds()) return changed(checkpoint_kind::node_complete, node);
    if (now_.course.is_over()) return;
    where().settle(now_.graph());
    now_.actions.push(action::kind::save, index);
}

void scheduler::node_sent(branch_index index, write_set&& writes, sent_items&& items)
{
    const node_index node = now_.branches[index].node;
    if (!complete(index, std::move(writes))) return changed(checkpoint_kind::node_complete, node);
    flow().fork_items(index, std::move(items));
    step_done(index, node);
}

void scheduler::node_paused(branch_index index, const std::shared_ptr<const frontier>& inner)
{
    now_.nodes.end();
    run_branch& t = now_.branches[index];
    if (t.is_stopping) return flow().stopped(index);
    // Where the graph inside stands is a part of this checkpoint: a resume begins the node again, and the node its
    // graph from there.
    now_.restart.note_inner(index, inner);
    changed(checkpoint_kind::node_complete, t.node);
    --t.attempt;
    flow().make_ready(index);
    pause();
}

void scheduler::node_failed(branch_index index, failure_ptr cause, double uniform, bool may_retry)
{
    now_.nodes.end();
    run_branch& t = now_.branches[index];
    const node_index node = t.node;
    if (t.is_stopping) {
        flow().stopped(index);
        return changed(checkpoint_kind::node_complete, node);
    }
    const retry_policy& retry = now_.graph().node(node).options->retry;
    // Answers that cannot be right, such as a label that no edge has, are not retried.
    if (!may_retry || !retry.retries_after(static_cast<int>(t.attempt), cause->code)) {
        t.is_counted = false;
        t.set_branches(nullptr);
        flow().after_failure(index, std::move(cause));
        return changed(checkpoint_kind::node_complete, node);
    }
    now_.branches.forget_extras(index);
    t.set_previous(std::move(cause));
    t.phase = branch_phase::waiting;
    ++where().retries;
    const auto delay = retry.delay_before(static_cast<int>(t.attempt) + 1, uniform);
    now_.actions.notify(action::notice_kind::node_retried, index, node, t.attempt + 1);
    changed(checkpoint_kind::node_start, node);
    // A run that pauses does not wait for a retry: the resume makes it at once.
    if (!now_.course.is_pausing()) now_.actions.push(action::kind::wait, index, delay);
}

void scheduler::retry_due(branch_index index)
{
    if (now_.course.is_over()) return;  // its end is being saved
    if (now_.branches[index].phase == branch_phase::waiting) flow().make_ready(index);
}

void scheduler::node_stopped(branch_index index, write_set&& writes)
{
    now_.nodes.end();
    changed(checkpoint_kind::node_complete, now_.branches[index].node);
    if (now_.course.is_stopping()) {
        // A stopped node has completed nothing; what it has published was meant to count at once.
        erase_if(writes, [](const state_write& w) { return !w.is_published; });
        try {
            now_.restart.add_published(index, writes);
            // Into its branch, whose older work joins the run's state with it; that of a branch that is late does not.
            const bool is_late = where().lateness_of(index) != nullptr;
            if (!writes.empty())
                (is_late ? *where().root : now_.branches.own_state_of(index)).commit(std::move(writes));
        } catch (const std::exception&) {
            where().is_degraded = true;  // a reducer that throws loses its own update; the stop goes on
        }
    }
    flow().stopped(index);
}

void scheduler::branch_timed_out(branch_index index)
{
    const run_branch& t = now_.branches[index];
    const bool has_ended = t.phase == branch_phase::free || t.phase == branch_phase::broken_off;
    if (now_.course.is_over() || has_ended || t.is_stopping || t.region == no_index) return;
    const std::string first{now_.graph().name_of(now_.regions[t.region].first_node_of(t.branch))};
    now_.branches.note_late(index, failure_at(now_.graph(), t, errc::branch_timeout,
                                              "its branch began at '" + first +
                                                  "'; raise the fan-out's `branch_timeout` if it needs longer"));
    changed(checkpoint_kind::node_complete, t.node);
    flow().stop_branch(index);
}

void scheduler::edge_chosen(branch_index index, const graph_edge* chosen, failure_ptr cause)
{
    run_branch& t = now_.branches[index];
    const node_index node = t.node;
    if (t.is_stopping) return flow().stopped(index);
    if (t.has_failed && chosen && !cause) {
        now_.branches.forget_extras(index);
        where().is_degraded = true;
        flow().follow(index, *chosen);
    } else if (t.has_failed) {
        flow().take_failure_edge(index, t.previous());  // the first failure is the one that counts
    } else if (cause) {
        flow().take_failure_edge(index, std::move(cause));
    } else {
        flow().take_success_route(index, chosen);
    }
    step_done(index, node);
}

void scheduler::decided(branch_index index, node_index target)
{
    now_.nodes.end();
    if (now_.branches[index].is_stopping) return flow().stopped(index);
    const node_index node = now_.branches[index].node;
    flow().take_success_route(index, nullptr, target);
    step_done(index, node);
}

void scheduler::node_parked(branch_index index)
{
    run_branch& t = now_.branches[index];
    if (t.phase != branch_phase::running || t.is_parked || t.is_stopping || now_.course.is_over()) return;
    t.is_parked = true;
    now_.nodes.park();
}

void scheduler::node_dropped(branch_index index)
{
    now_.nodes.end();
    run_branch& t = now_.branches[index];
    if (t.is_stopping) return flow().stopped(index);
    --t.attempt;
    flow().make_ready(index);
}

bool scheduler::is_parked() const noexcept
{
    const bool has_rest = !now_.ready.is_empty() || !now_.actions.is_empty() || now_.saves.has_unsaved();
    return now_.nodes.are_parked() && !now_.course.is_pausing() && !now_.course.is_over() && !has_rest &&
           !now_.saves.is_saving() && !may_move(where());
}

/** Nothing runs but nodes that wait for answers. @return True if something follows from that. */
bool scheduler::settle_parked()
{
    if (now_.course.is_held() || now_.course.is_over() || !now_.nodes.are_parked()) return false;
    if (!now_.course.is_pausing()) {
        if (!now_.nodes.is_rule_due() || may_move(where())) return false;
        if (!now_.nodes.apply_rule()) {
            now_.actions.push(action::kind::all_parked, no_index);
            return true;
        }
        pause();
    }
    for (branch_index index = 0; index < now_.branches.size(); ++index) {
        if (!now_.branches[index].is_parked) continue;
        flow().unpark(index);  // until it is taken down
        now_.actions.push(action::kind::drop_node, index);
    }
    return true;
}

std::optional<action> scheduler::next()
{
    for (;;) {
        // In this order: what was decided is done before anything new starts, and a save before what it must hold up.
        if (!now_.actions.is_empty()) return now_.actions.take();
        if (now_.course.is_over() && !now_.saves.awaits_end()) {
            if (now_.course.is_reported()) return std::nullopt;
            now_.course.report();
            return action{};  // `finish`
        }
        const bool has_paused = now_.course.is_pausing() && now_.nodes.running() == 0;
        if (now_.saves.holds()) {
            if (const auto save = next_save()) {
                action next{};
                next.what = action::kind::save;
                next.node = save->node;
                next.moment = save->moment;
                return next;
            }
            if (now_.saves.is_saving() && !has_paused) return std::nullopt;
        }
        if (now_.course.is_over()) return std::nullopt;
        if (const branch_index index = visit_gate{now_}.next_start(); index != no_index) {
            action start{};
            start.what = action::kind::start_node;
            start.branch = index;
            start.node = now_.branches[index].node;
            return start;
        }
        if (!now_.actions.is_empty() || now_.course.is_over() || settle_parked()) continue;
        if (!now_.course.is_pausing() || now_.nodes.running() > 0) return std::nullopt;
        now_.course.note_unfinished(nodes_under_way(where()));
        now_.course.finish(run_status::paused);
    }
}

/** What is to be kept now, if anything. */
std::optional<save_gate::request> scheduler::next_save()
{
    save_gate& saves = now_.saves;
    const run_course& course = now_.course;
    std::optional<save_gate::request> save;
    // Where a pause finds the run is kept by the save of the end.
    const bool has_paused = course.is_pausing() && now_.nodes.running() == 0;
    if (course.is_over()) {
        if (saves.begin_end()) save = save_of_end(course, now_.graph());
    } else if (!course.is_stopping() && !has_paused) {
        save = saves.begin_step();
        const bool may_start = !save && saves.is_start_due() && !course.is_pausing();
        const node_index node = may_start ? visit_gate{now_}.next_node() : no_node;
        if (node != no_node) save = saves.begin_start(node);
    }
    if (!save) return save;
    // Starts that follow a save happen in an order that the frontier tells, so that a resume from it counts the visits
    // of its branches in the same way: effects are known by their visit.
    now_.ready.sort();
    now_.regions.sort();
    where().settle(now_.graph());
    return save;
}

void scheduler::save_failed(failure_ptr cause)
{
    run_course& course = now_.course;
    if (course.is_reported()) return;
    const bool was_end = now_.saves.give_up();
    now_.restart.forget_save();
    if (course.is_over()) {
        if (was_end) course.fail_end(std::move(cause));
        return;
    }
    if (course.is_stopping()) return course.note_cause(std::move(cause));
    stop(std::move(cause));
}

}  // namespace weft
