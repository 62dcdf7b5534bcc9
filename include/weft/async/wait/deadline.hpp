#pragma once

#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/task/child_group.hpp>
#include <weft/base/chrono.hpp>

#include <utility>

namespace weft {

namespace async_detail {

/** A group of one child and the time it has. */
class timed_group {
public:
    timed_group(const task_context& parent, std::chrono::nanoseconds limit, bool is_shielded) noexcept;

    /** The time begins here; a child that never waits needs no timer. */
    template <class T>
    void start(branch<T>& only)
    {
        only.start(group_, [](branch<T>&) {});
        if (group_.running() > 0) timer_.arm_after(limit_);
    }
    [[nodiscard]] child_group::all_ended wait() noexcept { return group_.wait(); }

    /** Throws after the wait if a stop kept the child from starting, or if it failed because its time was up. */
    template <class T>
    void check(const branch<T>& only)
    {
        check(only.is_started(), only.is_started() ? only.error() : nullptr);
    }

private:
    void check(bool is_started, const std::exception_ptr& error);
    void expire();

    child_group group_;
    std::chrono::nanoseconds limit_;
    loop_timer timer_;
    bool is_expired_ = false;
};

/** What both functions below are: a group of one, whose stop is a timer. */
template <class T>
task<T> run_timed(task<T> work, std::chrono::nanoseconds limit, bool is_shielded)
{
    const task_context& context = co_await this_task::context();
    timed_group group{context, limit, is_shielded};
    branch<T> only{std::move(work)};
    group.start(only);
    co_await group.wait();
    group.check(only);
    co_return only.take();
}

}  // namespace async_detail

/** Runs `work` and stops it when it is not done within `limit`. It is awaited then too.
 *
 *      std::string answer = co_await weft::with_deadline(ask("weather"), 2s);
 *
 *  @param work    What to run, in a stop scope of its own.
 *  @param limit   Counted from where `work` first waits, on the loop's clock.
 *  @return        The result of `work`, also when it came after the stop.
 *
 *  @par Errors
 *    - `errc::timeout`    `work` was stopped because of `limit`, and failed with whatever error.
 *    - `errc::cancelled`  a stop from outside came first.
 *    - What `work` throws by itself.
 *  @par Cancellation    `work` is stopped and awaited.
 */
template <class T>
[[nodiscard]] task<T> with_deadline(task<T> work, std::chrono::nanoseconds limit)
{
    return async_detail::run_timed(std::move(work), limit, false);
}

/** Runs `work` where a stop of the awaiting chain does not reach it: for cleaning up after a stop. Not for ever:
 *  `limit` stops it as in `with_deadline`.
 *
 *  @par Errors          `errc::timeout`; what `work` throws by itself.
 *  @par Cancellation    None from outside. Destroying the awaiting coroutine destroys `work`.
 */
template <class T>
[[nodiscard]] task<T> shielded(task<T> work, std::chrono::nanoseconds limit)
{
    return async_detail::run_timed(std::move(work), limit, true);
}

}  // namespace weft
