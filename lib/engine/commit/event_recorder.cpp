#include "event_recorder.hpp"

#include "checkpoint_committer.hpp"
#include "engine/trace/stored_event_pieces.hpp"
#include "store_call.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/store/record/store_limits.hpp>

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t waiting_bytes_max = 4u << 20;
constexpr std::size_t batch_events_max = 500;
constexpr std::size_t batch_bytes_max = 256u << 10;
constexpr std::size_t event_slice_bytes = 64u << 10;  // of text that is made before the loop has its turn
constexpr std::chrono::seconds checkpoint_patience{1};

/** Whether a checkpoint comes with it. */
bool ends_step(run_event::kind what) noexcept
{
    return what == run_event::kind::node_succeeded || what == run_event::kind::state_written;
}

}  // namespace

event_recorder::event_recorder(run_event_log& log, const checkpoint_committer& run, event_log_limits limits) noexcept
    : log_{log}, run_{run}, limits_{limits}
{
}

event_recorder::~event_recorder() = default;

std::size_t event_recorder::waiting_event::size() const noexcept { return text ? text->size() : draft.data.size(); }

void event_recorder::record(const run_event& event)
{
    if (!pieces_) pieces_ = std::make_unique<stored_event_pieces>();
    pieces_->begin(event);
    waiting_event made{event_draft{std::string{name_of(event.what)}, {}}, nullptr};
    if (pieces_->write(event_slice_bytes)) {
        made.draft.data = pieces_->take();
    } else {
        made.text = std::move(pieces_);
        ++unfinished_;
    }
    waiting_bytes_ += made.size();
    waiting_.push_back(std::move(made));
    if (waiting_bytes_ > waiting_bytes_max) drop_outputs();
    if (recorded_) tell_stream(event);
}

void event_recorder::tell_stream(const run_event& event)
{
    const std::size_t before = emitted_bytes_;
    if (event.what == run_event::kind::output) emitted_bytes_ += event.text.size();
    if (ends_step(event.what)) held_until_ = event.at + checkpoint_patience;
    const bool is_much = before < stream_bytes_ && emitted_bytes_ >= stream_bytes_;
    if (waiting_.size() == 1 || is_much) recorded_->notify();
}

task<void> event_recorder::stream(event_streaming how, std::chrono::milliseconds write_limit)
{
    serial_loop& loop = co_await this_task::loop();
    recorded_ = make_counted<remote_signal>();
    stream_bytes_ = how.bytes;
    for (int failures = 0; !is_stream_over_;) {
        if (waiting_.empty()) {
            co_await recorded_->wait();
            continue;
        }
        // A store that did not take them is asked again after a while, and not because there is more.
        const auto pause = failures == 0 ? std::chrono::nanoseconds{how.every} : retry_delay(failures);
        const time_point due = loop.now() + pause;
        const auto waits = [&] {
            const bool is_early = loop.now() < due && (failures > 0 || emitted_bytes_ < how.bytes);
            return !is_stream_over_ && !waiting_.empty() && (is_early || loop.now() < held_until_);
        };
        while (waits()) static_cast<void>(co_await recorded_->wait_until(std::max(due, held_until_)));
        if (is_stream_over_ || waiting_.empty()) continue;
        const std::size_t before = waiting_.size();
        task<bool> writing = shielded(flush(), write_limit);
        static_cast<void>(co_await answer_of(std::move(writing)));
        failures = waiting_.size() < before ? 0 : std::min(failures + 1, 20);
    }
}

void event_recorder::end_stream() noexcept
{
    is_stream_over_ = true;
    if (recorded_) recorded_->notify();
}

bool event_recorder::prepare()
{
    if (unfinished_ == 0) return true;
    const auto is_unfinished = [](const waiting_event& each) { return each.text != nullptr; };
    const auto next = std::find_if(waiting_.begin(), waiting_.end(), is_unfinished);
    waiting_bytes_ -= next->size();
    const bool is_complete = next->text->write(event_slice_bytes);
    // What is too large for the store will never be taken: later events are not to wait for it.
    const bool is_too_large = next->size() > store_limits::text_bytes_max;
    if (!is_too_large) waiting_bytes_ += next->size();
    if (is_complete) next->draft.data = next->text->take();
    if (is_complete || is_too_large) {
        next->text = nullptr;
        --unfinished_;
    }
    if (is_too_large) waiting_.erase(next);
    return unfinished_ == 0;
}

