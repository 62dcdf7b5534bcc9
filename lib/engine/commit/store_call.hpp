#pragma once

#include <weft/async/task.hpp>
#include <weft/base/error.hpp>

#include <chrono>
#include <exception>
#include <optional>
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

/** For calls that give nothing. */
[[nodiscard]] task<bool> and_then_true(task<void> call);

/** Awaits a call and gives its exception back as a value. */
template <class T>
[[nodiscard]] task<store_answer<T>> answer_of(task<T> call)
{
    store_answer<T> answer;
    try {
        answer.value.emplace(co_await std::move(call));
    } catch (...) {
        answer.error = std::current_exception();
        answer.code = code_of(answer.error);
    }
    co_return answer;
}

}  // namespace weft
