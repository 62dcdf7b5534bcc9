#pragma once

#include <weft/async/task/waiter.hpp>

namespace weft {

/** Wakes one waiting coroutine: the smallest way for two parts of one loop to hand over.
 *
 *      while (queue.empty()) co_await filled.wait();     // one side
 *      queue.push_back(item); filled.notify();           // the other
 *
 *  A `notify` without a waiter is not remembered: the waiting side looks at what it waits for, waits, and
 *  looks again.
 *
 *  @par Thread safety   None: it belongs to one loop.
 *  @par Lifetimes       Coroutines that still wait when it is destroyed get `errc::cancelled`.
 */
class signal {
public:
    class waiter;

    signal() noexcept = default;
    ~signal() { async_detail::close_all(waiting_); }
    signal(const signal&) = delete;
    signal& operator=(const signal&) = delete;

    /** Wakes the waiting coroutine, if there is one, through the ready queue. */
    void notify()
    {
        if (!waiting_.empty()) waiting_.front().grant();
    }

    /** `co_await s.wait()`: until the next `notify`. One coroutine waits at a time.
     *  @par Errors          `errc::cancelled`.
     *  @par Cancellation    At once. */
    [[nodiscard]] waiter wait() noexcept;

private:
    async_detail::wait_line waiting_;
};

/** What awaiting a signal looks like. */
class [[nodiscard]] signal::waiter final : private async_detail::waiter {
public:
    explicit waiter(signal& source) noexcept : source_{source} {}

    bool await_ready() const noexcept { return false; }
    template <task_promise_type Promise>
    bool await_suspend(std::coroutine_handle<Promise> self)
    {
        return start(self.promise().context(), self);
    }
    void await_resume() const;

private:
    [[nodiscard]] bool start(const task_context& context, std::coroutine_handle<> self);

    signal& source_;
};

inline signal::waiter signal::wait() noexcept { return waiter{*this}; }

}  // namespace weft
