#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/loop/serial_loop.hpp>

#include <algorithm>

namespace weft {

namespace {

constexpr std::chrono::milliseconds tick{1};

/** Rounded up to the tick, so that deadlines that lie close together share one wake-up. */
time_point rounded_up(time_point deadline) noexcept
{
    const auto since = std::min(deadline, time_point::max() - tick).time_since_epoch();
    auto rounded = std::chrono::floor<std::chrono::milliseconds>(since);
    if (rounded < since) rounded += tick;
    return time_point{rounded};
}

}  // namespace

void loop_timer::arm_after(std::chrono::nanoseconds delay)
{
    // At least to the next tick: a timer that arms itself again without delay must not starve the loop.
    const time_point now = loop_->now();
    delay = std::clamp<std::chrono::nanoseconds>(delay, std::chrono::nanoseconds{1}, time_point::max() - now);
    arm(rounded_up(now + delay), now);
}

void loop_timer::arm_exactly_after(std::chrono::nanoseconds delay)
{
    if (delay >= tick || delay <= std::chrono::nanoseconds{0}) return arm_after(delay);
    const time_point now = loop_->now();
    arm(now + delay, now);
}

void loop_timer::arm_at(time_point deadline) { arm(rounded_up(deadline), loop_->now()); }

void loop_timer::arm(time_point deadline, time_point now)
{
    if (is_armed()) disarm();
    loop_->arm(*this, deadline, now);
}

void loop_timer::disarm() noexcept
{
    if (is_armed()) loop_->disarm(*this);
}

}  // namespace weft
