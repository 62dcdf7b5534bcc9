#include <weft/async/sleep.hpp>
#include <weft/async/wait/slot_limiter.hpp>

namespace weft {

bool slot_limiter::acquisition::start(const task_context& context, std::coroutine_handle<> self)
{
    if (context.scope->stop_requested()) return refuse(context, self);
    if (owner_.take()) {
        end_at_once(outcome::granted);
        return false;
    }
    wait_in(owner_.waiting_, context, self);
    return true;
}

slot_limiter::slot slot_limiter::acquisition::await_resume()
{
    if (ended_by() != outcome::granted) async_detail::throw_cancelled();
    is_taken_ = true;
    return slot{owner_};
}

}  // namespace weft
