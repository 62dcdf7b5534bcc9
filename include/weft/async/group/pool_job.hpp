#pragma once

#include <weft/async/task.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>

#include <coroutine>
#include <exception>
#include <mutex>

namespace boost::asio {
class thread_pool;
}

namespace weft::async_detail {

/** A function on its way to a pool and back. Shared by the coroutine that waits, the pool and the loop.
 *
 *  The lock makes the end of the function and the end of the wait exclude each other: once `abandon` has returned, the
 *  pool does not touch the loop any more, which may then be destroyed.
 */
class pool_job : public ref_counted<pool_job> {
public:
    virtual ~pool_job() = default;
    pool_job(const pool_job&) = delete;
    pool_job& operator=(const pool_job&) = delete;

    /** Sends it to the pool. */
    void start(boost::asio::thread_pool& pool, serial_loop& loop, class pool_wait& waiter);

    /** The waiting coroutine is gone. On the loop. */
    void abandon();

    /** Throws what the function threw, and keeps nothing of it: the pool may be the last to drop the job. */
    void rethrow();

protected:
    pool_job() noexcept : arrival_{*this} {}

private:
    struct arrival_item : remote_item {
        explicit arrival_item(pool_job& job) noexcept;
        pool_job& job;
    };
    class pool_side;
    /** Calls the function and keeps its result. On an OS thread of the pool, without the lock. */
    virtual void call() = 0;
    // On the pool: `run` calls the function, or `refuse` says that the pool was stopped before; then `send_home` posts
    // to the loop. On the loop: `arrive` tells the coroutine.
    void run() noexcept;
    void refuse() noexcept;
    void send_home() noexcept;
    void arrive();

    std::mutex lock_;  // of the two that follow
    serial_loop* loop_ = nullptr;  // null once the waiter is gone
    class pool_wait* waiter_ = nullptr;
    arrival_item arrival_;
    std::exception_ptr error_;
};

/** Awaits a job.
 *
 *  @par Errors          What the function threw; `errc::cancelled` when a stop ended the wait, or the pool was stopped
 *                       before the function began.
 *  @par Cancellation    Of the wait, at once. The function goes on, and what it gives back is dropped.
 *  @par Lifetimes       The pool outlives the wait.
 */
class [[nodiscard]] pool_wait : private ready_item, private stoppable {
public:
    pool_wait(boost::asio::thread_pool& pool, pool_job& job) noexcept;
    ~pool_wait();

    bool await_ready() const noexcept { return false; }
    /** The job is always sent, unless the scope is stopped: then the coroutine waits a turn of the loop. */
    template <task_promise_type Promise>
    bool await_suspend(std::coroutine_handle<Promise> self)
    {
        return start(self.promise().context(), self);
    }
    void await_resume() const;

private:
    friend class pool_job;
    [[nodiscard]] bool start(const task_context& context, std::coroutine_handle<> self);
    // A stop ends the wait at once; the function, which no stop can reach, goes on, and its result is dropped.
    void stop();
    void job_done();

    boost::asio::thread_pool& pool_;
    pool_job& job_;
    serial_loop* loop_ = nullptr;
    std::coroutine_handle<> waiter_;
    bool is_pending_ = false;
    bool is_stopped_ = false;
};

}  // namespace weft::async_detail
