#pragma once

#include <weft/async/signal.hpp>
#include <weft/async/task.hpp>
#include <weft/engine/run_event.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>

namespace weft {

/** The events of a run for one subscriber: a bounded queue that never holds the run up.
 *
 *  When the subscriber is too slow the oldest events are dropped and a `gap` that names them stands in their place.
 *
 *  @par Thread safety   None: use it on the run's loop.
 *  @par Lifetimes       May outlive the run; dropping it unsubscribes.
 */
class event_stream {
public:
    class queue;

    explicit event_stream(std::shared_ptr<queue> events) noexcept : events_{std::move(events)} {}

    /** The next event; nothing after the last.
     *  @par Errors          `errc::cancelled`.
     *  @par Cancellation    Ends the wait; no event is lost. */
    [[nodiscard]] task<std::optional<run_event>> next();

    /** The next event if there is one already. */
    [[nodiscard]] std::optional<run_event> try_next();

private:
    std::shared_ptr<queue> events_;
};

/** The queue behind an `event_stream`; the run pushes, the subscriber pops. */
class event_stream::queue {
public:
    explicit queue(std::size_t capacity) : capacity_{capacity} {}

    void push(const run_event& event);
    void close();
    [[nodiscard]] std::optional<run_event> pop();
    [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }

    /** Notified when something is there or the queue is closed. */
    [[nodiscard]] signal& changed() noexcept { return changed_; }

private:
    std::size_t capacity_;
    std::deque<run_event> events_;
    std::optional<run_event> gap_;  // stands before the oldest event that is left
    signal changed_;
    bool is_closed_ = false;
};

}  // namespace weft
