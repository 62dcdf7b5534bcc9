#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/loop/timed_item.hpp>

#include <boost/assert.hpp>

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

void timed_item::arm_after(serial_loop& loop, std::chrono::nanoseconds delay)
{
    // At least to the next tick: a timer that arms itself again without delay must not starve the loop.
    const time_point now = loop.now();
    delay = std::clamp<std::chrono::nanoseconds>(delay, std::chrono::nanoseconds{1}, time_point::max() - now);
    arm(loop, rounded_up(now + delay), now);
}

void timed_item::arm_exactly_after(serial_loop& loop, std::chrono::nanoseconds delay)
{
    if (delay >= tick || delay <= std::chrono::nanoseconds{0}) return arm_after(loop, delay);
    const time_point now = loop.now();
    arm(loop, now + delay, now);
}

void timed_item::arm_at(serial_loop& loop, time_point deadline) { arm(loop, rounded_up(deadline), loop.now()); }

void timed_item::arm(serial_loop& loop, time_point deadline, time_point now)
{
    disarm(loop);
    BOOST_ASSERT_MSG(!is_queued(), "it is in the ready queue");
    loop.arm(*this, deadline, now);
}

void timed_item::disarm(serial_loop& loop) noexcept
{
    if (is_armed()) loop.timers_.erase(*this);
}

}  // namespace weft
