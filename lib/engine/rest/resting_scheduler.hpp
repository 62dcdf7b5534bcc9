#pragma once

#include "engine/scheduler/scheduler.hpp"

#include <weft/base/memory/free_list.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace weft {

/** Where the run stands, if that is all that its scheduler knows; else nothing. One that has given its place out is
 *  only destroyed. */
[[nodiscard]] std::optional<resting_place> leave_place(scheduler& of);

/** The scheduler of a run. While the run waits in one node it can be written down in little, since there are millions
 *  of runs that wait: in two words on the line of its graph. It is made anew when it is next asked for.
 *
 *  @par Thread safety   None: on the run's loop only.
 *  @par Lifetimes       The graph outlives it. References to the scheduler end with `rest`.
 */
class resting_scheduler {
public:
    /** @param from   A frontier, or the state of a run that begins: see `scheduler`. */
    template <class From>
    resting_scheduler(const graph& of, From&& from, const schedule_limits& limits)
        : awake_{std::make_unique<pooled>(of, std::forward<From>(from), limits)}
    {
    }
    resting_scheduler(const resting_scheduler&) = delete;
    resting_scheduler& operator=(const resting_scheduler&) = delete;

    /** Null while it rests. */
    [[nodiscard]] scheduler* get() const noexcept { return awake_.get(); }
    /** Rests if the run is in one node and nothing else is known of it: see `leave_place`. */
    void rest()
    {
        if (std::optional<resting_place> at = awake_ ? leave_place(*awake_) : std::nullopt) {
            at_ = std::move(*at);
            awake_.reset();
        }
    }
    /** As it was before it rested. @param values   The state of the run, which outlives it. */
    scheduler& wake(const graph& of, branch_state& values, const schedule_limits& limits)
    {
        awake_ = std::make_unique<pooled>(of, values, limits, std::move(at_));
        return *awake_;
    }

private:
    struct pooled final : scheduler {
        using scheduler::scheduler;
        static void* operator new(std::size_t size) { return allocate_block(size); }
        static void operator delete(void* memory, std::size_t size) noexcept { free_block(memory, size); }
    };

    std::unique_ptr<pooled> awake_;
    resting_place at_;  // while it rests
};

}  // namespace weft
