#pragma once

#include <weft/async/task.hpp>
#include <weft/store/record/run_record.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace weft {

struct durable_core;

/** Enters runs into the store and takes them for this process, so that a lost answer loses no run.
 *
 *  @par Lifetimes   The core outlives it, and it its tasks.
 */
class run_claimer {
public:
    explicit run_claimer(durable_core& core) noexcept : core_{core} {}

    /** Enters a run. A second try after an answer that was lost finds what the first one did. */
    [[nodiscard]] task<run_admission> admit(new_run entry);
    /** Takes a run that is ready or waits; nothing if another process is quicker. */
    [[nodiscard]] task<std::optional<run_claim>> take(run_id run);
    /** Takes the active run of a thread, if it waits, or was left in its middle until a worker comes. Others that are
     *  ready begin at any moment elsewhere. */
    [[nodiscard]] task<std::optional<run_claim>> take_idle(thread_key thread);
    /** Takes runs that are ready, at most so many. If the answer is lost, this worker has unknown runs. */
    [[nodiscard]] task<std::vector<run_claim>> claim(std::size_t runs_max);

    /** The run of a thread if it is left over and has to wait, since this worker tries another suspect; or nil. */
    [[nodiscard]] task<run_id> held_back_run(thread_key thread);
    /** A run that goes on where the last one of an idle thread failed, was cancelled or died; none if that one came to
     *  its end. */
    [[nodiscard]] task<std::optional<new_run>> broken_off_run(thread_key thread);

private:
    [[nodiscard]] task<std::optional<run_claim>> recover_claim(run_id run);
    [[nodiscard]] task<bool> is_idle(run_record active);

    durable_core& core_;
};

}  // namespace weft
