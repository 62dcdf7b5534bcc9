#pragma once

#include <weft/async/sleep.hpp>
#include <weft/async/task.hpp>
#include <weft/async/task/refused_wait.hpp>

namespace weft::async_detail {

/** `co_await stop_check{}` at the beginning of a wait that is a coroutine: goes on at once unless it is stopped.
 *
 *  A wait that takes no step of its own would else begin in a stopped scope and end only at its first inner wait.
 *
 *  @par Errors   `errc::cancelled` in a stopped scope, a turn of the loop later.
 */
class [[nodiscard]] stop_check {
public:
    bool await_ready() const noexcept { return false; }
    /** @return  False in a scope that goes on: nothing is suspended, nothing is queued. */
    template <task_promise_type Promise>
    bool await_suspend(std::coroutine_handle<Promise> self)
    {
        const task_context& context = self.promise().context();
        is_stopped_ = context.scope->stop_requested();
        if (is_stopped_) refused_.start(context, self);
        return is_stopped_;
    }
    void await_resume() const
    {
        if (is_stopped_) throw_cancelled();
    }

private:
    // The turn of the loop after which the error is thrown.
    refused_wait refused_;
    bool is_stopped_ = false;
};

}  // namespace weft::async_detail
