#pragma once

#include <weft/async/task.hpp>
#include <weft/async/wait/slot_limiter.hpp>
#include <weft/engine/run_event.hpp>
#include <weft/store/role/run_event_log.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace weft {

class checkpoint_committer;

/** Writes the events of a run into the event log of its store: with each checkpoint those that led to it, and before
 *  the end of the run all. So a reader of the log knows everything that a run, wherever it goes on, will not do again.
 *
 *  What a node emits while the store does not take it is kept up to a bound; of more it is dropped.
 *
 *  @par Thread safety   None: it belongs to the loop of the run.
 *  @par Lifetimes       Log and committer outlive it and its tasks. */
class event_recorder {
public:
    event_recorder(run_event_log& log, const checkpoint_committer& run, event_log_limits limits) noexcept
        : log_{log}, run_{run}, limits_{limits}
    {
    }

    void record(const run_event& event);
    /** Writes what was recorded. What the store does not take stays for the next time; nothing is thrown but
     *  `errc::cancelled`. */
    [[nodiscard]] task<void> flush();

    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

private:
    void drop_outputs();
    /** The oldest events, as many as a store takes at once. */
    [[nodiscard]] std::vector<event_draft> take_batch();
    void put_back(std::vector<event_draft> batch);

    run_event_log& log_;
    const checkpoint_committer& run_;
    event_log_limits limits_;
    std::vector<event_draft> waiting_;
    std::size_t waiting_bytes_ = 0;
    slot_limiter one_flush_{1};
};

}  // namespace weft
