#pragma once

#include <weft/async/task/child_group.hpp>

#include <cstddef>

namespace weft {

/** What the failure of one child means for the others. */
enum class failure_policy {
    stop_siblings,  ///< The first failure stops the other children.
    keep_going,     ///< The other children run to their end.
};

/** Children that run side by side and cannot outlive their parent.
 *
 *      const task_context& context = co_await this_task::context();
 *      scope children{context};
 *      children.spawn(listen(8080));
 *      children.spawn(listen(8081));
 *      co_await children.join();
 *
 *  A child starts inside `spawn` and runs there until it first waits. The scope is a stop scope below the parent's: a
 *  stop of the parent reaches all children. In a stopped scope `spawn` drops the child without starting it.
 *
 *  A child that waits costs its frame and one block of 64 bytes, both pooled; one that does not wait costs neither.
 *
 *  @par Thread safety   None: it belongs to one loop.
 *  @par Lifetimes       `context` and the loop outlive the scope. The destructor destroys the frames of children that
 *                       still run; it must not run inside one of them.
 */
class scope {
public:
    /** @param context  Of the parent coroutine, from `co_await this_task::context()`. */
    explicit scope(const task_context& context, failure_policy on_failure = failure_policy::stop_siblings) noexcept
        : group_{context}, on_failure_{on_failure}
    {
    }
    ~scope();
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;

    /** Starts a child. */
    void spawn(task<void> child);

    /** `co_await children.join()`: waits until no child runs. It can be done again after more were spawned.
     *
     *  @par Errors
     *    - The first failure in time, once. Cancellations that a stop caused are no failures; `failures` counts all.
     *    - `errc::cancelled`  no child failed and a stop of the parent cut one short.
     *  @par Cancellation    The children are stopped and still awaited. */
    [[nodiscard]] auto join() noexcept { return joiner{group_}; }

    /** Asks all children to end; `join` does not count their cancellations as errors. The scope stays stopped. */
    void request_stop() { group_.request_stop(); }

    [[nodiscard]] bool stop_requested() const noexcept { return group_.stop_requested(); }
    /** How many children have started and not ended. */
    [[nodiscard]] std::size_t running() const noexcept { return group_.running(); }
    /** How many children have failed since the scope was made. */
    [[nodiscard]] std::size_t failures() const noexcept { return group_.failures(); }
    /** The context that children run in. */
    [[nodiscard]] const task_context& context() const noexcept { return group_.context(); }

private:
    struct child;
    class joiner {
    public:
        explicit joiner(async_detail::child_group& group) noexcept : group_{group} {}
        bool await_ready() const noexcept { return group_.wait().await_ready(); }
        void await_suspend(std::coroutine_handle<> self) const { group_.wait().await_suspend(self); }
        void await_resume() const { group_.rethrow(); }

    private:
        async_detail::child_group& group_;
    };
    void note(const std::exception_ptr& error);

    async_detail::child_group group_;
    failure_policy on_failure_;
    linked_list<child, scope> children_;
};

}  // namespace weft
