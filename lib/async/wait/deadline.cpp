#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>

#include <string>

namespace weft::async_detail {

timed_group::timed_group(const task_context& parent, std::chrono::nanoseconds limit, bool is_shielded) noexcept
    : group_{parent, is_shielded}, limit_{limit},
      timer_{*parent.loop, [](void* self) { static_cast<timed_group*>(self)->expire(); }, this}
{
}

void timed_group::expire()
{
    // A stop from outside that came first is what the work ends with.
    if (group_.stop_requested()) return;
    is_expired_ = true;
    group_.request_stop();
}

void timed_group::check(bool is_started, const std::exception_ptr& error)
{
    timer_.disarm();
    if (!is_started) throw_cancelled();
    if (!error || !is_expired_) return;
    const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(limit_);
    throw weft::error{errc::timeout, {}, "not done within " + std::to_string(limit.count()) + " ms"};
}

}  // namespace weft::async_detail
