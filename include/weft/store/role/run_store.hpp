#pragma once

#include <weft/async/task.hpp>
#include <weft/store/record/run_record.hpp>
#include <weft/store/record/thread_key.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** Keeps runs, and decides which worker may write a thread.
 *
 *  A run goes from `enqueue` through `claim` to `finish`. A claim carries a fence, which every write names.
 *
 *  Errors, cancellation, thread safety and lifetimes are those of `checkpoint_store`.
 */
class run_store {
public:
    virtual ~run_store() = default;

    /** Enters a run. A thread has one active run at a time: ready, running or waiting, or queued until its moment. A
     *  run that waits counts as active for `reject` and `queue`; `replace` ends it as cancelled. */
    [[nodiscard]] virtual task<run_admission> enqueue(new_run run) = 0;
    /** Takes up to `max` ready runs that the worker can run (`worker_entry::graphs`) and no limit holds back
     *  (`queue_rules`). Tenants are served in turn, each with as many runs as its weight; of a tenant the oldest first,
     *  where a higher priority counts as a head start (`priority_head_start`). A run whose moment
     *  (`new_run::not_before`) has come is ready, by the clock of the store. At most one of them is a suspect
     *  (`run_record::is_suspect`), out of turn, and none while the worker has one; a suspect that has cost a second
     *  worker is taken while no worker has another. */
    [[nodiscard]] virtual task<std::vector<run_claim>> claim(worker_id worker, std::size_t max) = 0;
    /** Takes a run that waits, to resume it, or one that is ready.
     *  @return Nothing if the run is over, unknown, queued, another worker has it, the worker cannot run it, or it is a
     *          suspect that `claim` would not take now. One that a limit is for is left to `claim`: it is ready, if it
     *          waited. */
    [[nodiscard]] virtual task<std::optional<run_claim>> resume(worker_id worker, run_id run) = 0;
    /** Gives a run back: it is over, or it waits. The next queued run of the thread becomes ready when it is over. One
     *  that waits for answers is ready instead if they are there (`run_outcome::for_answers_below`), unless it is asked
     *  to pause. */
    [[nodiscard]] virtual task<write_state> finish(write_fence fence, run_outcome outcome) = 0;
    /** From now on only workers that can run this revision of its graph get the run: the one that holds it cannot.
     *  Empty: all that can run the graph. `new_run::revision` is what it replaces; at most as long. */
    [[nodiscard]] virtual task<write_state> bind(write_fence fence, std::string revision) = 0;
    /** Gives another input to a run that no worker has: the next claim has it. `new_run::input` is what it replaces.
     *  @return Whether it is there: not if a worker has the run, or it is over or unknown. */
    [[nodiscard]] virtual task<bool> change_input(thread_key thread, run_id run, std::string input) = 0;
    /** Gives a run back unfinished, for the next `claim` of any worker; its attempt does not count. */
    [[nodiscard]] virtual task<write_state> yield(write_fence fence) = 0;
    /** Asks the active run of a thread to pause or cancel. A run without a worker is cancelled at once, also one that
     *  begins to wait with the request open; a pause is done with when the run waits. A stronger signal stays.
     *  @return The run; nothing if none is active. */
    [[nodiscard]] virtual task<std::optional<run_id>> signal(thread_key thread, run_signal what) = 0;
    /** The run as it stands, also when it is over; nothing if it is unknown or forgotten. */
    [[nodiscard]] virtual task<std::optional<run_record>> find_run(run_id run) = 0;
    /** The thread's run that is ready, running or waiting, or queued until its moment. */
    [[nodiscard]] virtual task<std::optional<run_record>> active_run(thread_key thread) = 0;
};

}  // namespace weft
