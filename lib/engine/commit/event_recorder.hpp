#pragma once

#include <weft/async/task.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/async/wait/slot_limiter.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>
#include <weft/engine/durable_options.hpp>
#include <weft/engine/run_event.hpp>
#include <weft/store/role/run_event_log.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

namespace weft {

class checkpoint_committer;
class stored_event_pieces;

/** Writes the events of a run into the event log of its store: with each checkpoint those that led to it, in one
 *  transaction, and before the end of the run all. So a reader of the log knows everything that a run, wherever it goes
 *  on, will not do again. Into a log beside the store they go before the checkpoint.
 *  With `stream` it also writes them soon after they happened: then a reader knows more than that, and learns from the
 *  next `run_started` that what was under way begins anew.
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
    /** Writes what is recorded, some time after the first of it or when there is much, until `end_stream`. Each write
     *  is finished in spite of a stop, as far as the lifetime of the worker allows. The end of a step waits for its
     *  checkpoint, if that comes soon: in front of it, it would be told though the step may be done again.
     *  @par Errors   `errc::cancelled`. */
    [[nodiscard]] task<void> stream(event_streaming how, std::chrono::milliseconds write_limit);
    /** `stream` comes to its end after the write that it may be at. */
    void end_stream() noexcept;
    class handful;
    /** Takes what waits, for the transaction of a checkpoint, after the write that is under way. What is more than one
     *  batch is written before; a log that is not `of_checkpoints` gets all, and the handful is empty.
     *  @param of_checkpoints  What commits append to; null: to none.
     *  @par Errors  Those of the log. */
    [[nodiscard]] task<handful> take(const run_event_log* of_checkpoints);
    /** Writes what was recorded. What the store does not take stays for the next time; nothing is thrown but
     *  `errc::cancelled`.
     *  @return   False: the store is away, and what it did not take waits. */
    [[nodiscard]] task<bool> flush();
    /** The same, until the store has answered or the run is lost. */
    [[nodiscard]] task<void> flush_all();

    [[nodiscard]] const event_log_limits& limits() const noexcept { return limits_; }

private:
    struct waiting_event {
        event_draft draft;
        std::unique_ptr<stored_event_pieces> text;  ///< Null: the draft is complete.
        [[nodiscard]] std::size_t size() const noexcept;
    };

    void tell_stream(const run_event& event);
    void drop_outputs();
    /** The oldest events, as many as a store takes at once; of those that are complete. */
    [[nodiscard]] std::vector<event_draft> take_batch();
    /** Whether more waits than a store takes at once. */
    [[nodiscard]] bool is_beyond_batch() const noexcept;
    /** Writes the oldest batch, or puts it back. @par Errors  Those of the log. */
    [[nodiscard]] task<void> write_batch();
    void put_back(std::vector<event_draft> batch);

    run_event_log& log_;
    const checkpoint_committer& run_;
    event_log_limits limits_;
    std::unique_ptr<stored_event_pieces> pieces_;  // for the next event
    std::vector<waiting_event> waiting_;
    std::size_t waiting_bytes_ = 0;
    std::size_t unfinished_ = 0;  // events whose text is not complete
    slot_limiter one_flush_{1};
    intrusive_ptr<remote_signal> recorded_;  // for `stream`; null: there is none
    std::size_t stream_bytes_ = 0;           // that it wants to hear of
    std::size_t emitted_bytes_ = 0;          // since the last write
    time_point held_until_{};                // `stream` leaves what waits to the checkpoint until then
    bool is_stream_over_ = false;
};

/** Events on their way with a checkpoint; nothing else of the run is written meanwhile. Those that are not in the store
 *  when it is destroyed wait again, before all others.
 *
 *  @par Lifetimes   The recorder outlives it. */
class event_recorder::handful {
public:
    handful() noexcept = default;
    handful(event_recorder& of, slot_limiter::slot alone, std::vector<event_draft> events) noexcept;
    handful(handful&& other) noexcept = default;
    handful& operator=(handful&& other) = delete;
    ~handful();

    [[nodiscard]] const std::vector<event_draft>& events() const noexcept { return events_; }
    /** They are in the store. */
    void drop() noexcept { events_.clear(); }

private:
    event_recorder* of_ = nullptr;
    slot_limiter::slot alone_;
    std::vector<event_draft> events_;
};

}  // namespace weft
