#pragma once

#include <weft/async/loop/timed_item.hpp>
#include <weft/base/chrono.hpp>

namespace weft {

class serial_loop;

/** A timer of a serial loop: arming and disarming cost nanoseconds and no system call.
 *
 *      loop_timer timer{loop, [](void* self) { static_cast<session*>(self)->expire(); }, this};
 *      timer.arm_after(30s);
 *
 *  Deadlines are rounded up to the loop's tick of one millisecond, so that many timers share one wake-up. The callback
 *  runs on the loop, never inside `arm_*`, once for each time the timer was armed and not disarmed or armed again.
 *
 *  @par Thread safety   None: use it on its loop only.
 *  @par Lifetimes       The loop outlives it; the destructor disarms it.
 */
class loop_timer : private timed_item {
public:
    /** What is called when the time has come. It may arm the timer again, or destroy it. */
    using function = void (*)(void* self);

    loop_timer(serial_loop& loop, function fired, void* self) noexcept : loop_timer{fired, self} { loop_ = &loop; }
    /** A timer that gets its loop by `attach`, before it is armed. */
    loop_timer(function fired, void* self) noexcept
        : timed_item{[](ready_item& item) { static_cast<loop_timer&>(item).fire(); }}, fired_{fired}, self_{self}
    {
    }
    loop_timer(const loop_timer&) = delete;
    loop_timer& operator=(const loop_timer&) = delete;
    ~loop_timer() { disarm(); }

    /** Says on which loop it is armed. While it is not armed. */
    void attach(serial_loop& loop) noexcept { loop_ = &loop; }
    /** Null before `attach`. */
    [[nodiscard]] serial_loop* loop() const noexcept { return loop_; }
    // Whether the callback is still to come; when it comes, or came last.
    using timed_item::deadline;
    using timed_item::is_armed;

    /** Fires so long from now, or at the next tick if that is past. An armed timer is moved. */
    void arm_after(std::chrono::nanoseconds delay) { timed_item::arm_after(*loop_, delay); }
    /** As `arm_after`; a delay below a tick is not rounded up. */
    void arm_exactly_after(std::chrono::nanoseconds delay) { timed_item::arm_exactly_after(*loop_, delay); }
    /** As `arm_after`, at a moment of the loop's clock. */
    void arm_at(time_point deadline) { timed_item::arm_at(*loop_, deadline); }
    /** The callback is not called any more; nothing happens to a timer that is not armed. */
    void disarm() noexcept
    {
        if (is_armed()) timed_item::disarm(*loop_);
    }

    /** The timer as a wheel has it. */
    [[nodiscard]] timed_item& item() noexcept { return *this; }

private:
    void fire() { fired_(self_); }

    serial_loop* loop_ = nullptr;
    function fired_;
    void* self_;
};

}  // namespace weft
