#include <weft/store/service/event_sweeper.hpp>

#include "sweep_turn.hpp"

namespace weft {

namespace {

// Some tens of milliseconds of work for a database.
constexpr std::size_t events_a_batch = 5'000;

}  // namespace

task<event_prune> event_sweeper::sweep()
{
    event_prune total;
    do {
        const event_prune done = co_await service_.run_events().prune(keep_, events_a_batch);
        total.runs += done.runs;
        total.events += done.events;
        total.has_more = done.has_more;
    } while (total.has_more);
    co_return total;
}

task<event_prune> event_sweeper::sweep_in_turn()
{
    store_detail::sweep_turn turn{service_.documents(), "event_sweep"};
    const bool is_mine = co_await turn.take();
    event_prune done;
    if (!is_mine) co_return done;
    done = co_await sweep();
    co_await turn.end(period());
    co_return done;
}

std::chrono::milliseconds event_sweeper::period() const noexcept { return store_detail::sweep_period(keep_); }

}  // namespace weft
