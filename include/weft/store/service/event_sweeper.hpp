#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/store/service_store.hpp>

namespace weft {

/** Forgets the events of runs that have been over for long, but the newest of each; the runs stay, and the states of
 *  their threads.
 *
 *      event_sweeper sweeper{store->service(), 168h};
 *      const event_prune gone = co_await sweeper.sweep_in_turn();
 *
 *  A client that joins such a run later gets its last event and its end, behind a notice that what came before is gone.
 *  Dead runs keep their events. A batch is a transaction of some thousand events; between two, writers have their turn.
 *
 *  @par Errors          As `checkpoint_store`.
 *  @par Cancellation    At once; what is gone by then stays gone.
 *  @par Thread safety   As the store.
 *  @par Lifetimes       The store outlives it, and it its tasks.
 */
class event_sweeper {
public:
    /** @param keep   How long events stay after the end of their run, by the clock of the store. */
    event_sweeper(service_store& service, std::chrono::milliseconds keep) noexcept : service_{service}, keep_{keep} {}

    /** Forgets all whose time is over, whatever other processes do. */
    [[nodiscard]] task<event_prune> sweep();
    /** The same, by one process of all on the store at a time, and once in a `period`.
     *  @return  Nothing gone also if it is not this one's turn. */
    [[nodiscard]] task<event_prune> sweep_in_turn();
    /** How often it is done: 24 times in the time that events stay, each second at most, each hour at least. */
    [[nodiscard]] std::chrono::milliseconds period() const noexcept;

private:
    service_store& service_;
    std::chrono::milliseconds keep_;
};

}  // namespace weft
