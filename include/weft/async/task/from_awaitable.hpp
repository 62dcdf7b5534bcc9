#pragma once

#include <weft/async/loop/loop_executor.hpp>
#include <weft/async/task/asio_fwd.hpp>
#include <weft/async/task/stop_check.hpp>
#include <weft/async/use_task.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/assert.hpp>

#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

namespace weft {

namespace async_detail {

/** The executor that an Asio coroutine of a loop runs on, in the type it asks for. */
template <class Executor>
Executor executor_for(serial_loop& loop)
{
    if constexpr (std::is_same_v<Executor, boost::asio::io_context::executor_type>) {
        BOOST_ASSERT_MSG(!loop.is_strand(), "on a strand, an awaitable needs any_io_executor or loop_executor");
        return loop.context().get_executor();
    } else {
        return Executor{loop.executor()};
    }
}

/** A stop of Asio's makes each `co_await` of a coroutine throw without suspending, so that one that goes on after that
 *  would never leave the loop. Here it only ends what the coroutine waits for; `use_task` repeats it.
 */
template <class T, class Executor>
boost::asio::awaitable<T, Executor> suspending_after_stop(boost::asio::awaitable<T, Executor> work)
{
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    co_return co_await std::move(work);
}

/** Throws the error of an awaitable; an operation of it that a stop aborted reads as `errc::cancelled`. */
void rethrow_awaitable_error(const std::exception_ptr& error, bool stopped);

/** Spawns an awaitable on the loop and waits for it; what `from_awaitable` returns. */
template <class T, class Executor>
task<T> run_awaitable(boost::asio::awaitable<T, Executor> work)
{
    const task_context& context = co_await this_task::context();
    co_await stop_check{};
    Executor executor = executor_for<Executor>(*context.loop);
    auto calm = suspending_after_stop(std::move(work));
    auto spawned = boost::asio::co_spawn(executor, std::move(calm), use_task_result);
    spawned.repeat_in_handlers();
    if constexpr (std::is_void_v<T>) {
        std::exception_ptr failed = co_await spawned;
        rethrow_awaitable_error(failed, context.scope->stop_requested());
    } else {
        std::tuple<std::exception_ptr, T> result = co_await spawned;
        rethrow_awaitable_error(std::get<0>(result), context.scope->stop_requested());
        co_return std::get<1>(std::move(result));
    }
}

}  // namespace async_detail

/** Runs a coroutine of Boost.Asio inside a task, on the task's loop.
 *
 *      asio::awaitable<std::size_t> count_lines(std::string path);
 *      std::size_t lines = co_await weft::from_awaitable(count_lines("notes.txt"));
 *
 *  It costs one `co_spawn`: about 200 ns and one allocation; a node that is a `task` costs neither.
 *
 *  @param work   Its result type must be default constructible, as Asio wants it. An executor of type
 *                `io_context::executor_type` fits loops that one OS thread runs only.
 *
 *  @par Errors          What the coroutine throws; `errc::cancelled` if a stop aborted it or came before.
 *  @par Cancellation    A stop reaches it as terminal cancellation, always inside a handler of the loop, and again
 *                       until it has ended. It ends what the coroutine waits for; `this_coro::throw_if_cancelled` is
 *                       off, since a coroutine that goes on after an exception would otherwise never suspend again.
 *                       One that waits only for what cannot be cancelled, such as `post`, asks
 *                       `this_coro::cancellation_state`. One that turns the exceptions on, or spawns others that go on
 *                       after them, can hold the loop.
 *  @par Lifetimes       If the awaiting task is destroyed, the coroutine is cancelled and ends by itself a little
 *                       later: what its parameters refer to must live until then.
 */
template <class T, class Executor>
auto from_awaitable(boost::asio::awaitable<T, Executor> work)
{
    return async_detail::run_awaitable(std::move(work));
}

}  // namespace weft
