#pragma once

#include <weft/async/sleep.hpp>

namespace weft {

namespace async_detail {

/** A place in the ready queue. */
class [[nodiscard]] yield_awaiter : ready_item {
public:
    yield_awaiter() noexcept : ready_item{[](ready_item& self) { static_cast<yield_awaiter&>(self).waiter_.resume(); }}
    {
    }
    bool await_ready() const noexcept { return false; }
    /** To the end of the queue, in a stopped scope as well. */
    template <task_promise_type Promise>
    void await_suspend(std::coroutine_handle<Promise> self)
    {
        waiter_ = self;
        context_ = &self.promise().context();
        if (context_->scope->stop_requested())
            refuse(*context_, *this);
        else
            context_->loop->defer(*this);
    }
    void await_resume() const
    {
        if (context_->scope->stop_requested()) throw_cancelled();
    }

private:
    std::coroutine_handle<> waiter_;
    const task_context* context_ = nullptr;
};

}  // namespace async_detail

/** `co_await yield_now()`: lets everything else that is ready run first. For long computations, which then can be
 *  stopped and leave sockets and timers their turn.
 *
 *      for (std::size_t i = 0; i < rows.size(); ++i) {
 *          score(rows[i]);
 *          if (i % 1'000 == 0) co_await weft::yield_now();
 *      }
 *
 *  @par Errors          `errc::cancelled` when a stop was asked for, before or meanwhile.
 */
[[nodiscard]] inline async_detail::yield_awaiter yield_now() noexcept { return {}; }

}  // namespace weft
