#pragma once

#include <weft/async/task.hpp>
#include <weft/engine/checkpoint/thread_snapshot.hpp>
#include <weft/graph/node/command.hpp>
#include <weft/store/record/run_record.hpp>

#include <cstdint>
#include <optional>

namespace weft {

class run_claimer;
class run_driver;
class thread_reader;
struct durable_core;

/** Makes threads out of checkpoints, changes values of idle ones and forgets them.
 *
 *  @par Lifetimes   What it is made of outlives it, and it its tasks.
 */
class thread_editor {
public:
    thread_editor(durable_core& core, const thread_reader& reader, run_claimer& claimer, run_driver& driver) noexcept
        : core_{core}, reader_{reader}, claimer_{claimer}, driver_{driver}
    {
    }

    /** @par Errors  `thread_not_found`, `thread_is_busy`. */
    [[nodiscard]] task<thread_snapshot> fork(thread_key from, std::int64_t sequence, thread_key to,
                                             state_update edits);
    /** @param from   Where the thread goes back to; nothing: it stays at its newest checkpoint.
     *  @par Errors   `thread_not_found`, `thread_is_busy`. */
    [[nodiscard]] task<thread_snapshot> edit(thread_key thread, state_update edits,
                                             std::optional<std::int64_t> from = std::nullopt);
    /** @return   False if there was no such thread. */
    [[nodiscard]] task<bool> forget(thread_key thread);

private:
    [[nodiscard]] task<void> write_edit(write_fence fence, state_update edits, std::optional<std::int64_t> from);

    durable_core& core_;
    const thread_reader& reader_;
    run_claimer& claimer_;
    run_driver& driver_;
};

}  // namespace weft
