#pragma once

#include <weft/async/task.hpp>
#include <weft/engine/run_event.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace weft {

/** What happens when a subscriber is slower than its run and `run_options::events_max` events wait for it. */
enum class slow_subscriber : std::uint8_t {
    /** The oldest events are dropped, and a `gap` that names them stands in their place. */
    drop_oldest,
    /** Pieces of text that one attempt has emitted one after another become one event: `text` has all of them,
     *  `sequence` is that of the last, `number` that of the first. Where that makes no room the oldest are dropped. */
    join_text,
    /** No further node of the run begins until the subscriber has taken an event. Nodes that run go on, and for what
     *  they emit meanwhile there is room for as many events again; what does not fit is dropped. A stop ends the wait,
     *  and so does dropping the stream. */
    hold_run,
};

/** The events of a run for one subscriber: a bounded queue.
 *
 *  @par Thread safety   None: use it on the run's loop.
 *  @par Lifetimes       May outlive the run; dropping it unsubscribes.
 */
class event_stream {
public:
    class queue;  // of the engine

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

}  // namespace weft
