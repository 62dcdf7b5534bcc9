#include <weft/async/sleep.hpp>
#include <weft/async/task/child_group.hpp>
#include <weft/async/task/from_awaitable.hpp>

namespace weft::async_detail {

void rethrow_awaitable_error(const std::exception_ptr& error, bool stopped)
{
    if (!error) return;
    if (stopped && is_cancellation(error)) throw_cancelled();
    std::rethrow_exception(error);
}

}  // namespace weft::async_detail
