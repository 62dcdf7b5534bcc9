#pragma once

#include <weft/async/task.hpp>
#include <weft/async/task/refused_wait.hpp>

#include <coroutine>
#include <cstddef>
#include <exception>
#include <utility>

namespace weft::async_detail {

/** True if an exception says that a stop ended the work. */
[[nodiscard]] bool is_cancellation(const std::exception_ptr& cause) noexcept;

/** What scope, join, race and deadline have in common: children below one stop, counted, their errors told apart.
 *
 *  An error before the stop is a failure. After the stop, `cancelled` is what the stop asked for, anything else is a
 *  failure too. The first failure in time is the one that is reported.
 */
class child_group {
public:
    /** @param parent  Its loop is used; its stop reaches the children unless `is_shielded`. */
    explicit child_group(const task_context& parent, bool is_shielded = false) noexcept
        : parent_{parent.scope}, stop_{is_shielded ? nullptr : parent.scope},
          context_{parent.loop, &stop_, parent.tenant}
    {
    }
    child_group(const child_group&) = delete;
    child_group& operator=(const child_group&) = delete;

    /** The context that children run in. */
    [[nodiscard]] const task_context& context() const noexcept { return context_; }
    /** How many children have started and not ended. */
    [[nodiscard]] std::size_t running() const noexcept { return running_; }
    /** How many have failed; those that the stop ended are none. */
    [[nodiscard]] std::size_t failures() const noexcept { return failures_; }
    [[nodiscard]] bool stop_requested() const noexcept { return stop_.stop_requested(); }
    /** Asks all children to end. They are still to be awaited. */
    void request_stop() { stop_.request_stop(); }

    /** Counts a child that is about to start. */
    // A child is counted before it runs: one that ends at once must not make the group look empty to the others.
    void child_started() noexcept { ++running_; }
    /** Counts a child that has ended; resumes the waiting coroutine, which may destroy the group, after the last. */
    void child_ended()
    {
        if (--running_ == 0 && waiter_) std::exchange(waiter_, nullptr).resume();
    }
    /** Takes note of the error of a child, or of a child that was not started because of a stop (null).
     *  @return True if it is a failure. */
    bool note_error(const std::exception_ptr& cause) noexcept;

    /** The wait for the last child. With no child that started it ends at once, or in a stopped chain a turn later. */
    struct all_ended {
        child_group& group;
        /** @return  Whether nothing is to be waited for. */
        bool await_ready() const noexcept { return group.running_ == 0 && !group.is_refused(); }
        void await_suspend(std::coroutine_handle<> self) const
        {
            if (group.running_ > 0)
                group.waiter_ = self;
            else
                group.refused_.start(group.context_, self);
        }
        void await_resume() const noexcept {}
    };
    /** `co_await group.wait()`: until no child runs. One coroutine waits at a time; a stop does not end the wait. */
    [[nodiscard]] all_ended wait() noexcept { return all_ended{*this}; }

    /** Throws the first failure, if any, once; else `errc::cancelled` if the parent's stop cut a child short. */
    void rethrow();

    /** As `rethrow` when nothing succeeded: the parent's stop weighs more than a failure. */
    [[noreturn]] void throw_nothing_succeeded();

private:
    /** Whether the parent's stop is why there is nothing to wait for. */
    [[nodiscard]] bool is_refused() const noexcept { return stop_.stop_requested() && parent_->stop_requested(); }

    // The scope is the group's own: it can be stopped, by the first failure for example, while the parent goes on.
    const stop_scope* parent_;
    inner_stop_scope stop_;
    task_context context_;
    std::coroutine_handle<> waiter_;
    std::size_t running_ = 0;
    std::size_t failures_ = 0;
    bool is_cut_short_ = false;  // a stop ended a child, or kept one from starting
    std::exception_ptr first_failure_;
    refused_wait refused_;
};

/** A child whose task stands in the frame of the coroutine that waits for it. Declare it after its group. */
template <class T>
class branch {
public:
    /** A plain function: what it needs it finds by `group()`. */
    using ended_function = void (*)(branch& self);

    explicit branch(task<T> work) noexcept : work_{std::move(work)} {}
    branch(branch&&) noexcept = default;

    /** Starts the task in `group`, unless a stop was asked for.
     *  @param ended  Called when it ends, here or later; the group's count follows afterwards. */
    void start(child_group& group, ended_function ended)
    {
        group_ = &group;
        ended_ = ended;
        if (group.stop_requested()) {
            work_.reset();
            group.note_error(nullptr);
            return;
        }
        group.child_started();
        constexpr auto later = [](void* self) { static_cast<branch*>(self)->end(); };
        if (work_.start(group.context(), later, this)) end();
    }

    [[nodiscard]] child_group& group() const noexcept { return *group_; }
    /** False if a stop came before; then there is neither error nor result. */
    [[nodiscard]] bool is_started() const noexcept { return static_cast<bool>(work_); }
    /** The error of the ended task; null if it succeeded. */
    [[nodiscard]] const std::exception_ptr& error() const noexcept { return work_.exception(); }
    /** The result, or the exception, of the ended task. */
    T take() { return work_.take(); }

private:
    /** The group goes on last: it may resume a coroutine that destroys this branch. */
    void end()
    {
        ended_(*this);
        group_->child_ended();
    }

    task<T> work_;
    child_group* group_ = nullptr;
    ended_function ended_ = nullptr;
};

}  // namespace weft::async_detail