/** What nodes emit is the most of it, and the least: what they write says the same at their end. */
void event_recorder::drop_outputs()
{
    const auto is_output = [](const waiting_event& each) {
        return each.draft.kind == name_of(run_event::kind::output);
    };
    std::erase_if(waiting_, is_output);
    waiting_bytes_ = 0;
    for (const waiting_event& each : waiting_) waiting_bytes_ += each.size();
    // States that alone go beyond the bound: the oldest go, as they do in the log.
    while (waiting_bytes_ > waiting_bytes_max && waiting_.size() > 1) {
        waiting_bytes_ -= waiting_.front().size();
        if (waiting_.front().text) --unfinished_;
        waiting_.erase(waiting_.begin());
    }
}

bool event_recorder::is_beyond_batch() const noexcept
{
    if (waiting_.empty()) return false;
    return waiting_.size() > batch_events_max || waiting_bytes_ - waiting_.back().size() >= batch_bytes_max;
}

std::vector<event_draft> event_recorder::take_batch()
{
    std::size_t bytes = 0;
    emitted_bytes_ = 0;
    std::vector<event_draft> batch;
    auto next = waiting_.begin();
    for (; next != waiting_.end() && !next->text; ++next) {
        if (batch.size() == batch_events_max || bytes >= batch_bytes_max) break;
        bytes += next->size();
        // What is too large for the store will never be taken: others are not to be refused with it.
        if (next->size() <= store_limits::text_bytes_max) batch.push_back(std::move(next->draft));
    }
    waiting_.erase(waiting_.begin(), next);
    waiting_bytes_ -= bytes;
    if (waiting_.empty()) held_until_ = time_point{};
    return batch;
}

void event_recorder::put_back(std::vector<event_draft> batch)
{
    std::vector<waiting_event> all;
    for (event_draft& each : batch) {
        waiting_bytes_ += each.data.size();
        all.push_back({std::move(each), nullptr});
    }
    std::move(waiting_.begin(), waiting_.end(), std::back_inserter(all));
    waiting_ = std::move(all);
    if (waiting_bytes_ > waiting_bytes_max) drop_outputs();
}

task<void> event_recorder::write_batch()
{
    while (!waiting_.empty() && waiting_.front().text)
        if (!prepare()) co_await yield_now();
    std::vector<event_draft> batch = take_batch();
    if (batch.empty()) co_return;
    write_fence fence = run_.fence();
    std::exception_ptr failure;
    try {
        (void)co_await log_.append(std::move(fence), batch, limits_);
    } catch (const error&) {
        failure = std::current_exception();
    }
    if (!failure) co_return;
    // If the outcome is unknown they may be there twice then: readers know an event by its id.
    put_back(std::move(batch));
    std::rethrow_exception(failure);
}

task<bool> event_recorder::flush()
{
    if (waiting_.empty()) co_return true;
    const slot_limiter::slot slot = co_await one_flush_.acquire();
    while (!waiting_.empty() && !run_.is_lost()) {
        const store_answer<bool> written = co_await answer_of(write_batch());
        if (written) continue;
        if (written.code == errc::cancelled) std::rethrow_exception(written.error);
        co_return !run_.is_passing(written.code);
    }
    co_return true;
}

task<void> event_recorder::flush_all()
{
    for (int failures = 1;; ++failures) {
        const bool is_answered = co_await flush();
        if (is_answered || run_.is_lost()) co_return;
        co_await sleep_for(retry_delay(failures));
    }
}

task<event_recorder::handful> event_recorder::take(const run_event_log* of_checkpoints)
{
    if (&log_ != of_checkpoints) co_await flush_all();
    slot_limiter::slot alone = co_await one_flush_.acquire();
    std::vector<event_draft> batch;
    if (&log_ == of_checkpoints) {
        while (!prepare()) co_await yield_now();
        while (is_beyond_batch()) co_await write_batch();
        batch = take_batch();
    }
    handful taken{*this, std::move(alone), std::move(batch)};
    co_return taken;
}

event_recorder::handful::handful(event_recorder& of, slot_limiter::slot alone, std::vector<event_draft> events) noexcept
    : of_{&of}, alone_{std::move(alone)}, events_{std::move(events)}
{
}

event_recorder::handful::~handful()
{
    if (events_.empty()) return;
    of_->put_back(std::move(events_));
    if (of_->recorded_) of_->recorded_->notify();
}

}  // namespace weft
