#pragma once

#include <weft/async/loop/timed_item.hpp>
#include <weft/async/task.hpp>
#include <weft/async/task/refused_wait.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/error.hpp>

#include <utility>

namespace weft {

namespace async_detail {

/** Throws `cancelled_error`. Out of line: throwing is the rare case, and its code is large. */
[[noreturn]] void throw_cancelled();
/** What every wait of weft fails with that a stop ends: `errc::cancelled`. */
[[nodiscard]] error cancelled_error();

/** Waits for a moment on the loop's clock: an item of the loop's timer wheel, and no timer of Asio. */
class [[nodiscard]] sleep_awaiter : private stoppable, private hinted_item {
public:
    explicit sleep_awaiter(std::chrono::nanoseconds delay) noexcept
        : stoppable{[](stoppable& self) { static_cast<sleep_awaiter&>(self).stop(); }},
          hinted_item{[](ready_item& self) { static_cast<sleep_awaiter&>(self).wake(); }}, delay_{delay}
    {
    }
    sleep_awaiter(const sleep_awaiter&) = delete;
    sleep_awaiter& operator=(const sleep_awaiter&) = delete;
    ~sleep_awaiter()
    {
        if (is_armed()) disarm(*loop_);
    }

    bool await_ready() const noexcept { return false; }

    /** A coroutine suspends in any case: a sleep of zero is one turn of the loop. */
    template <task_promise_type Promise>
    bool await_suspend(std::coroutine_handle<Promise> self)
    {
        waiter_ = self;
        start(self.promise().context());
        return true;
    }

    void await_resume() const
    {
        // Thrown here: each frame between throw and catch costs a stop about 0.3 µs.
        if (!loop_) throw cancelled_error();
    }

private:
    /** Registers with the stop scope and arms the item; a stopped scope gives one turn of the loop instead. */
    void start(const task_context& context)
    {
        if (context.scope->stop_requested()) {
            loop_ = nullptr;
            return refuse(context, *this);
        }
        context.begin_wait(*this);
        works_on(&context);  // the node around the coroutine lies there
        const std::chrono::nanoseconds delay = delay_;
        loop_ = context.loop;
        if (delay <= std::chrono::nanoseconds{0})
            loop_->defer(*this);
        else
            arm_exactly_after(*loop_, delay);
    }
    /** The wait ends a turn later, from the queue of the loop: a stop resumes nothing itself. A sleep of zero is queued
     *  already. */
    void stop()
    {
        serial_loop& loop = *std::exchange(loop_, nullptr);
        disarm(loop);
        if (!is_queued()) loop.defer(*this);
    }
    /** From the wheel, or from the ready queue. The frame may be gone once it is resumed. */
    void wake()
    {
        stoppable::unlink();
        waiter_.resume();
    }

    // The context is no way to the loop: a frame that is destroyed may outlive it.
    union {
        std::chrono::nanoseconds delay_;  // before it waits
        serial_loop* loop_;               // since then; null: it was stopped
    };
    std::coroutine_handle<> waiter_;
};

}  // namespace async_detail

/** Waits for a while; other coroutines of the loop run meanwhile, and no OS thread blocks.
 *
 *      co_await weft::sleep_for(250ms);
 *
 *  Waits for `delay` on the loop's clock, rounded up to its tick of one millisecond if it is longer than that; zero or
 *  less waits for one turn of the loop.
 *
 *  @par Errors          `errc::cancelled` when a stop ends the wait, or came before.
 *  @par Cancellation    At once; after a stop, in one turn of the loop.
 */
[[nodiscard]] inline async_detail::sleep_awaiter sleep_for(std::chrono::nanoseconds delay) noexcept
{
    return async_detail::sleep_awaiter{delay};
}

}  // namespace weft
