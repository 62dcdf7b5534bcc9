#pragma once

#include <weft/async/loop/loop_executor.hpp>
#include <weft/async/task/asio_fwd.hpp>
#include <weft/async/task/root_task.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>

#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

namespace weft {

namespace async_detail {

/** What a completion handler of a task's result gets. */
template <class T>
struct started_signature {
    using type = void(std::exception_ptr, T);
};
template <>
struct started_signature<void> {
    using type = void(std::exception_ptr);
};

/** A root task with the handler that hears of its end. */
template <class T, class Handler>
class handled_root final : public root_task {
    using executor = boost::asio::associated_executor_t<Handler, loop_executor>;

public:
    handled_root(serial_loop& loop, task<T> work, Handler handler)
        : root_task{loop}, work_{std::move(work)}, handler_{std::move(handler)},
          handler_work_{boost::asio::get_associated_executor(handler_, loop.executor())}
    {
    }

    /** Lets the handler's cancellation slot stop the task. Before it starts, where the operation is initiated. */
    void connect_slot()
    {
        auto slot = boost::asio::get_associated_cancellation_slot(handler_);
        // Most handlers have none, and then nothing outside of the loop can stop the task.
        if (!slot.is_connected()) return;
        slot.assign([stop = stop_handle()](boost::asio::cancellation_type type) {
            if ((type & boost::asio::cancellation_type::terminal) != boost::asio::cancellation_type::none) stop();
        });
    }

private:
    // What `root_task` asks of the one that knows the type of the result.
    bool start_work() override { return work_.start(context(), &root_task::ended, this); }

    void deliver() override
    {
        std::exception_ptr error = work_.exception();
        auto slot = boost::asio::get_associated_cancellation_slot(handler_);
        auto at = handler_work_.get_executor();
        if constexpr (std::is_void_v<T>) {
            complete(at, slot, std::tuple<std::exception_ptr>{std::move(error)});
        } else {
            T result = error ? T() : work_.take();
            complete(at, slot, std::tuple<std::exception_ptr, T>{std::move(error), std::move(result)});
        }
    }

    /** Calls the handler on its executor; this object is gone by then. */
    template <class Slot, class Results>
    void complete(const executor& at, Slot slot, Results results)
    {
        // The root dies before the handler is called: whatever that does, nothing of it is in use any more.
        auto call = [handler = std::move(handler_), slot, work = std::move(handler_work_),
                     results = std::move(results)]() mutable {
            if (slot.is_connected()) slot.clear();
            std::apply(std::move(handler), std::move(results));
        };
        delete this;
        boost::asio::dispatch(at, std::move(call));
    }

    task<T> work_;
    Handler handler_;
    boost::asio::executor_work_guard<executor> handler_work_;  // the handler's context runs until it is called
};

/** Makes a root of a task and a handler, and starts it on its loop. */
struct start_root {
    template <class Handler, class T>
    void operator()(Handler&& handler, serial_loop* loop, task<T> work) const
    {
        auto* root = new handled_root<T, std::decay_t<Handler>>{*loop, std::move(work), std::forward<Handler>(handler)};
        root->connect_slot();
        root->start();
    }
};

}  // namespace async_detail

/** Starts a task from Asio code, with any completion token: `use_awaitable`, `use_future`, a callback, …
 *
 *      std::string answer = co_await weft::async_start(loop, ask("weather"), asio::use_awaitable);
 *
 *  The task begins on the loop, inside this call if that is where it is called. The handler is called on its
 *  associated executor, by default the loop's, with `(std::exception_ptr, T)` or `(std::exception_ptr)`; never inside
 *  this call.
 *
 *  @param loop   Keeps its `io_context` running until the task has ended. If the loop dies first, so does the task, and
 *                the handler is not called.
 *  @param work   Its result type must be default constructible, for the handler of a failed task.
 *
 *  @par Errors          None by itself; those of the task go to the handler.
 *  @par Cancellation    Terminal cancellation by the handler's slot stops the task, which then ends as it likes,
 *                       usually with `errc::cancelled`. The slot may be used on the handler's executor only, as Asio
 *                       has it.
 *  @par Thread safety   From any OS thread.
 */
template <class T, class CompletionToken>
auto async_start(serial_loop& loop, task<T> work, CompletionToken&& token)
{
    return boost::asio::async_initiate<CompletionToken, typename async_detail::started_signature<T>::type>(
        async_detail::start_root{}, token, &loop, std::move(work));
}

}  // namespace weft
