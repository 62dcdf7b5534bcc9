#pragma once

#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/task/waiter.hpp>
#include <weft/async/wait/token_level.hpp>

namespace weft {

/** Spreads what coroutines of one loop do over time: so much per second, so much at once, first come, first served.
 *
 *      token_bucket requests{loop, {.per_second = 5, .burst = 10}};
 *      co_await requests.take();
 *
 *  @par Thread safety   None: it belongs to one loop.
 *  @par Lifetimes       The loop outlives it. Coroutines that still wait when it is destroyed get `errc::cancelled`.
 */
class token_bucket {
public:
    class taking;

    /** A full bucket. */
    token_bucket(serial_loop& loop, token_rate rate);
    ~token_bucket() { async_detail::close_all(waiting_); }
    token_bucket(const token_bucket&) = delete;
    token_bucket& operator=(const token_bucket&) = delete;

    /** `co_await bucket.take(tokens)`: waits until `tokens` are there and those who came before have theirs.
     *  @par Errors
     *    - `errc::cancelled`
     *    - `errc::limit_reached`  more than `burst` was asked for.
     *  @par Cancellation    At once; the place in the line is lost, no token is. */
    [[nodiscard]] taking take(double tokens = 1) noexcept;

    /** Takes `tokens` if they are there and no coroutine waits. */
    [[nodiscard]] bool try_take(double tokens = 1) noexcept;

    /** How many coroutines wait; counts them. */
    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

private:
    // The first in the line gets its tokens when they are there; those behind it wait, however few they ask for.
    void serve();
    void wait_for_first();

    serial_loop& loop_;
    token_level level_;
    async_detail::wait_line waiting_;
    loop_timer timer_;  // until the first of the line can be served
};

/** What awaiting tokens looks like. */
class [[nodiscard]] token_bucket::taking final : private async_detail::waiter {
public:
    taking(token_bucket& owner, double tokens) noexcept : owner_{owner}, tokens_{tokens} {}
    ~taking();

    bool await_ready() const noexcept { return false; }
    template <task_promise_type Promise>
    bool await_suspend(std::coroutine_handle<Promise> self)
    {
        return start(self.promise().context(), self);
    }
    void await_resume() const;

private:
    friend class token_bucket;
    [[nodiscard]] bool start(const task_context& context, std::coroutine_handle<> self);
    /** A stop took it out: the next one may need fewer tokens. */
    void left_line() override { owner_.wait_for_first(); }

    token_bucket& owner_;
    double tokens_;
};

inline token_bucket::taking token_bucket::take(double tokens) noexcept { return taking{*this, tokens}; }

}  // namespace weft
