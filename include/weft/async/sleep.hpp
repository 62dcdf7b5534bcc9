#pragma once

#include <weft/async/loop_timer.hpp>
#include <weft/async/task.hpp>

#include <chrono>
#include <optional>

namespace weft {

namespace async_detail {

[[noreturn]] void throw_cancelled();

/** Waits for a moment on the loop's clock: one heap entry, no Asio timer. */
class [[nodiscard]] sleep_awaiter {
public:
    explicit sleep_awaiter(std::chrono::nanoseconds delay) noexcept : delay_{delay} {}
    sleep_awaiter(const sleep_awaiter&) = delete;
    sleep_awaiter& operator=(const sleep_awaiter&) = delete;

    bool await_ready() const noexcept { return false; }

    template <task_promise_type Promise>
    bool await_suspend(std::coroutine_handle<Promise> self)
    {
        const task_context& context = self.promise().context();
        if (context.scope->stop_requested()) {
            is_stopped_ = true;
            return false;
        }
        wait_.emplace(*context.loop, *this, self);
        context.scope->add(wait_->on_stop);
        wait_->timer.arm_after(delay_);
        return true;
    }

    void await_resume() const
    {
        if (is_stopped_) throw_cancelled();
    }

private:
    struct stop_link : stoppable {
        explicit stop_link(sleep_awaiter* owner) noexcept
            : stoppable{[](stoppable& self) { static_cast<stop_link&>(self).owner->stop(); }}, owner{owner}
        {
        }
        sleep_awaiter* owner;
    };
    struct wake_item : ready_item {
        explicit wake_item(sleep_awaiter* owner) noexcept
            : ready_item{[](ready_item& self) { static_cast<wake_item&>(self).owner->wake(); }}, owner{owner}
        {
        }
        sleep_awaiter* owner;
    };
    struct wait {
        wait(serial_loop& loop, sleep_awaiter& owner, std::coroutine_handle<> waiter) noexcept
            : loop{loop}, waiter{waiter}, on_stop{&owner}, on_wake{&owner},
              timer{loop, [](void* self) { static_cast<sleep_awaiter*>(self)->wake(); }, &owner}
        {
        }
        serial_loop& loop;
        std::coroutine_handle<> waiter;
        stop_link on_stop;
        wake_item on_wake;
        loop_timer timer;
    };

    void stop()
    {
        is_stopped_ = true;
        wait_->timer.disarm();
        wait_->loop.defer(wait_->on_wake);
    }
    void wake()
    {
        std::coroutine_handle<> waiter = wait_->waiter;
        wait_.reset();
        waiter.resume();
    }

    std::chrono::nanoseconds delay_;
    std::optional<wait> wait_;
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
