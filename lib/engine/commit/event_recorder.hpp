#pragma once

#include <weft/async/task.hpp>
#include <weft/async/wait/slot_limiter.hpp>
#include <weft/engine/run_event.hpp>
#include <weft/store/role/run_event_log.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace weft {

class checkpoint_committer;
class stored_event_pieces;

/** Writes the events of a run into the event log of its store: with each checkpoint those that led to it, and before
 *  the end of the run all. So a reader of the log knows everything that a run, wherever it goes on, will not do again.
 *
 *  What a node emits while the store does not take it is kept up to a bound; of more it is dropped.
 *
 *  @par Thread safety   None: it belongs to the loop of the run.
 *  @par Lifetimes       Log and committer outlive it and its tasks. */
class event_recorder {
public:
    event_recorder(run_event_log& log, const checkpoint_committer& run, event_log_limits limits) noexcept;
    event_recorder(const event_recorder&) = delete;
    event_recorder& operator=(const event_recorder&) = delete;
    ~event_recorder();

    /** Makes its text at once if that is short; of one with large values the rest is made by `prepare`. */
    void record(const run_event& event);
    /** Makes a piece of a text that is not complete. @return  True when all are. */
    [[nodiscard]] bool prepare();
    /** Writes what was recorded. What the store does not take stays for the next time; nothing is thrown but
     *  `errc::cancelled`. */
    [[nodiscard]] task<void> flush();

    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

private:
    struct waiting_event {
        event_draft draft;
        std::unique_ptr<stored_event_pieces> text;  ///< Null: the draft is complete.
        [[nodiscard]] std::size_t size() const noexcept;
    };

    void drop_outputs();
    /** The oldest events, as many as a store takes at once; of those that are complete. */
    [[nodiscard]] std::vector<event_draft> take_batch();
    void put_back(std::vector<event_draft> batch);

    run_event_log& log_;
    const checkpoint_committer& run_;
    event_log_limits limits_;
    std::unique_ptr<stored_event_pieces> pieces_;  // for the next event
    std::vector<waiting_event> waiting_;
    std::size_t waiting_bytes_ = 0;
    std::size_t unfinished_ = 0;  // events whose text is not complete
    slot_limiter one_flush_{1};
};

}  // namespace weft
