#include <weft/async/sleep.hpp>
#include <weft/async/task/child_group.hpp>
#include <weft/base/error.hpp>

namespace weft::async_detail {

bool is_cancellation(const std::exception_ptr& cause) noexcept { return code_of(cause) == errc::cancelled; }

bool child_group::note_error(const std::exception_ptr& cause) noexcept
{
    if (!cause || (stop_.stop_requested() && is_cancellation(cause))) {
        is_cut_short_ = true;
        return false;
    }
    ++failures_;
    if (!first_failure_) first_failure_ = cause;
    return true;
}

void child_group::rethrow()
{
    if (first_failure_) std::rethrow_exception(std::exchange(first_failure_, nullptr));
    if (std::exchange(is_cut_short_, false) && parent_->stop_requested()) throw_cancelled();
}

void child_group::throw_nothing_succeeded()
{
    if (!first_failure_ || parent_->stop_requested()) throw_cancelled();
    std::rethrow_exception(std::exchange(first_failure_, nullptr));
}

}  // namespace weft::async_detail
