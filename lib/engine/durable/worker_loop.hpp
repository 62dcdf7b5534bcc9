#pragma once

#include <weft/async/task.hpp>
#include <weft/base/clock.hpp>
#include <weft/engine/scheduler/open_question.hpp>
#include <weft/store/record/run_record.hpp>

#include <chrono>
#include <cstddef>
#include <vector>

namespace weft {

class run_claimer;
class run_driver;
struct durable_core;

/** Takes over runs that are ready: those that other processes left, and those that were only entered.
 *
 *  @par Lifetimes   What it is made of outlives it, and it its tasks.
 */
class worker_loop {
public:
    worker_loop(durable_core& core, run_claimer& claimer, run_driver& driver) noexcept
        : core_{core}, claimer_{claimer}, driver_{driver}
    {
    }

    /** Until nothing is ready. @return  How many runs it took. */
    [[nodiscard]] task<std::size_t> recover();
    /** Until `drain`, or until it is stopped. */
    [[nodiscard]] task<void> work();
    /** Lets all runs go on elsewhere from their next node, or after `durable_options::drain_for` from their last
     *  checkpoint, and waits until none is held any more. */
    [[nodiscard]] task<void> drain();

private:
    /** Claims what others left; asks a store that does not answer again. */
    [[nodiscard]] task<std::vector<run_claim>> claim_left(std::size_t free);
    /** Claims what is ready, unless the process drains or is unsure which runs it has.
     *  @param reaps  Also gives up workers that are lost. */
    [[nodiscard]] task<std::vector<run_claim>> claim_ready(std::size_t free, bool reaps);
    [[nodiscard]] task<time_point> next_look(time_point reap_at, bool has_looked);
    [[nodiscard]] std::chrono::nanoseconds rest();
    /** Performs a claimed run to its end, whatever that is; the store has it. */
    [[nodiscard]] task<void> perform(run_claim claim, interrupts mode);
    [[nodiscard]] std::size_t free_for(std::size_t busy) const;

    durable_core& core_;
    run_claimer& claimer_;
    run_driver& driver_;
};

}  // namespace weft
