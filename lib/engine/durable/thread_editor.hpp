#pragma once

#include <weft/async/task.hpp>
#include <weft/engine/checkpoint/thread_snapshot.hpp>
#include <weft/graph/node/command.hpp>
#include <weft/store/record/run_record.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace weft {

class checkpoint_writer;
class run_claimer;
class run_driver;
class thread_questions;
class thread_reader;
struct durable_core;
struct frontier;

/** Makes threads out of checkpoints, changes values of those that no run is under way in, and
 *  forgets them.
 *
 *  @par Lifetimes   What it is made of outlives it, and it its tasks.
 */
class thread_editor {
public:
    thread_editor(durable_core& core, const thread_reader& reader, const thread_questions& questions,
                  run_claimer& claimer, run_driver& driver) noexcept
        : core_{core}, reader_{reader}, questions_{questions}, claimer_{claimer}, driver_{driver}
    {
    }

    /** @par Errors  `thread_not_found`, `thread_is_busy`. */
    [[nodiscard]] task<thread_snapshot> fork(thread_key from, std::int64_t sequence, thread_key to,
                                             state_update edits);
    /** @param from   Where the thread goes back to; nothing: it stays at its newest checkpoint.
     *  @par Errors   `thread_not_found`, `thread_is_busy`. */
    [[nodiscard]] task<thread_snapshot> edit(thread_key thread, state_update edits,
                                             std::optional<std::int64_t> from = std::nullopt);
    /** Makes the first checkpoint of a thread, without a run. @par Errors  As `edit`. */
    [[nodiscard]] task<thread_snapshot> begin(thread_key thread, std::string graph, state_update values);
    /** @return   False if there was no such thread. */
    [[nodiscard]] task<bool> forget(thread_key thread);

private:
    [[nodiscard]] task<write_fence> write_edit(write_fence fence, state_update edits,
                                               std::optional<std::int64_t> from);
    [[nodiscard]] task<write_fence> write_first(write_fence fence, std::string graph, state_update values);
    [[nodiscard]] task<write_fence> save(write_fence fence, checkpoint_writer writer, frontier at,
                                         state_update edits);
    [[nodiscard]] task<void> release_after(write_fence fence, task<write_fence> write,
                                           std::optional<run_outcome> waits);
    [[nodiscard]] task<write_fence> hold(thread_key thread, std::string graph, std::string metadata);
    [[nodiscard]] task<bool> edit_waiting(run_record waiting, state_update edits);

    durable_core& core_;
    const thread_reader& reader_;
    const thread_questions& questions_;
    run_claimer& claimer_;
    run_driver& driver_;
};

}  // namespace weft
