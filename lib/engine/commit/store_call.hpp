#pragma once

#include <weft/async/task.hpp>
#include <weft/base/error.hpp>

#include <chrono>
#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace weft {

/** Whether the same may be tried again after an error: nothing was done, or it can be found out. */
[[nodiscard]] constexpr bool may_retry_after(errc code) noexcept
{
    return code == errc::store_unavailable || code == errc::store_outcome_unknown;
}

/** Whether the cause of an error may pass by itself, so that the call may succeed later: also a full store. */
[[nodiscard]] constexpr bool may_pass(errc code) noexcept
{
    return may_retry_after(code) || code == errc::store_full;
}

/** What became of a call of a store: its answer, or why there is none. */
template <class T>
struct store_answer {
    store_answer() noexcept {}

    std::optional<T> value;
    std::exception_ptr error;
    errc code = errc::store_unavailable;

    [[nodiscard]] explicit operator bool() const noexcept { return value.has_value(); }
    [[nodiscard]] bool may_retry() const noexcept { return may_retry_after(code); }
};

/** How long to wait before the same is tried again after `failures` (1, 2, …) in a row: 50 ms, doubled each time, at
 *  most 2 s. */
[[nodiscard]] std::chrono::nanoseconds retry_delay(int failures) noexcept;

/** Awaits a call, and owns it meanwhile; it is no coroutine of its own, since a step of a durable run has several. */
template <class T>
class [[nodiscard]] answer_awaiter {
public:
    /** True of a call that gives nothing. */
    using answer = store_answer<std::conditional_t<std::is_void_v<T>, bool, T>>;

    explicit answer_awaiter(task<T>&& call) noexcept : call_{std::move(call)} {}
    bool await_ready() const noexcept { return false; }
    template <task_promise_type Promise>
    bool await_suspend(std::coroutine_handle<Promise> caller)
    {
        return call_.start_for(caller);
    }
    answer await_resume()
    {
        answer result;
        result.error = call_.exception();
        if (result.error)
            result.code = code_of(result.error);
        else if constexpr (std::is_void_v<T>)
            result.value = true;
        else
            result.value.emplace(call_.take());
        return result;
    }

private:
    task<T> call_;
};

/** For `co_await`: the answer of a call, or its exception as a value. */
template <class T>
[[nodiscard]] answer_awaiter<T> answer_of(task<T> call) noexcept
{
    return answer_awaiter<T>{std::move(call)};
}

}  // namespace weft
