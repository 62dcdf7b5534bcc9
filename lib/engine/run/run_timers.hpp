#pragma once

#include <weft/async/loop/loop_timer.hpp>
#include <weft/engine/scheduler/frontier.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace weft {

struct run_core;

/** The timers of a run: pauses before retries, timeouts of branches, and the limit of its time. Each reports to the
 *  scheduler when it fires.
 *
 *  @par Thread safety   None: on the run's loop only.
 *  @par Lifetimes       The run owns it.
 */
class run_timers {
public:
    enum class use : std::uint8_t { retry, branch };

    explicit run_timers(run_core& core) noexcept : core_{core} {}
    run_timers(const run_timers&) = delete;
    run_timers& operator=(const run_timers&) = delete;

    void arm(branch_index branch, use what, std::chrono::nanoseconds delay);
    void disarm(branch_index branch, use what);
    /** Limits the time of the run by its `elapsed_max`. */
    void limit_run();
    /** Nothing fires any more. */
    void disarm_all() noexcept;

    /** Whether the time of the run is up, though the loop has not come to it. */
    [[nodiscard]] bool is_run_late(time_point now) const noexcept;
    /** The branch that a branch is, or lies in, if its time is up though the loop has not come to it; else
     *  `no_index`. */
    [[nodiscard]] branch_index late_branch(branch_index branch, time_point now) const noexcept;

    /** Reports that the time of the run is up. */
    void end_run_time();
    /** Reports that the time of the branch is up in which a branch lies, which `late_branch` has found. */
    void end_branch_time(branch_index branch);

private:
    struct branch_timer {
        branch_timer(run_core& core, branch_index branch, use what) noexcept;
        static void fired(void* self);

        run_core& core;
        branch_index branch;
        use what;
        loop_timer timer;
    };
    [[nodiscard]] std::unique_ptr<branch_timer> take(const branch_timer& timer);

    run_core& core_;
    std::vector<std::unique_ptr<branch_timer>> timers_;
    std::optional<loop_timer> whole_run_;
    bool is_out_of_time_ = false;
};

}  // namespace weft
