#pragma once

#include "engine/rest/resting_scheduler.hpp"
#include "node_runner.hpp"
#include "run_access.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/loop/timed_item.hpp>
#include <weft/base/memory/local_count.hpp>
#include <weft/engine/run/run_waiter.hpp>
#include <weft/engine/run_request.hpp>
#include <weft/engine/run_result.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/node_context.hpp>

#include <chrono>
#include <memory>
#include <utility>

namespace weft {

class run_events;
struct run_extras;

/** What the members of a run share: its graph and request, where it stands, and how it goes on.
 *
 *  A member reports to `scheduler` what happened and calls `go_on`, which performs what follows.
 *
 *  @par Thread safety   None: on its loop only.
 *  @par Lifetimes       Base of `run`. A member that uses the run after `go_on` holds a count, since the run may end
 *                       there.
 */
struct run_core : locally_counted<run_core>, node_host, private timed_item {
    run_core(weft::graph graph, serial_loop& loop, run_request&& request);
    virtual ~run_core();

    /** Performs what the scheduler has decided; possibly the end of the run. Does nothing before the run has begun,
     *  while it performs already, and after its end. */
    void go_on()
    {
        if (has_begun) take_turn();
    }
    /** Lets the loop do what `go_on` does, for callers that a coroutine of the run may have called. */
    void go_on_soon();

    // The run has one item of its loop. It is in the ready queue for a turn of the run, or waits for the end of the
    // loop's turn, or is armed for the earliest deadline of a node; what comes first looks at the deadlines.
    /** The run wakes up at `deadline`, or before it. */
    void wake_until(time_point deadline)
    {
        if (!is_queued() && (!is_armed() || deadline < timed_item::deadline())) arm_at(loop, deadline);
    }
    /** The same of a time from now on, of a run that does not wake up by itself. @return  False: it does. */
    [[nodiscard]] bool wake_after(std::chrono::nanoseconds left)
    {
        if (is_armed() || is_queued()) return false;
        arm_after(loop, left);
        return true;
    }
    /** When it wakes up. */
    using timed_item::deadline;
    /** A node waits whose time begins at the end of the loop's turn, if it waits then: most waits that end at once
     *  cost no look at the clock. @return  False: it begins now. */
    [[nodiscard]] bool begin_times_later() noexcept
    {
        if (is_time_open || is_armed() || is_queued()) return is_time_open;
        return is_time_open = loop.defer_to_turn_end(*this);
    }
    /** It does not wake up for a deadline. */
    void forget_wake_up() noexcept
    {
        disarm(loop);
        if (std::exchange(is_time_open, false)) unlink();
    }
    /** Begins the run if it has not begun, else goes on. */
    virtual void take_turn() = 0;

    /** What decides how the run goes on. References to it end where the run waits: see `rest`. */
    [[nodiscard]] weft::scheduler& scheduler()
    {
        weft::scheduler* const awake = scheduler_.get();
        return awake ? *awake : wake_scheduler();
    }
    // Not a cast of something const: this object is not.
    [[nodiscard]] const weft::scheduler& scheduler() const { return const_cast<run_core*>(this)->scheduler(); }

    /** The run waits, possibly for long, and is written down in little where that is possible. */
    void rest()
    {
        // What performs has the scheduler in its hands, also where a node turns the loop itself.
        if (!is_performing && !extras && !events && run_request_access::asks_nothing(request)) scheduler_.rest();
    }

    /** What only some runs have; made when it is first asked for. */
    [[nodiscard]] run_extras& extra();
    /** The run around the runs within nodes that lead to this one; the run itself if it is in no node. */
    [[nodiscard]] run_core& outermost() noexcept;
    [[nodiscard]] const run_core& outermost() const noexcept;
    /** Which run this is. An identity is made when one is first asked for: most runs are not watched, and end before
     *  they need one. */
    [[nodiscard]] const run_identity& identity_at(time_point now);
    /** The id alone, of a run that ends: it is not kept. */
    [[nodiscard]] run_id last_id_at(time_point now) const
    {
        return identity ? identity->id : loop.next_id<run_id>(now);
    }

    /** How long the run has run, with what it had run before it was resumed; pauses are left out. */
    [[nodiscard]] std::chrono::nanoseconds elapsed() const noexcept;
    [[nodiscard]] std::chrono::nanoseconds elapsed_before() const noexcept;
    /** Writes what the run has used so far into the frontier, before that is saved or given out. */
    void note_used();
    /** Keeps where the run stands: in its store, and by its `on_save`. A save that fails stops the run, since nothing
     *  may build on what is not kept. */
    void save(const action& next);

    bool has_begun = false;      // these lie in the last bytes of the item
    bool is_performing = false;  ///< What the scheduler has decided; stays so after the end.
    bool is_turn_due = false;    ///< The item was queued for one.
    bool is_time_open = false;   ///< The item waits for the end of the loop's turn.
    bool is_waiting = false;     ///< It is counted as work of the loop, and keeps itself.
    weft::graph graph;
    serial_loop& loop;
    run_request request;
    std::unique_ptr<run_extras> extras;  ///< Null in most runs.
    branch_state values;  ///< The state. A run that goes on from a frontier has none here: that one has it.
    time_point started;
    run_waiter* waiter = nullptr;  ///< Null before the run begins and after its end.
    std::unique_ptr<run_identity> identity;  ///< Null until it is given, or asked for.
    std::unique_ptr<run_events> events;  ///< Null in a run that is not watched.
    resting_scheduler scheduler_;
    node_runner nodes;

private:
    void wake_up();
    void take_up();
    [[nodiscard]] resting_scheduler first_scheduler();
    void take_input(branch_state& into);
    [[nodiscard]] weft::scheduler& wake_scheduler();
};

/** A run that has ended, which becomes its result where that is wanted: the result is large, and is made there instead
 *  of being moved.
 *
 *      const run_result result = ended;
 *
 *  @par Lifetimes       Refers to the run.
 */
class ended_run {
public:
    explicit ended_run(run_core& of) noexcept : run_{of} {}

    operator run_result() const { return take(); }
    /** What became of the run; state and trail go over to the result. Once. */
    [[nodiscard]] run_result take() const;
    /** Why it failed; null if it did not. */
    [[nodiscard]] const failure_ptr& why() const noexcept;
    /** Whether it failed at a limit of steps that is told by an exception. */
    [[nodiscard]] bool throws() const noexcept;

private:
    run_core& run_;
};

}  // namespace weft
