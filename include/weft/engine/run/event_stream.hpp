#pragma once

#include <weft/async/signal.hpp>
#include <weft/async/task.hpp>
#include <weft/engine/run_event.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
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
    explicit queue(std::size_t capacity, slow_subscriber rule = slow_subscriber::drop_oldest)
        : capacity_{capacity}, rule_{rule}
    {
    }
    queue(const queue&) = delete;
    queue& operator=(const queue&) = delete;
    ~queue() { notify_room(); }

    void push(const run_event& event);
    void close();
    [[nodiscard]] std::optional<run_event> pop();
    [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }
    /** Whether the run is to start nothing until there is room; `on_room` is called then. */
    [[nodiscard]] bool holds_run() const noexcept
    {
        return rule_ == slow_subscriber::hold_run && !is_closed_ && events_.size() >= capacity_;
    }
    /** @param hear   Null: nothing listens any more. */
    void on_room(void (*hear)(void* who), void* who) noexcept
    {
        hear_ = hear;
        who_ = who;
    }

    /** Notified when something is there or the queue is closed. */
    [[nodiscard]] signal& changed() noexcept { return changed_; }

private:
    void drop_oldest();
    void join_texts();
    void notify_room() noexcept
    {
        if (hear_) hear_(who_);
    }

    std::size_t capacity_;
    slow_subscriber rule_;
    void (*hear_)(void* who) = nullptr;
    void* who_ = nullptr;
    std::deque<run_event> events_;
    std::optional<run_event> gap_;  // stands before the oldest event that is left
    signal changed_;
    bool is_closed_ = false;
};

}  // namespace weft
