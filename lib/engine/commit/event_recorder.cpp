#include "event_recorder.hpp"

#include "checkpoint_committer.hpp"

#include <weft/base/error.hpp>
#include <weft/engine/trace/stored_run_event.hpp>

#include <exception>
#include <iterator>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t waiting_bytes_max = 4u << 20;
constexpr std::size_t batch_events_max = 500;
constexpr std::size_t batch_bytes_max = 256u << 10;

}  // namespace

void event_recorder::record(const run_event& event)
{
    event_draft draft{std::string{name_of(event.what)}, stored_run_event(event)};
    waiting_bytes_ += draft.data.size();
    waiting_.push_back(std::move(draft));
    if (waiting_bytes_ > waiting_bytes_max) drop_outputs();
}

/** What nodes emit is the most of it, and the least: what they write says the same at their end. */
void event_recorder::drop_outputs()
{
    const auto is_output = [](const event_draft& each) { return each.kind == name_of(run_event::kind::output); };
    std::erase_if(waiting_, is_output);
    waiting_bytes_ = 0;
    for (const event_draft& each : waiting_) waiting_bytes_ += each.data.size();
    // States that alone go beyond the bound: the oldest go, as they do in the log.
    while (waiting_bytes_ > waiting_bytes_max && waiting_.size() > 1) {
        waiting_bytes_ -= waiting_.front().data.size();
        waiting_.erase(waiting_.begin());
    }
}

std::vector<event_draft> event_recorder::take_batch()
{
    std::size_t count = 0;
    std::size_t bytes = 0;
    while (count < waiting_.size() && count < batch_events_max && bytes < batch_bytes_max)
        bytes += waiting_[count++].data.size();
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<event_draft> batch{std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end)};
    waiting_.erase(waiting_.begin(), end);
    waiting_bytes_ -= bytes;
    return batch;
}

void event_recorder::put_back(std::vector<event_draft> batch)
{
    for (const event_draft& each : batch) waiting_bytes_ += each.data.size();
    waiting_.insert(waiting_.begin(), std::make_move_iterator(batch.begin()), std::make_move_iterator(batch.end()));
    if (waiting_bytes_ > waiting_bytes_max) drop_outputs();
}

task<void> event_recorder::flush()
{
    if (waiting_.empty()) co_return;
    const slot_limiter::slot slot = co_await one_flush_.acquire();
    while (!waiting_.empty() && !run_.is_lost()) {
        std::vector<event_draft> batch = take_batch();
        write_fence fence = run_.fence();
        std::exception_ptr failure;
        errc code{};
        try {
            (void)co_await log_.append(std::move(fence), batch, limits_);
        } catch (const error& e) {
            failure = std::current_exception();
            code = e.code();
        }
        // What is too large for the store will never be taken: later events are not to wait for it.
        if (!failure || code == errc::limit_reached) continue;
        // If the outcome is unknown they may be there twice then: readers know an event by its id.
        put_back(std::move(batch));
        if (code == errc::cancelled) std::rethrow_exception(failure);
        co_return;
    }
}

}  // namespace weft
