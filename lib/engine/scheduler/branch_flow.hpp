#pragma once

#include "edge_rules.hpp"
#include "schedule.hpp"

#include <cstddef>
#include <string>

namespace weft {

/** Moves the branches of a run: along edges, into fan-outs and out of them, to their end. What follows from one move,
 *  such as the join behind the last branch, is done before it returns; what the driver has to do is queued as actions.
 *
 *  @par Thread safety   None.
 *  @par Lifetimes       The schedule outlives it.
 */
class branch_flow {
public:
    explicit branch_flow(schedule& now) noexcept : now_{now} {}

    /** A branch waits for its turn to start its node. */
    void make_ready(branch_index index)
    {
        now_.branches[index].phase = branch_phase::ready;
        now_.ready.push(index);
    }
    /** Moves a branch into a node, to the join where it ends, or to the end. */
    void arrive(branch_index index, node_index target);
    /** Takes an edge as the only one, with the values that move along it. */
    void follow(branch_index index, const graph_edge& edge)
    {
        move_values(index, edge);
        take_edge(index, edge.target, edge.declared);
    }
    /** Its node has succeeded: conditions and a model are asked first, if there are any. */
    void after_success(branch_index index);
    /** The conditions of its node are answered: `chosen` holds, null: none does; or a model has chosen `by_llm`. */
    void take_success_route(branch_index index, const graph_edge* chosen, node_index by_llm = no_node);
    /** Its node has failed for good. */
    void after_failure(branch_index index, failure_ptr cause);
    void take_failure_edge(branch_index index, failure_ptr cause);
    /** A branch for each item. */
    void fork_items(branch_index index, sent_items&& items);
    /** An edge that was not declared, such as that of a command. */
    void take_edge(branch_index index, node_index target, std::uint32_t declared = no_edge)
    {
        now_.actions.notify_edge(index, now_.branches[index].node, target, declared);
        arrive(index, target);
    }

    /** Starts a branch of the oldest fan-out that may. @return False if there is none. */
    [[nodiscard]] bool start_some_branch();
    /** A branch ends where it is. */
    void end(branch_index index);
    /** A branch that was asked to stop has ended. */
    void stopped(branch_index index);
    /** Asks a branch and those within it to stop. */
    void stop_branch(branch_index index);
    /** Stops siblings of a branch. @return  How many. */
    [[nodiscard]] std::size_t cancel_siblings(branch_index index, const branch_choice& which);

    /** A parked node counts as running again. */
    void unpark(branch_index index)
    {
        run_branch& t = now_.branches[index];
        if (!t.is_parked) return;
        t.is_parked = false;
        now_.nodes.unpark();
    }
    void pause();
    void stop(failure_ptr cause);
    /** What a node wrote becomes part of the state. May throw as reducers do. */
    void commit(branch_index index, write_set&& writes);

private:
    void notify_written(action::notice_kind what, branch_index index, node_index node, write_set&& written);
    void fail(branch_index index, failure_ptr cause);
    void fail_run(failure_ptr cause);
    void move_values(branch_index index, const graph_edge& edge);
    void ask_conditions(branch_index index, bool has_failed);
    void notify_fired(branch_index index, const graph_edge* chosen, node_index by_llm);
    void fork(branch_index index, pooled_vector<node_index>&& targets, bool is_group = false);
    void open(region_index at);
    void settle(branch_index index, branch_status status, failure_ptr cause);
    void decide(region_index at);
    void close_if_settled(region_index at)
    {
        if (now_.regions.is_settled(at)) close(at);
    }
    void close(region_index at);
    void break_off(branch_index index);
    void forget_failed_branches(region_index at);
    void release(branch_index index)
    {
        if (const region_index within = now_.branches.release(index); within != no_index) release_region(within);
    }
    void release_region(region_index at);

    schedule& now_;
};

}  // namespace weft
