#pragma once

#include "node_run.hpp"

#include <weft/engine/run_request.hpp>

#include <chrono>
#include <cstddef>
#include <exception>

namespace weft {

class plain_stage;
struct run_core;

/** Runs the nodes of a run, plain ones and coroutines, and the models that choose a route. What a node's end means for
 *  the run is in `node_reports`.
 *
 *  Invariant: a coroutine has a `node_run` under its branch from its start to its end; a plain node has none.
 *
 *  @par Thread safety   None: on the run's loop only.
 *  @par Lifetimes       The run owns it, and destroys the nodes before anything that they use.
 */
class node_runner {
public:
    explicit node_runner(run_core& core) noexcept;
    node_runner(const node_runner&) = delete;
    node_runner& operator=(const node_runner&) = delete;

    /** Starts the node of a branch, and as long as each ends at once and bare the nodes that follow in its slot.
     *  @param left  How many may start, at least one; less by those that have started. */
    void start(branch_index branch, int& left);
    /** Asks a model for the next edge of a branch's node. */
    void decide(branch_index branch);
    /** Goes on with the writes of a node that has ended, in turns of the loop; the node is at work until it is done. */
    void amend(branch_index branch, node_context& ended, command&& answer, run_request::writes_rest rest);
    /** Asks a coroutine to stop that the scheduler has not let go on. */
    void stop(branch_index branch);
    void destroy(branch_index branch);
    void destroy_all();
    /** Whether no coroutine runs. */
    [[nodiscard]] bool is_idle() const noexcept { return !first_ && others_.empty(); }
    /** Plain nodes run on this stage until the next call; null: none runs. */
    void enter(plain_stage* stage) noexcept { stage_ = stage; }

    /** The coroutine of a branch; null if none runs. */
    [[nodiscard]] node_run* find(branch_index branch) const noexcept
    {
        if (branch == 0) return first_;
        return branch <= others_.size() ? others_[branch - 1] : nullptr;
    }
    /** The branch of a running node. */
    [[nodiscard]] branch_index branch_of(const node_context& context) const noexcept;
    /** The coroutine of a running node. @par Errors  `invalid_configuration`: it is a plain node. */
    [[nodiscard]] node_run& work_of(const node_context& context) const;

    /** A node has said something, or a graph within one has moved: the nodes around it are not idle. */
    void note_progress(branch_index branch);
    /** As `note_progress`, where it matters to a node or to a run around this one. */
    void note_output(const node_context& from);
    /** A node has held the loop for so long. */
    void note_step(const node_context& node, std::chrono::nanoseconds held);

    /** The loop's turn has ended: the time of those begins that wait since then. @return  Whether a time counts. */
    bool begin_times();
    /** Ends the time of those whose deadline has come, and finds the next deadline. The run may end here. */
    void end_times_due();

    // Events of a `node_run`.
    /** It has so much time from now on. The run wakes up at the earliest deadline of all nodes, or before it: that of a
     *  node which has ended stays, since most nodes end long before, and the next one has a later deadline.
     *  @return  The deadline. */
    [[nodiscard]] time_point note_time(std::chrono::nanoseconds left);
    /** When so much time will have passed, at least to the next tick: a node whose grace is zero still gets the turn in
     *  which it may stop. */
    [[nodiscard]] time_point deadline_after(std::chrono::nanoseconds left) const noexcept;
    /** Sets the wake-up anew, after a deadline has gone for which it may be set. @return  Whether there is one. */
    bool find_deadline();
    /** How long the node of a branch may run; 0: without a limit. */
    [[nodiscard]] std::chrono::nanoseconds limit_of(branch_index branch) const noexcept;
    void ended(node_run& ended);
    void timed_out(node_run& late);
    /** A coroutine that did not stop is destroyed next: what it runs inside can still be asked where it stands. */
    void will_be_destroyed();
    void did_not_stop(node_run& stuck);

    /** Memory for a `node_run`: within the run for one at a time, so that what waits lies together; else a block. */
    [[nodiscard]] void* take_place();
    void give_back(void* place) noexcept;

private:
    [[nodiscard]] node_run& make(branch_index branch);
    [[nodiscard]] node_run*& place_of(branch_index branch);
    [[nodiscard]] branch_index places() const noexcept { return 1 + static_cast<branch_index>(others_.size()); }
    [[nodiscard]] branch_index find_place(const node_context& context) const noexcept;
    [[nodiscard]] const graph_node* start_coroutine(branch_index branch, const graph_node& node, bool may_go_on);
    [[nodiscard]] bool ends_bare(const node_run& ended) const noexcept;
    void report_end(node_run& ended);
    void report_decision(node_run& ended);
    [[nodiscard]] std::chrono::nanoseconds stop_grace() const;
    [[nodiscard]] std::chrono::nanoseconds timeout_of(const graph_node& node) const;

    run_core& core_;
    plain_stage* stage_ = nullptr;     // while the run performs
    node_run* first_ = nullptr;        // of branch 0, the only one of most runs; null while no coroutine runs there
    pooled_vector<node_run*> others_;  // of branch 1 and so on
    alignas(node_run) std::byte place_[sizeof(node_run)];
    bool is_place_taken_ = false;
    bool has_idle_limits_ = false;     // of nodes that were started
};

}  // namespace weft
