#pragma once

#include <weft/async/loop_timer.hpp>
#include <weft/async/task.hpp>
#include <weft/base/error.hpp>

#include <chrono>

namespace weft {

namespace async_detail {

[[noreturn]] void throw_cancelled();
[[nodiscard]] error cancelled_error();

/** Waits for a moment on the loop's clock: one heap entry, no Asio timer. */
class [[nodiscard]] sleep_awaiter : private stoppable, private ready_item {
public:
    explicit sleep_awaiter(std::chrono::nanoseconds delay) noexcept
        : stoppable{[](stoppable& self) { static_cast<sleep_awaiter&>(self).stop(); }},
          ready_item{[](ready_item& self) { static_cast<sleep_awaiter&>(self).waiter_.resume(); }}, delay_{delay}
    {
    }

    bool await_ready() const noexcept { return false; }

    template <task_promise_type Promise>
    bool await_suspend(std::coroutine_handle<Promise> self)
    {
        const task_context& context = self.promise().context();
        if (context.scope->stop_requested()) {
            is_stopped_ = true;
            return false;
        }
        waiter_ = self;
        context.scope->add(*this);
        timer_.attach(*context.loop);
        timer_.arm_after(delay_);
        return true;
    }

    void await_resume() const
    {
        // Thrown here: each frame between throw and catch costs a stop about 0.3 µs.
        if (is_stopped_) throw cancelled_error();
    }

private:
    void stop()
    {
        is_stopped_ = true;
        timer_.disarm();
        timer_.loop()->defer(*this);
    }
    void wake()
    {
        stoppable::unlink();
        waiter_.resume();
    }

    std::chrono::nanoseconds delay_;
    std::coroutine_handle<> waiter_;
    loop_timer timer_{[](void* self) { static_cast<sleep_awaiter*>(self)->wake(); }, this};
    bool is_stopped_ = false;
};

}  // namespace async_detail

/** Waits for `delay` on the loop's clock, rounded up to its tick of one millisecond; zero or less waits for the next
 *  tick as well.
 *
 *  @par Errors          `errc::cancelled` when a stop ends the wait.
 *  @par Cancellation    At once.
 */
[[nodiscard]] inline async_detail::sleep_awaiter sleep_for(std::chrono::nanoseconds delay) noexcept
{
    return async_detail::sleep_awaiter{delay};
}

}  // namespace weft
