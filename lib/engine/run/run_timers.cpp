#include "run_rare_part.hpp"

#include <algorithm>
#include <utility>

namespace weft {

run::rare_part& run::rare()
{
    if (!rare_) rare_ = std::make_unique<rare_part>();
    return *rare_;
}

void run::token_timer::fired(void* self)
{
    auto& timer = *static_cast<token_timer*>(self);
    const intrusive_ptr<run> kept{&timer.owner};
    const std::unique_ptr<token_timer> owned = kept->take_timer(timer);
    if (timer.use == timer_use::retry)
        kept->scheduler_.retry_due(timer.token);
    else
        kept->scheduler_.branch_timed_out(timer.token);
    kept->pump();
}

void run::arm(token_index index, timer_use use, std::chrono::nanoseconds delay)
{
    auto& timer = rare().timers.emplace_back(std::make_unique<token_timer>(*this, index, use));
    timer->timer.arm_after(delay);
}

std::unique_ptr<run::token_timer> run::take_timer(const token_timer& timer)
{
    auto& timers = rare().timers;
    const auto found = std::find_if(timers.begin(), timers.end(), [&](const auto& t) { return t.get() == &timer; });
    std::unique_ptr<token_timer> taken = std::move(*found);
    std::swap(*found, timers.back());
    timers.pop_back();
    return taken;
}

void run::disarm(token_index index, timer_use use)
{
    std::erase_if(rare().timers, [&](const auto& timer) { return timer->token == index && timer->use == use; });
}

/** What may end the run from outside its graph: the request's token, its limit of time. */
void run::watch_outside()
{
    if (const auto& token = request_.stop_token(); token.stop_possible())
        rare().from_token.emplace(token, loop_, [](void* self) { static_cast<run*>(self)->cancel(); }, this);
    if (const auto& token = request_.pause_token(); token.stop_possible())
        rare().from_pause.emplace(token, loop_, [](void* self) { static_cast<run*>(self)->pause(); }, this);
    if (request_.limits().elapsed_max().count() <= 0) return;
    const auto give_up = [](void* self) {
        const intrusive_ptr<run> late{static_cast<run*>(self)};
        late->run_out_of_time();
        late->pump();
    };
    const std::chrono::nanoseconds left = request_.limits().elapsed_max() - elapsed_before();
    rare().elapsed.emplace(loop_, give_up, this).arm_after(std::max(left, std::chrono::nanoseconds{0}));
}

/** First the branches that have an edge for that leave the run by it; what is not over by then is stopped. */
void run::run_out_of_time()
{
    failure cause;
    cause.code = errc::run_timeout;
    cause.message = "the run took longer than its `elapsed_max`; running nodes were stopped";
    const failure_ptr why = std::make_shared<const failure>(std::move(cause));
    const std::chrono::nanoseconds reserve = request_.limits().reserve().elapsed;
    if (std::exchange(rare().is_out_of_time, true) || reserve.count() <= 0) {
        scheduler_.stop(why);
    } else {
        rare().elapsed->arm_after(reserve);
        scheduler_.run_out_of_time(why);
    }
}

/** How long a run that is resumed had run before; pauses are left out. */
std::chrono::nanoseconds run::elapsed_before() const noexcept
{
    const auto& from = request_.resumed_from();
    return from && from->extras ? from->extras->elapsed : std::chrono::nanoseconds{0};
}

run_remaining run::remaining() const
{
    run_remaining left;
    if (const std::uint32_t most = request_.limits().steps_max(); most != 0)
        left.steps = most - std::min(most, scheduler_.where().steps);
    const run* all = this;
    while (all->rare_ && all->rare_->outer) all = all->rare_->outer;
    if (const std::chrono::nanoseconds most = all->request_.limits().elapsed_max(); most.count() > 0) {
        const std::chrono::nanoseconds used = all->elapsed_before() + (loop_.now() - all->started_);
        left.elapsed = std::max(most - used, std::chrono::nanoseconds{0});
    }
    if (const auto ledger = budget()) {
        left.tokens = ledger->tokens_left();
        left.cost = ledger->cost_left();
    }
    return left;
}

void run::note_elapsed()
{
    if (request_.limits().elapsed_max().count() > 0)
        scheduler_.restart().note_elapsed(elapsed_before() + (loop_.now() - started_));
}

}  // namespace weft
