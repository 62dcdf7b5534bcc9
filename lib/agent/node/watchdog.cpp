#include <weft/agent/node/watchdog.hpp>

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>

#include "watched.hpp"

#include <algorithm>
#include <utility>

namespace weft {

namespace {

watchdog::moment moment_of(const serial_loop& loop)
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(loop.now().time_since_epoch());
}

std::string seconds_of(std::chrono::milliseconds span)
{
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(span).count()) + " s";
}

}  // namespace

watchdog_verdict watchdog::look(moment now) noexcept
{
    if (now - began_ >= limits_.elapsed_max) return watchdog_verdict::too_long;
    if (now - last_ < limits_.inactivity) return watchdog_verdict::wait;
    if (bumps_ >= limits_.bumps_max) return watchdog_verdict::inactive;
    ++bumps_;
    last_ = now;
    return watchdog_verdict::bump;
}

watchdog::moment watchdog::next_look() const noexcept
{
    return std::min(last_ + limits_.inactivity, began_ + limits_.elapsed_max);
}

task<void> agent_detail::keep_watch(std::shared_ptr<activity_flag> activity, watchdog_limits limits, std::string what,
                                    std::function<void(std::uint32_t)> on_bump)
{
    const task_context& context = co_await this_task::context();
    watchdog watched_run{moment_of(*context.loop), limits};
    for (;;) {
        // At least a tick, so that a moment that is due is not looked at twice.
        const auto pause = std::max(watched_run.next_look() - moment_of(*context.loop), std::chrono::milliseconds{1});
        co_await sleep_for(std::min<std::chrono::milliseconds>(pause, look_every));
        const watchdog::moment now = moment_of(*context.loop);
        if (activity->take()) watched_run.saw_life(now);
        switch (watched_run.look(now)) {
        case watchdog_verdict::wait: break;
        case watchdog_verdict::bump:
            if (on_bump) on_bump(watched_run.bumps());
            break;
        case watchdog_verdict::inactive:
            throw error{errc::timeout, what,
                        "no sign of life for " + seconds_of(limits.inactivity * (limits.bumps_max + 1)) +
                            ": it was stopped"};
        case watchdog_verdict::too_long:
            throw error{errc::timeout, what, "not done after " + seconds_of(limits.elapsed_max) + ": it was stopped"};
        }
    }
}

}  // namespace weft
