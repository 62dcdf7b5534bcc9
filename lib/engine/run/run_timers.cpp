#include "run_timers.hpp"

#include "run_core.hpp"
#include "run_extras.hpp"

#include <algorithm>
#include <utility>

namespace weft {

run_timers::branch_timer::branch_timer(run_core& core, branch_index branch, use what) noexcept
    : core{core}, branch{branch}, what{what}, timer{core.loop, &branch_timer::fired, this}
{
}

void run_timers::branch_timer::fired(void* self)
{
    auto& timer = *static_cast<branch_timer*>(self);
    const intrusive_ptr<run_core> alive{&timer.core};
    const std::unique_ptr<branch_timer> owned = alive->extras->timers.take(timer);
    if (timer.what == use::retry)
        alive->scheduler().retry_due(timer.branch);
    else
        alive->scheduler().branch_timed_out(timer.branch);
    alive->go_on();
}

void run_timers::arm(branch_index branch, use what, std::chrono::nanoseconds delay)
{
    // Retries and branch timeouts are rare: a list that is searched is enough, and a branch has no room for them.
    timers_.push_back(std::make_unique<branch_timer>(core_, branch, what));
    timers_.back()->timer.arm_after(delay);
}

std::unique_ptr<run_timers::branch_timer> run_timers::take(const branch_timer& timer)
{
    const auto found = std::find_if(timers_.begin(), timers_.end(), [&](const auto& t) { return t.get() == &timer; });
    std::unique_ptr<branch_timer> taken = std::move(*found);
    // The order does not matter.
    std::swap(*found, timers_.back());
    timers_.pop_back();
    return taken;
}

void run_timers::disarm(branch_index branch, use what)
{
    std::erase_if(timers_, [&](const auto& timer) { return timer->branch == branch && timer->what == what; });
}

void run_timers::disarm_all() noexcept
{
    timers_.clear();
    whole_run_.reset();
}

void run_timers::limit_run()
{
    const auto fired = [](void* self) {
        const intrusive_ptr<run_core> alive{static_cast<run_core*>(self)};
        alive->extras->timers.end_run_time();
        alive->go_on();
    };
    // A resumed run has what is left of its time.
    const std::chrono::nanoseconds left = core_.request.limits().elapsed_max() - core_.elapsed_before();
    whole_run_.emplace(core_.loop, fired, &core_).arm_after(std::max(left, std::chrono::nanoseconds{0}));
}

bool run_timers::is_run_late(time_point now) const noexcept
{
    return whole_run_ && whole_run_->is_armed() && whole_run_->deadline() <= now;
}

branch_index run_timers::late_branch(branch_index branch, time_point now) const noexcept
{
    // A plain node can only ask, since the timer cannot fire while it holds the loop. Its branch may be late because
    // one around it is.
    while (branch != no_index) {
        for (const auto& timer : timers_)
            if (timer->branch == branch && timer->what == use::branch && timer->timer.deadline() <= now) return branch;
        const region_index within = core_.scheduler().at(branch).region;
        branch = within == no_index ? no_index : core_.scheduler().where().regions[within].parent;
    }
    return no_index;
}

// First the branches that have an edge for that leave the run by it. What is not over when the reserve is used up too
// is stopped.
void run_timers::end_run_time()
{
    failure cause;
    cause.code = errc::run_timeout;
    cause.message = "the run took longer than its `elapsed_max`; running nodes were stopped";
    const failure_ptr why = std::make_shared<const failure>(std::move(cause));
    const std::chrono::nanoseconds reserve = core_.request.limits().reserve().elapsed;
    if (std::exchange(is_out_of_time_, true) || reserve.count() <= 0) {
        core_.scheduler().stop(why);
    } else {
        whole_run_->arm_after(reserve);
        core_.scheduler().run_out_of_time(why);
    }
}

void run_timers::end_branch_time(branch_index branch)
{
    const branch_index late = late_branch(branch, core_.loop.now());
    disarm(late, use::branch);
    core_.scheduler().branch_timed_out(late);
}

}  // namespace weft
