#pragma once

#include "branch_flow.hpp"
#include "edge_choice.hpp"
#include "visit_gate.hpp"

#include <weft/engine/scheduler/run_status.hpp>
#include <weft/graph/node/command.hpp>

#include <memory>
#include <optional>

namespace weft {

/** Decides what a run does next. It touches no socket, timer, OS thread or clock: events in, actions out.
 *
 *  Usage: `while (auto next = scheduler.next()) perform(*next);` and, whenever something was reported, the same again.
 *
 *  An event changes the values of the `schedule` by way of `branch_flow`, which moves branches; `next` lets branches
 *  into their nodes by way of `visit_gate`, and decides when the frontier is saved.
 *
 *  Invariants: every branch ends; every join fires once or its region fails; no node starts after `finish`; a run makes
 *  at most `steps_max` node visits, and `steps_reserve` more on the ways out that its graph has for that.
 *
 *  @par Thread safety   None.
 *  @par Lifetimes       The graph outlives it.
 */
class scheduler {
public:
    /** @param from   A fresh frontier (no branches), or one that was kept: its running nodes start again. */
    scheduler(const graph& graph, frontier&& from, const schedule_limits& limits);
    /** Of a run that begins. @param values   Its state, which outlives it. */
    scheduler(const graph& graph, branch_state& values, const schedule_limits& limits) : now_{graph, values, limits}
    {
        flow().after_success(now_.branches.add());
    }
    /** The same of one that stands where `leave_place` of another one said. */
    scheduler(const graph& graph, branch_state& values, const schedule_limits& limits, resting_place&& at)
        : now_{graph, values, limits}
    {
        now_.branches.stand_at(std::move(at));
        now_.nodes.begin();
    }
    friend std::optional<resting_place> leave_place(scheduler& of);

    // Events. Each takes effect at once; what follows from it comes out of `next`.
    void node_succeeded(branch_index branch, write_set&& writes, const command& answer);
    /** It succeeded and asks for a branch for each item. */
    void node_sent(branch_index branch, write_set&& writes, sent_items&& items);
    /** A node that runs a graph was paused within it: it is not finished, and goes on from there. */
    void node_paused(branch_index branch, const std::shared_ptr<const frontier>& inner);
    /** @param uniform    A random number in [0, 1), for the jitter of a retry.
     *  @param may_retry  False if the node said itself that another attempt is of no use. */
    void node_failed(branch_index branch, failure_ptr cause, double uniform, bool may_retry = true);
    /** The node ended after `stop_node`; what it published survives if the whole run is being cancelled. */
    void node_stopped(branch_index branch, write_set&& writes);
    /** `chosen` is the conditional edge that holds, null if none does; `cause` set if a predicate threw. */
    void edge_chosen(branch_index branch, const graph_edge* chosen, failure_ptr cause);
    /** The target of an `llm` edge, or the fallback. */
    void decided(branch_index branch, node_index target);
    /** All that a running node does is wait for answers. */
    void node_parked(branch_index branch);
    /** It goes on. */
    void node_unparked(branch_index branch) { flow().unpark(branch); }
    /** It was taken down as `drop_node` asked, and is to start again. */
    void node_dropped(branch_index branch);
    /** Stops siblings of a running node's branch. @return  How many. */
    std::size_t cancel_branches(branch_index branch, const branch_choice& which)
    {
        return flow().cancel_siblings(branch, which);
    }
    void retry_due(branch_index branch);
    void branch_timed_out(branch_index branch);
    /** No further node starts; when the running ones have ended the run is paused. */
    void pause() { flow().pause(); }
    /** While it is held no further node starts; nothing else changes. */
    void hold(bool is_held) noexcept { now_.course.hold(is_held); }
    /** Everything stops; when it has, the run is cancelled, or failed with `cause` if there is one. */
    void stop(failure_ptr cause = nullptr) { flow().stop(std::move(cause)); }
    /** The time of the run is used up: see `visit_gate::run_out_of_time`. */
    void run_out_of_time(const failure_ptr& cause) { visit_gate{now_}.run_out_of_time(cause); }
    /** What `save` asked for is kept. */
    void saved() noexcept { now_.saves.saved(); }
    /** It is not, or nothing can be kept any more: everything stops, the run has failed with `cause`, and `save` is
     *  not asked for again. */
    void save_failed(failure_ptr cause);
    /** The frontier is not the one that was kept: it is saved before anything starts. */
    void changed(checkpoint_kind moment, node_index node) noexcept { now_.changed(moment, node); }

    /** Instead of `node_succeeded` for a node that `ends_straight` and has neither written nor answered anything. What
     *  follows is in the same slot: the next node of the branch, or behind its last one the next branch of its fan-out.
     *  @return  The node that has begun; null if nothing has happened: then the success is reported. */
    [[nodiscard]] friend const graph_node* walk_on(scheduler& of, branch_index branch)
    {
        return visit_gate{of.now_}.walk_on(branch);
    }
    /** The values of the notice that `next` of a scheduler gave out, if its kind has some. */
    [[nodiscard]] friend std::shared_ptr<const written_values> take_written(scheduler& of)
    {
        return of.now_.actions.take_written();
    }
    /** The next action, or nothing until a further event comes. */
    [[nodiscard]] std::optional<action> next();
    /** Fast path of `next`: if the next action is `start_node`, its branch; else `no_index`, and `next` is asked. */
    [[nodiscard]] branch_index start_next()
    {
        return now_.actions.is_empty() && !now_.saves.holds() ? visit_gate{now_}.next_start() : no_index;
    }

    /** How many nodes are under way, and what happens when only answers are missing. */
    [[nodiscard]] running_nodes& nodes() noexcept { return now_.nodes; }
    /** Whether all that is left of the run waits for answers. */
    [[nodiscard]] bool is_parked() const noexcept;
    /** From now on `notice` is wanted: the run has a watcher. */
    void give_notices() noexcept { now_.actions.give_notices(); }

    [[nodiscard]] const frontier& where() const noexcept { return now_.branches.where(); }
    /** The same, for what stands beside its branches, and to take it apart after `finish`. */
    [[nodiscard]] frontier& where() noexcept { return now_.branches.where(); }
    [[nodiscard]] const run_branch& at(branch_index index) const noexcept { return now_.branches[index]; }
    [[nodiscard]] branch_state& view_of(branch_index index) noexcept { return now_.branches.view_of(index); }
    /** The edges that `choose_edge` asks about. */
    [[nodiscard]] edge_choice choice_of(branch_index index) const
    {
        return {now_.graph(), now_.node_of(index), now_.branches[index].has_failed};
    }
    /** Whether the run goes on, stops or is over, and how it ended. */
    [[nodiscard]] const run_course& course() const noexcept { return now_.course; }
    /** Where a resume goes on. */
    [[nodiscard]] restart_point& restart() noexcept { return now_.restart; }

private:
    void take_up_branches();
    [[nodiscard]] bool complete(branch_index index, write_set&& writes);
    void go_on(branch_index index, const command& answer);
    void step_done(branch_index index, node_index node);
    [[nodiscard]] std::optional<save_gate::request> next_save();
    [[nodiscard]] bool settle_parked();

    [[nodiscard]] branch_flow flow() noexcept { return branch_flow{now_}; }

    schedule now_;
};

}  // namespace weft
