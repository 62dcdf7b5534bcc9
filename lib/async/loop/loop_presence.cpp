#include <weft/async/loop/loop_presence.hpp>

#include <weft/async/loop/serial_loop.hpp>

#include <utility>

namespace weft {

namespace {

// The innermost one: what it runs may itself run a context.
constinit thread_local serial_loop* present_loop = nullptr;

}  // namespace

serial_loop* loop_presence::enter(serial_loop& loop) noexcept { return std::exchange(present_loop, &loop); }

void loop_presence::leave(const serial_loop& loop, serial_loop* before) noexcept
{
    // Else the loop has died, and what was present before may have been the same one.
    if (present_loop == &loop) present_loop = before;
}

void loop_presence::forget(const serial_loop& loop) noexcept
{
    if (present_loop == &loop) present_loop = nullptr;
}

serial_loop* loop_presence::queue_of(const boost::asio::io_context& context) noexcept
{
    serial_loop* const here = present_loop;
    return here && &here->context_ == &context && !here->strand_ && !here->order_ ? here : nullptr;
}

}  // namespace weft
