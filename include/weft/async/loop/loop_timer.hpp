#pragma once

#include <weft/base/clock.hpp>

#include <chrono>
#include <cstdint>

namespace weft {

class serial_loop;

/** A timer in the heap of a serial loop: arming and disarming cost nanoseconds and no system call.
 *
 *  Deadlines are rounded up to the loop's tick of one millisecond, so that many timers share one wake-up. The callback
 *  runs on the loop, never inside `arm_*`, once for each time the timer was armed and not disarmed or armed again.
 *
 *  @par Thread safety   None: use it on its loop only.
 *  @par Lifetimes       The loop outlives it; the destructor disarms it.
 */
class loop_timer {
public:
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

    void attach(serial_loop& loop) noexcept { loop_ = &loop; }
    [[nodiscard]] serial_loop* loop() const noexcept { return loop_; }
    [[nodiscard]] bool is_armed() const noexcept { return slot_ != unarmed; }
    [[nodiscard]] time_point deadline() const noexcept { return deadline_; }

    void arm_after(std::chrono::nanoseconds delay);
    /** As `arm_after`; a delay below a tick is not rounded up. */
    void arm_exactly_after(std::chrono::nanoseconds delay);
    void arm_at(time_point deadline);
    void disarm() noexcept;

private:
    friend class timer_heap;
    static constexpr std::uint32_t unarmed = 0xffffffff;

    serial_loop* loop_ = nullptr;
    function fired_;
    void* self_;
    time_point deadline_{};
    std::uint32_t slot_ = unarmed;
    std::uint32_t order_ = 0;  // among equal deadlines
};

}  // namespace weft
