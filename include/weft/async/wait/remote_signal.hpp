#pragma once

#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/task.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>

#include <coroutine>
#include <mutex>
#include <optional>

namespace weft {

/** Wakes one waiting coroutine from any OS thread, or at a moment of its loop's clock.
 *
 *      const auto news = make_counted<remote_signal>();
 *      queue.tell(news);                 // another OS thread calls news->notify()
 *      co_await news->wait();
 *
 *  A notification without a waiter is remembered; several count as one. The coroutine looks at what it waits
 *  for, waits, and looks again.
 *
 *  @par Thread safety   `notify` from any OS thread. `wait` by one coroutine at a time.
 *  @par Lifetimes       Shared by those who notify and who waits: a notification may come when the coroutine and its
 *                       loop are gone.
 */
class remote_signal : public ref_counted<remote_signal> {
public:
    class waiter;

    remote_signal() noexcept : arrival_{*this} {}
    remote_signal(const remote_signal&) = delete;
    remote_signal& operator=(const remote_signal&) = delete;

    /** Wakes the waiting coroutine soon, or the next one that waits at once. It takes a lock for some nanoseconds and
     *  posts at most once for a batch of notifications. */
    void notify();

    /** `co_await s.wait()`: until a notification, which it uses up.
     *  @par Errors          `errc::cancelled`.
     *  @par Cancellation    At once; a notification that came meanwhile is kept. */
    [[nodiscard]] waiter wait() noexcept;

    /** As `wait`, and at the latest until `deadline`, rounded up to the loop's tick.
     *  @return   Whether a notification came. */
    [[nodiscard]] waiter wait_until(std::optional<time_point> deadline) noexcept;

private:
    struct arrival_item : remote_item {
        explicit arrival_item(remote_signal& owner) noexcept;
        remote_signal& owner;
    };
    // On the loop, some time after `notify`: the coroutine may have left meanwhile.
    void arrive();
    [[nodiscard]] bool take() noexcept;
    [[nodiscard]] bool begin_wait(waiter& self, serial_loop& loop) noexcept;
    void end_wait() noexcept;

    std::mutex lock_;
    serial_loop* loop_ = nullptr;  // while a coroutine waits
    bool is_notified_ = false;
    bool is_posted_ = false;
    waiter* waiter_ = nullptr;  // touched on its loop only
    arrival_item arrival_;
};

/** What awaiting a remote signal looks like. */
class [[nodiscard]] remote_signal::waiter final : private ready_item, private stoppable {
public:
    waiter(remote_signal& source, std::optional<time_point> deadline) noexcept;
    ~waiter();

    bool await_ready() const noexcept { return false; }
    template <task_promise_type Promise>
    bool await_suspend(std::coroutine_handle<Promise> self)
    {
        return start(self.promise().context(), self);
    }
    bool await_resume() const;

private:
    friend class remote_signal;
    enum class outcome : unsigned char { none, notified, expired, stopped };
    [[nodiscard]] bool start(const task_context& context, std::coroutine_handle<> self);
    void end(outcome how);

    intrusive_ptr<remote_signal> source_;
    std::optional<time_point> deadline_;
    std::coroutine_handle<> coroutine_;
    serial_loop* loop_ = nullptr;  // while it waits
    loop_timer timer_;
    outcome outcome_ = outcome::none;
};

inline remote_signal::waiter remote_signal::wait() noexcept { return waiter{*this, std::nullopt}; }

inline remote_signal::waiter remote_signal::wait_until(std::optional<time_point> deadline) noexcept
{
    return waiter{*this, deadline};
}

}  // namespace weft
