#pragma once

#include <weft/async/task.hpp>
#include <weft/engine/checkpoint/thread_snapshot.hpp>
#include <weft/engine/run_result.hpp>
#include <weft/store/record/run_record.hpp>

#include <cstdint>
#include <optional>

namespace weft {

struct durable_core;

/** Reads where a thread stands, and takes nothing over.
 *
 *  @par Lifetimes   The core outlives it, and it its tasks.
 */
class thread_reader {
public:
    explicit thread_reader(durable_core& core) noexcept : core_{core} {}

    /** @param sequence   Of the checkpoint; nothing: the newest.
     *  @par Errors  `thread_not_found`; those of `read_frontier`. */
    [[nodiscard]] task<thread_snapshot> read(thread_key thread, std::optional<std::int64_t> sequence) const;
    /** A checkpoint as a snapshot. */
    [[nodiscard]] task<thread_snapshot> snapshot_of(thread_key thread, checkpoint from) const;
    /** @par Errors  `thread_not_found`. */
    [[nodiscard]] task<checkpoint> require_checkpoint(thread_key thread, std::optional<std::int64_t> sequence) const;
    /** What the store knows of a run that is over or waits, wherever it ran. */
    [[nodiscard]] task<run_result> result_of(run_record record) const;
    /** Waits for what becomes of the run of a thread. @par Errors  `thread_not_found`. */
    [[nodiscard]] task<run_result> follow(thread_key thread) const;

private:
    [[nodiscard]] task<std::optional<run_id>> newest_run(thread_key thread) const;
    [[nodiscard]] task<std::optional<std::int64_t>> last_checkpoint_of(run_record record) const;

    durable_core& core_;
};

}  // namespace weft
