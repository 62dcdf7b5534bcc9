#include "event_queue.hpp"

#include <utility>

namespace weft {

namespace {

/** Beyond that a piece of text begins an event of its own. */
constexpr std::size_t joined_text_max = 65'536;

/** Whether what `next` says goes on where `last` ends. */
bool goes_on(const run_event& last, const run_event& next)
{
    return last.what == run_event::kind::output && next.what == run_event::kind::output && last.node == next.node &&
           last.visit == next.visit && last.attempt == next.attempt && last.label == next.label &&
           last.address == next.address && last.address_visits == next.address_visits &&
           last.address_attempts == next.address_attempts && last.text.size() + next.text.size() <= joined_text_max;
}

void join(run_event& last, const run_event& next)
{
    if (last.number == 0) last.number = last.sequence;
    last.text += next.text;
    last.sequence = next.sequence;
    last.id = next.id;
    last.at = next.at;
}

}  // namespace

void event_stream::queue::push(const run_event& event)
{
    // Only when it is full: a subscriber that keeps up sees each piece as it came.
    if (rule_ == slow_subscriber::join_text && events_.size() >= capacity_) {
        if (!goes_on(events_.back(), event)) join_texts();
        if (goes_on(events_.back(), event)) return join(events_.back(), event);
    }
    // A run that is held still ends its running nodes, whose events need room.
    if (events_.size() >= (rule_ == slow_subscriber::hold_run ? 2 * capacity_ : capacity_)) drop_oldest();
    events_.push_back(event);
    changed_.notify();
}

void event_stream::queue::drop_oldest()
{
    const run_event& lost = events_.front();
    // One gap for all that is lost in a row, in front of what is left.
    if (!gap_) {
        gap_.emplace();
        gap_->what = run_event::kind::gap;
        gap_->number = lost.number != 0 && lost.what == run_event::kind::output ? lost.number : lost.sequence;
    }
    gap_->sequence = lost.sequence;
    gap_->id = lost.id;
    gap_->run = lost.run;
    gap_->at = lost.at;
    events_.pop_front();
}

void event_stream::queue::join_texts()
{
    std::deque<run_event> joined;
    for (run_event& event : events_)
        if (!joined.empty() && goes_on(joined.back(), event)) join(joined.back(), event);
        else joined.push_back(std::move(event));
    events_ = std::move(joined);
}

void event_stream::queue::close()
{
    is_closed_ = true;
    hear_ = nullptr;
    changed_.notify();
}

std::optional<run_event> event_stream::queue::pop()
{
    if (gap_) return std::exchange(gap_, std::nullopt);
    if (events_.empty()) return std::nullopt;
    const bool was_full = holds_run();
    std::optional<run_event> event{std::move(events_.front())};
    events_.pop_front();
    if (was_full && !holds_run()) notify_room();
    return event;
}

}  // namespace weft
