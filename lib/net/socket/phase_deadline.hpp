#pragma once

#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/loop/serial_loop.hpp>

namespace weft::net_detail {

/** The deadline of the phase that a connection is in; calls back once when it passes.
 *
 *  Starting and stopping it, which happens for every read, writes a moment down. The timer behind it is armed again
 *  only when it fires too early, a few times a minute.
 *
 *  @par Thread safety   None: it belongs to one loop.
 */
class phase_deadline {
public:
    using function = void (*)(void* self);

    phase_deadline(serial_loop& loop, function passed, void* self) noexcept
        : loop_{loop}, passed_{passed}, self_{self},
          timer_{loop, [](void* me) { static_cast<phase_deadline*>(me)->fire(); }, this}
    {
    }
    phase_deadline(const phase_deadline&) = delete;
    phase_deadline& operator=(const phase_deadline&) = delete;

    void start(std::chrono::nanoseconds limit) { start_until(loop_.now() + limit); }

    void start_until(time_point deadline)
    {
        deadline_ = deadline;
        is_running_ = true;
        has_passed_ = false;
        if (!timer_.is_armed() || timer_.deadline() > deadline) timer_.arm_at(deadline);
    }

    /** The wait is over. The timer stays armed: it may serve the next one. */
    void stop() noexcept { is_running_ = false; }

    /** Stops and takes the timer out of the loop, which an armed timer would keep running. */
    void rest() noexcept
    {
        is_running_ = false;
        timer_.disarm();
    }

    /** True if the wait that was started last was ended by its deadline. */
    [[nodiscard]] bool has_passed() const noexcept { return has_passed_; }

private:
    void fire()
    {
        if (!is_running_) return;
        if (loop_.now() < deadline_) return timer_.arm_at(deadline_);
        is_running_ = false;
        has_passed_ = true;
        passed_(self_);
    }

    serial_loop& loop_;
    function passed_;
    void* self_;
    loop_timer timer_;
    time_point deadline_{};
    bool is_running_ = false;
    bool has_passed_ = false;
};

}  // namespace weft::net_detail
