#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/store/service_store.hpp>

#include <cstddef>

namespace weft {

/** Forgets runs that have been over for long, with their events, and what is counted for limits of tenants, graphs and
 *  keys that have no run under way; checkpoints stay with their threads.
 *
 *      run_sweeper sweeper{store->service(), 720h};
 *      const std::size_t gone = co_await sweeper.sweep_in_turn();
 *
 *  Each run goes in a short transaction, which locks nothing that claims or checkpoints use; counts go by hundreds, and
 *  one that a claim has locked stays. Dead runs stay, until they are revived or removed. The idempotency key of a run
 *  that went is free again.
 *
 *  @par Errors          As `checkpoint_store`.
 *  @par Cancellation    At once; what is gone by then stays gone.
 *  @par Thread safety   As the store.
 *  @par Lifetimes       The store outlives it, and it its tasks.
 */
class run_sweeper {
public:
    /** @param keep   How long a run stays after its end; by the clocks of the loop and of the process that ended it. */
    run_sweeper(service_store& service, std::chrono::milliseconds keep) noexcept : service_{service}, keep_{keep} {}

    /** Forgets all whose time is over, whatever other processes do. @return  How many. */
    [[nodiscard]] task<std::size_t> sweep();
    /** The same, by one process of all on the store at a time, and once in a `period`.
     *  @return  How many; 0 also if it is not this one's turn. */
    [[nodiscard]] task<std::size_t> sweep_in_turn();
    /** How often it is done: 24 times in the time that runs stay, each second at most, each hour at least. */
    [[nodiscard]] std::chrono::milliseconds period() const noexcept;

private:
    service_store& service_;
    std::chrono::milliseconds keep_;
};

}  // namespace weft
