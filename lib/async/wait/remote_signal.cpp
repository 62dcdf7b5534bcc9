#include <weft/async/sleep.hpp>
#include <weft/async/task/refused_wait.hpp>
#include <weft/async/wait/remote_signal.hpp>

#include <utility>

namespace weft {

remote_signal::arrival_item::arrival_item(remote_signal& owner) noexcept
    : remote_item{[](remote_item& self) { static_cast<arrival_item&>(self).owner.arrive(); }}, owner{owner}
{
}

void remote_signal::notify()
{
    const std::lock_guard guard{lock_};
    is_notified_ = true;
    if (!loop_ || is_posted_) return;
    is_posted_ = true;
    intrusive_ptr_add_ref(this);  // for the loop
    loop_->post(arrival_);
}

void remote_signal::arrive()
{
    const intrusive_ptr<remote_signal> self{this, false};
    {
        const std::lock_guard guard{lock_};
        is_posted_ = false;
        // What was posted for a wait that is over must not end the next one without a notification.
        if (!loop_ || !is_notified_) return;
    }
    if (waiter_ && take()) waiter_->end(waiter::outcome::notified);
}

bool remote_signal::take() noexcept
{
    const std::lock_guard guard{lock_};
    return std::exchange(is_notified_, false);
}

/** @return False if a notification was there already. */
bool remote_signal::begin_wait(waiter& self, serial_loop& loop) noexcept
{
    const std::lock_guard guard{lock_};
    if (std::exchange(is_notified_, false)) return false;
    loop_ = &loop;
    waiter_ = &self;
    return true;
}

void remote_signal::end_wait() noexcept
{
    waiter_ = nullptr;
    // Once this is done, no other OS thread touches the loop, which may then be destroyed.
    const std::lock_guard guard{lock_};
    loop_ = nullptr;
}

remote_signal::waiter::waiter(remote_signal& source, std::optional<time_point> deadline) noexcept
    : ready_item{[](ready_item& self) { static_cast<waiter&>(self).coroutine_.resume(); }},
      stoppable{[](stoppable& self) { static_cast<waiter&>(self).end(outcome::stopped); }}, source_{&source},
      deadline_{deadline}, timer_{[](void* self) { static_cast<waiter*>(self)->end(outcome::expired); }, this}
{
}

remote_signal::waiter::~waiter()
{
    if (!loop_) return;
    source_->end_wait();
    loop_->remove_work();
}

bool remote_signal::waiter::start(const task_context& context, std::coroutine_handle<> self)
{
    if (context.scope->stop_requested()) {
        outcome_ = outcome::stopped;
        coroutine_ = self;
        async_detail::refuse(context, *this);
        return true;
    }
    if (!source_->begin_wait(*this, *context.loop)) {
        outcome_ = outcome::notified;
        return false;
    }
    coroutine_ = self;
    loop_ = context.loop;
    loop_->add_work();
    context.begin_wait(*this);
    if (deadline_) {
        timer_.attach(*loop_);
        timer_.arm_after(*deadline_ - loop_->now());
    }
    return true;
}

void remote_signal::waiter::end(outcome how)
{
    outcome_ = how;
    serial_loop& loop = *std::exchange(loop_, nullptr);
    stoppable::unlink();
    if (timer_.is_armed()) timer_.disarm();
    source_->end_wait();
    loop.defer(*this);
    loop.remove_work();
}

bool remote_signal::waiter::await_resume() const
{
    if (outcome_ == outcome::stopped) async_detail::throw_cancelled();
    return outcome_ == outcome::notified;
}

}  // namespace weft
