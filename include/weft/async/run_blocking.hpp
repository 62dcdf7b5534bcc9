#pragma once

#include <weft/async/task.hpp>

#include <memory>
#include <stop_token>
#include <utility>

namespace weft {

class token_scope;

/** Runs a task to its end on an `io_context` of its own, on the calling OS thread, and gives its result back.
 *
 *      int main() { return weft::run_blocking(serve()); }
 *
 *  The only bridge for code that has no `io_context`, such as `main` and tests. Not for use inside a coroutine.
 *
 *  @param work   The task.
 *  @param stop   Stops the task's scope when it is asked to stop, from any OS thread; at once if it was before.
 *
 *  @par Errors          What the task throws. `errc::cancelled` if `stop` ended it.
 */
template <class T>
T run_blocking(task<T> work, std::stop_token stop = {});

namespace async_detail {

/** A task at the root of a chain on a given loop, with its own stop scope and a bridge from a standard token. */
class root_runner {
public:
    /** On an `io_context` of its own. */
    explicit root_runner(std::stop_token stop);
    /** On one that outlives it, and that this OS thread runs. */
    root_runner(boost::asio::io_context& context, std::stop_token stop);
    ~root_runner();

    [[nodiscard]] const task_context& context() const noexcept { return context_; }
    /** Runs the `io_context` until `done` was called; throws if it runs out of work before. */
    void run_until_done();
    /** The done function of the root task; `self` is the runner. */
    static void done(void* self) noexcept { static_cast<root_runner*>(self)->is_done_ = true; }
    void finish() noexcept { is_done_ = true; }

private:
    root_runner(std::unique_ptr<boost::asio::io_context> own, std::stop_token stop);

    std::unique_ptr<boost::asio::io_context> own_;
    boost::asio::io_context& io_;
    std::unique_ptr<token_scope> scope_;
    task_context context_;
    bool is_done_ = false;
};

}  // namespace async_detail

template <class T>
T run_blocking(task<T> work, std::stop_token stop)
{
    async_detail::root_runner runner{std::move(stop)};
    task<T> root = std::move(work);
    if (!root.start(runner.context(), &async_detail::root_runner::done, &runner)) runner.run_until_done();
    return root.take();
}

}  // namespace weft
