#include <weft/async/sleep.hpp>
#include <weft/async/wait/stream_ends.hpp>
#include <weft/base/error.hpp>

#include <utility>

namespace weft::async_detail {

void stream_push::check() const
{
    if (ended_by() == outcome::stopped) throw_cancelled();
    if (ended_by() == outcome::closed) throw error{errc::stream_closed};
}

stream_pop::~stream_pop()
{
    // Granted and destroyed before it ran: the next in line gets the value.
    if (!has_claim()) return;
    ends_->drop_claim(*this);
    ends_->offer();
}

bool stream_pop::start(stream_ends& ends, std::size_t values, const task_context& context,
                       std::coroutine_handle<> self)
{
    ends_ = &ends;
    if (context.scope->stop_requested()) return refuse(context, self);
    if (ends.has_unclaimed(values)) {
        ends.add_claim(*this);
        end_at_once(outcome::granted);
    } else if (ends.is_closed()) {
        error_ = ends.error_;
        end_at_once(outcome::closed);
    } else {
        wait_in(ends.pops_, context, self);
    }
    return is_waiting();
}

bool stream_pop::use_claim()
{
    if (ended_by() == outcome::stopped) throw_cancelled();
    if (has_claim()) {
        ends_->drop_claim(*this);
        return true;
    }
    if (error_) std::rethrow_exception(error_);
    return false;
}

void stream_ends::close(std::exception_ptr error)
{
    if (is_closed_) return;
    is_closed_ = true;
    error_ = std::move(error);
    close_all(pushes_);
    while (!pops_.empty()) {
        auto& pop = static_cast<stream_pop&>(pops_.front());
        pop.error_ = error_;
        pop.close();
    }
}

void stream_ends::abandon()
{
    close(nullptr);
    while (!claimed_by_.empty()) claimed_by_.pop().error_ = error_;
}

}  // namespace weft::async_detail
