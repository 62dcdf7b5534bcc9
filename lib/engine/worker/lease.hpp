#pragma once

#include <weft/base/clock.hpp>

#include <algorithm>
#include <chrono>

namespace weft {

/** Decides when a worker gives a sign of life, and when it must count itself as given up.
 *
 *  A store gives a worker up when it has not heard of it for `lifetime`. How long ago that was the worker cannot know;
 *  it knows when it sent the last sign that was answered, which was earlier. So it stops at the latest `lifetime` after
 *  that moment, on a clock that never jumps. It asks no clock itself.
 *
 *  @par Thread safety   None.
 *  @par Source          Gray, Cheriton: Leases, SOSP 1989.
 */
class lease {
public:
    /** @param interval  Between two signs of life. @param margin  How much earlier to stop, for clocks that differ. */
    lease(std::chrono::nanoseconds lifetime, std::chrono::nanoseconds interval,
          std::chrono::nanoseconds margin) noexcept
        : lifetime_{lifetime}, interval_{interval}, margin_{std::min(margin, lifetime / 2)}
    {
    }

    /** A sign of life is about to be sent. */
    void sent(time_point now) noexcept { sent_ = now; }
    /** It was answered: the worker lives, or was given up. */
    void answered(bool is_alive) noexcept
    {
        is_held_ = is_alive;
        ends_ = sent_ + lifetime_ - margin_;
        next_ = sent_ + interval_;
    }
    /** It was not answered: another one soon. */
    void failed(time_point now) noexcept { next_ = now + interval_ / 5; }
    /** The end has come, or the worker left. */
    void drop() noexcept { is_held_ = false; }

    [[nodiscard]] bool is_held(time_point now) const noexcept { return is_held_ && now < ends_; }
    /** When the next sign is due. */
    [[nodiscard]] time_point next() const noexcept { return std::min(next_, ends_); }
    /** When the worker stops unless another sign is answered before. */
    [[nodiscard]] time_point ends() const noexcept { return ends_; }

private:
    std::chrono::nanoseconds lifetime_;
    std::chrono::nanoseconds interval_;
    std::chrono::nanoseconds margin_;
    time_point sent_{};
    time_point next_{};
    time_point ends_{};
    bool is_held_ = false;
};

}  // namespace weft
