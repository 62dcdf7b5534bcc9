#pragma once

#include <weft/async/loop/stop_scope.hpp>
#include <weft/base/clock.hpp>
#include <weft/engine/scheduler/frontier.hpp>

#include <atomic>
#include <cstdint>

namespace weft {

struct run_core;

/** Tells nodes that compute of a stop before the loop carries it out: a plain node holds the loop, and so does a
 *  coroutine until it waits.
 *
 *  @par Thread safety   None: on the run's loop only.
 *  @par Lifetimes       What it listens to outlives the run's nodes.
 */
class stop_polling {
public:
    enum class cause : std::uint8_t { none, cancelled, run_timeout, branch_timeout, node_timeout };

    /** The run is awaited in `around`, whose stop is the run's. */
    void lie_in(const stop_scope& around) noexcept { around_ = &around; }
    /** Another OS thread sets `asked` before it cancels the run on its loop. */
    void hear_of_cancel(const std::atomic<bool>& asked) noexcept { cancel_asked_ = &asked; }

    /** Why a node is to stop that has time until `timeout_at`, also if the loop has not come to it yet. */
    [[nodiscard]] cause due(const run_core& core, branch_index branch, time_point timeout_at) const noexcept;

private:
    [[nodiscard]] bool is_cancel_due(const run_core& core) const noexcept;

    const stop_scope* around_ = nullptr;
    const std::atomic<bool>* cancel_asked_ = nullptr;
};

/** Carries out a stop that a node has seen, before the end of that node is reported. */
void carry_out(run_core& core, stop_polling::cause cause, branch_index branch);

}  // namespace weft
