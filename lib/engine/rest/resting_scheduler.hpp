#pragma once

#include "engine/scheduler/scheduler.hpp"

#include <weft/base/memory/free_list.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace weft {

/** Where a run stands on the line of its graph; nothing if it is not there, or if its scheduler knows anything else. */
[[nodiscard]] std::optional<line_place> place_on_line(const scheduler& of) noexcept;

/** The scheduler of a run. While the run waits on the line of its graph it can be written down in two words, since there
 *  are millions of runs that wait; it is made anew from them when it is next asked for.
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
    /** Rests if the run stands where two words tell it: see `place_on_line`. */
    void rest() noexcept
    {
        const std::optional<line_place> at = awake_ ? place_on_line(*awake_) : std::nullopt;
        if (!at) return;
        at_ = *at;
        awake_.reset();
    }
    /** As it was before it rested. @param values   The state of the run, which outlives it. */
    scheduler& wake(const graph& of, branch_state& values, const schedule_limits& limits)
    {
        awake_ = std::make_unique<pooled>(of, values, limits, at_);
        return *awake_;
    }

private:
    struct pooled final : scheduler {
        using scheduler::scheduler;
        static void* operator new(std::size_t size) { return allocate_block(size); }
        static void operator delete(void* memory, std::size_t size) noexcept { free_block(memory, size); }
    };

    std::unique_ptr<pooled> awake_;
    line_place at_;  // while it rests
};

}  // namespace weft
