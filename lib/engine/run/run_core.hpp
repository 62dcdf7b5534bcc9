#pragma once

#include "engine/scheduler/scheduler.hpp"
#include "node_runner.hpp"
#include "stop_polling.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>
#include <weft/engine/run_request.hpp>
#include <weft/engine/run_result.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/node_context.hpp>

#include <chrono>
#include <memory>

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
struct run_core : ref_counted<run_core>, node_host, private ready_item {
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
    /** Begins the run if it has not begun, else goes on. */
    virtual void take_turn() = 0;

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

    weft::graph graph;
    serial_loop& loop;
    run_request request;
    std::unique_ptr<run_extras> extras;  ///< Null in most runs.
    weft::scheduler scheduler;
    time_point started;
    stop_polling stops;
    std::unique_ptr<run_identity> identity;  ///< Null until it is given, or asked for.
    std::unique_ptr<run_events> events;  ///< Null in a run that is not watched.
    [[no_unique_address]] node_runner nodes;  ///< What follows lies in its last bytes.
    bool has_begun = false;
    bool is_performing = false;  ///< What the scheduler has decided; stays so after the end.

private:
    void take_up();
    [[nodiscard]] frontier first_frontier();
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

private:
    run_core& run_;
};

}  // namespace weft
