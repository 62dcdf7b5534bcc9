#pragma once

#include <weft/async/task.hpp>

#include <coroutine>
#include <string>
#include <utility>

namespace weft {

/** Awaits a task on behalf of a tenant: a store that guards rows (`postgres_options::tenant_role`) shows it those of
 *  this tenant only, whatever it asks for. A server that asks who calls does so for each request.
 *
 *      weft::on_behalf_of work{answer(call), &tenant};
 *      co_await work;
 *
 *  What the task awaits is on the tenant's behalf too, and so are children of its scopes. What it only hands over, such
 *  as a run that an engine performs, is not. It allocates nothing.
 *
 *  @par Errors          What the task throws.
 *  @par Cancellation    That of the task: it has the stop scope of the coroutine that awaits it.
 *  @par Lifetimes       The tenant outlives the wait. It is awaited once.
 */
template <class T>
class on_behalf_of {
public:
    /** @param tenant   Null: the program itself, within work for a tenant. */
    on_behalf_of(task<T> work, const std::string* tenant) noexcept
        : work_{std::move(work)}, within_{nullptr, nullptr, tenant}
    {
    }

    bool await_ready() const noexcept { return false; }
    template <task_promise_type Promise>
    bool await_suspend(std::coroutine_handle<Promise> parent)
    {
        constexpr auto resume = [](void* frame) { std::coroutine_handle<>::from_address(frame).resume(); };
        const task_context& outer = parent.promise().context();
        within_.loop = outer.loop;
        within_.scope = outer.scope;
        return !work_.start(within_, resume, parent.address());
    }
    T await_resume() { return work_.take(); }

private:
    task<T> work_;
    task_context within_;
};

}  // namespace weft
