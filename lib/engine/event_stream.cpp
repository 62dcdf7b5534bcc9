#include <weft/engine/event_stream.hpp>

#include <utility>

namespace weft {

task<std::optional<run_event>> event_stream::next()
{
    std::shared_ptr<queue> events = events_;
    for (;;) {
        std::optional<run_event> event = events->pop();
        if (event || events->is_closed()) co_return event;
        co_await events->changed().wait();
    }
}

std::optional<run_event> event_stream::try_next() { return events_->pop(); }

void event_stream::queue::push(const run_event& event)
{
    if (events_.size() >= capacity_) {
        const run_event& lost = events_.front();
        if (!gap_) {
            gap_.emplace();
            gap_->what = run_event::kind::gap;
            gap_->number = lost.sequence;
        }
        gap_->sequence = lost.sequence;
        gap_->at = lost.at;
        events_.pop_front();
    }
    events_.push_back(event);
    changed_.notify();
}

void event_stream::queue::close()
{
    is_closed_ = true;
    changed_.notify();
}

std::optional<run_event> event_stream::queue::pop()
{
    if (gap_) return std::exchange(gap_, std::nullopt);
    if (events_.empty()) return std::nullopt;
    std::optional<run_event> event{std::move(events_.front())};
    events_.pop_front();
    return event;
}

}  // namespace weft
