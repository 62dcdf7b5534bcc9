#pragma once

#include <weft/async/loop/linked_list.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/clock.hpp>

namespace weft {

class serial_loop;
class timer_wheel;

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
class loop_timer : private list_node<timer_wheel> {
public:
    /** What is called when the time has come. It may arm the timer again, or destroy it. */
    using function = void (*)(void* self);

    loop_timer(serial_loop& loop, function fired, void* self) noexcept : loop_{&loop}, fired_{fired}, self_{self} {}
    /** A timer that gets its loop by `attach`, before it is armed. */
    loop_timer(function fired, void* self) noexcept : fired_{fired}, self_{self} {}
    loop_timer(const loop_timer&) = delete;
    loop_timer& operator=(const loop_timer&) = delete;
    ~loop_timer()
    {
        if (is_armed()) disarm();
    }

    /** Says on which loop it is armed. While it is not armed. */
    void attach(serial_loop& loop) noexcept { loop_ = &loop; }
    /** Null before `attach`. */
    [[nodiscard]] serial_loop* loop() const noexcept { return loop_; }
    /** Whether the callback is still to come. False inside of it. */
    [[nodiscard]] bool is_armed() const noexcept { return is_linked(); }
    /** When it fires, or fired last; rounded up. */
    [[nodiscard]] time_point deadline() const noexcept { return deadline_; }

    /** Fires so long from now, or at the next tick if that is past. An armed timer is moved. */
    void arm_after(std::chrono::nanoseconds delay);
    /** As `arm_after`; a delay below a tick is not rounded up. */
    void arm_exactly_after(std::chrono::nanoseconds delay);
    /** As `arm_after`, at a moment of the loop's clock. */
    void arm_at(time_point deadline);
    /** Says what memory the callback will work on, so that the loop brings it into the cache while earlier timers fire.
     *  Only a hint: the address is not read, and need not be valid any more. */
    void works_on(const void* what) noexcept { works_on_ = what; }
    /** Null if that was not said. */
    [[nodiscard]] const void* works_on() const noexcept { return works_on_; }
    /** The callback is not called any more; nothing happens to a timer that is not armed. */
    void disarm() noexcept;

private:
    friend timer_wheel;
    friend linked_list<loop_timer, timer_wheel>;

    void arm(time_point deadline, time_point now);

    serial_loop* loop_ = nullptr;
    function fired_;
    void* self_;
    const void* works_on_ = nullptr;
    time_point deadline_{};
};

}  // namespace weft
