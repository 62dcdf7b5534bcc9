#pragma once

#include <weft/async/signal.hpp>
#include <weft/engine/run/event_stream.hpp>

#include <cstddef>
#include <deque>
#include <optional>

namespace weft {

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
