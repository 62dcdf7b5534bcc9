#include "run_rare_part.hpp"

#include <utility>

namespace weft {

/** What plain nodes and coroutines that compute learn of stops before the loop carries them out. */

bool run::is_cancel_due() const noexcept
{
    return request_.stop_token().stop_requested() ||
           (cancel_asked_ && cancel_asked_->load(std::memory_order_relaxed)) || (around_ && around_->stop_is_due());
}

run::stop_cause run::due_stop(token_index token, time_point timeout_at) const noexcept
{
    if (is_cancel_due()) return stop_cause::cancelled;
    const time_point now = loop_.now();
    if (rare_ && rare_->elapsed && rare_->elapsed->is_armed() && rare_->elapsed->deadline() <= now)
        return stop_cause::run_timeout;
    if (late_branch(token, now)) return stop_cause::branch_timeout;
    return timeout_at <= now ? stop_cause::node_timeout : stop_cause::none;
}

/** The timer of the branch that a token is, or lies in, if its time is up. */
run::token_timer* run::late_branch(token_index token, time_point now) const noexcept
{
    if (!rare_) return nullptr;
    while (token != no_index) {
        for (const auto& timer : rare_->timers)
            if (timer->token == token && timer->use == timer_use::branch && timer->timer.deadline() <= now)
                return timer.get();
        const region_index within = scheduler_.at(token).region;
        token = within == no_index ? no_index : scheduler_.where().regions[within].parent;
    }
    return nullptr;
}

/** A node has ended that was told of a stop: it comes before the node's end. */
void run::carry_out(stop_cause cause, token_index token)
{
    switch (cause) {
    case stop_cause::cancelled: note_inner_places(); return scheduler_.stop();
    case stop_cause::run_timeout: return run_out_of_time();
    case stop_cause::branch_timeout: {
        const std::unique_ptr<token_timer> timer = take_timer(*late_branch(token, loop_.now()));
        return scheduler_.branch_timed_out(timer->token);
    }
    case stop_cause::node_timeout:
        if (token < at_work_.size() && at_work_[token]) at_work_[token]->note_timeout();
        return;
    case stop_cause::none: return;
    }
}

std::chrono::nanoseconds run::limit_of(token_index token) const noexcept
{
    return timeout_of(graph_.node(scheduler_.at(token).node));
}

}  // namespace weft
