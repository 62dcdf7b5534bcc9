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
        auto& late = *static_cast<run*>(self);
        late.time_is_up();
        late.pump();
    };
    const std::chrono::nanoseconds left = request_.limits().elapsed_max() - elapsed_before();
    rare().elapsed.emplace(loop_, give_up, this).arm_after(std::max(left, std::chrono::nanoseconds{0}));
}

/** How long a run that is resumed had run before; pauses are left out. */
std::chrono::nanoseconds run::elapsed_before() const noexcept
{
    const auto& from = request_.resumed_from();
    return from && from->extras ? from->extras->elapsed : std::chrono::nanoseconds{0};
}

void run::note_elapsed()
{
    if (request_.limits().elapsed_max().count() > 0)
        scheduler_.note_elapsed(elapsed_before() + (loop_.now() - started_));
}

}  // namespace weft
