#include <weft/engine/run/event_stream.hpp>

#include "event_queue.hpp"

#include <utility>

namespace weft {

task<std::optional<run_event>> event_stream::next()
{
    // The stream may go away while this waits.
    std::shared_ptr<queue> events = events_;
    for (;;) {
        std::optional<run_event> event = events->pop();
        if (event || events->is_closed()) co_return event;
        co_await events->changed().wait();
    }
}

std::optional<run_event> event_stream::try_next() { return events_->pop(); }

}  // namespace weft
