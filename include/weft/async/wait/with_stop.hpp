#pragma once

#include <weft/async/loop/token_scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/task/child_group.hpp>

#include <stop_token>
#include <utility>

namespace weft {

namespace async_detail {

/** A group of one, below a scope that the token stops. */
template <class T>
task<T> run_with_stop(task<T> work, std::stop_token token)
{
    const task_context& context = co_await this_task::context();
    token_scope stopped_by{std::move(token), *context.loop, context.scope};
    const task_context within{context.loop, &stopped_by, context.tenant};
    child_group group{within};
    branch<T> only{std::move(work)};
    only.start(group, [](branch<T>&) {});
    co_await group.wait();
    if (!only.is_started()) throw_cancelled();
    co_return only.take();
}

}  // namespace async_detail

/** Runs `work` and stops it when a token is stopped, on whatever OS thread. It is awaited then too.
 *
 *      std::stop_source button;
 *      std::string answer = co_await weft::with_stop(ask("weather"), button.get_token());
 *
 *  @param work    What to run, in a stop scope of its own.
 *  @param token   One that can never be stopped costs nothing.
 *  @return        The result of `work`, also when it came after the stop.
 *
 *  @par Errors          What `work` throws: `errc::cancelled` if the stop cut it short.
 *  @par Cancellation    `work` is stopped and awaited.
 */
template <class T>
[[nodiscard]] task<T> with_stop(task<T> work, std::stop_token token)
{
    if (!token.stop_possible()) return work;
    return async_detail::run_with_stop(std::move(work), std::move(token));
}

}  // namespace weft
