#include <weft/async/signal.hpp>
#include <weft/async/sleep.hpp>

#include <boost/assert.hpp>

namespace weft {

bool signal::waiter::start(const task_context& context, std::coroutine_handle<> self)
{
    BOOST_ASSERT_MSG(source_.waiting_.empty(), "one coroutine at a time waits for a signal");
    if (context.scope->stop_requested()) return refuse(context, self);
    wait_in(source_.waiting_, context, self);
    return true;
}

void signal::waiter::await_resume() const
{
    if (ended_by() != outcome::granted) async_detail::throw_cancelled();
}

}  // namespace weft
