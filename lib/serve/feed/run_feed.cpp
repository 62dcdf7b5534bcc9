#include "run_feed.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/engine/trace/run_trace.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace weft::serve_detail {

namespace {

constexpr std::size_t formed_max = 1024;  // events that keep their forms for readers that have not got there

}  // namespace

bool feed_event::is_record() const noexcept
{
    return what.what == run_event::kind::output &&
           (agent_event::model_request == what.label || agent_event::model_reply == what.label);
}

run_feed::~run_feed() = default;

std::shared_ptr<const feed_event> run_feed::push(const run_event& event)
{
    if (std::exchange(has_gap_, false)) {
        lost_until_ = std::max(lost_until_, event.id - 1);
        has_missed_ = true;
    }
    note_rest(event);
    note_usage(event);
    auto pushed = std::make_shared<const feed_event>(names_ ? names_->with_own_names(event) : event);
    events_.push_back(pushed);
    while (events_.size() > events_max_) {
        lost_until_ = events_.front()->what.id;
        events_.pop_front();
    }
    // Looking at all readers then costs less than they take to read the event, however many they are.
    if (++pushed_ > audience_.size() / 4) let_go_of_read();
    wake_readers();
    return pushed;
}

std::uint64_t run_feed::read_by_all() const noexcept
{
    std::uint64_t id = last_id();
    for (const feed_reader* const reader : audience_) id = std::min(id, reader->seen_);
    // A reader that lags far behind has forms made anew.
    const std::size_t early = events_.size() > formed_max ? events_.size() - formed_max : 0;
    return early > 0 && !is_read_once_ ? std::max(id, events_[early - 1]->what.id) : id;
}

void run_feed::let_go_of_read()
{
    pushed_ = 0;
    if (!was_read_) return;
    const std::uint64_t until = read_by_all();
    if (is_read_once_) {
        while (!events_.empty() && events_.front()->what.id <= until) events_.pop_front();
        return;
    }
    const auto is_before = [](std::uint64_t id, const auto& event) { return id < event->what.id; };
    const auto first = std::upper_bound(events_.begin(), events_.end(), let_go_until_, is_before);
    const auto last = std::upper_bound(first, events_.end(), until, is_before);
    for (auto event = first; event != last; ++event) (*event)->forget_forms();
    let_go_until_ = std::max(let_go_until_, until);
}

void run_feed::put_around(std::deque<std::shared_ptr<const feed_event>> stored, bool is_cut)
{
    if (std::exchange(is_whole_, true)) return;  // another reader has brought them meanwhile
    if (is_cut && !stored.empty()) lost_until_ = std::max(lost_until_, stored.front()->what.id - 1);
    using event_ptr = std::shared_ptr<const feed_event>;
    const auto is_before = [](const event_ptr& a, const event_ptr& b) { return a->what.id < b->what.id; };
    const auto is_same = [](const event_ptr& a, const event_ptr& b) { return a->what.id == b->what.id; };
    std::deque<event_ptr> all;
    // Of those that both have, the first stays: readers have made forms of it.
    std::merge(events_.begin(), events_.end(), stored.begin(), stored.end(), std::back_inserter(all), is_before);
    all.erase(std::unique(all.begin(), all.end(), is_same), all.end());
    events_ = std::move(all);
    for (; events_.size() > events_max_; events_.pop_front())
        lost_until_ = std::max(lost_until_, events_.front()->what.id);
    if (!events_.empty()) note_rest(events_.back()->what);
    used_ = usage{};
    for (const event_ptr& each : events_) note_usage(each->what);
    has_missed_ = lost_until_ > 0;
    wake_readers();
}

void run_feed::note_usage(const run_event& of) noexcept
{
    if (const std::optional<usage> used = usage_in(of)) used_ += *used;
}

void run_feed::note_rest(const run_event& newest) noexcept
{
    if (newest.address.empty())
        has_rested_ = newest.what == run_event::kind::run_finished || newest.what == run_event::kind::run_paused;
}

void run_feed::close(run_ending how)
{
    if (!ending_) ending_ = std::move(how);
    wake_readers();
}

void run_feed::wake_readers()
{
    // Each comes back into the list when it waits again; so none is woken twice for one event.
    while (!readers_.empty()) readers_.pop().more_.notify();
}

const std::shared_ptr<const feed_event>* run_feed::after(std::uint64_t id) const noexcept
{
    // Ids grow and have holes: a run that is resumed begins a new range.
    const auto first = std::partition_point(events_.begin(), events_.end(),
                                            [id](const auto& event) { return event->what.id <= id; });
    return first == events_.end() ? nullptr : &*first;
}

bool run_feed::lacks(std::uint64_t id) const noexcept
{
    if (id <= lost_until_) return false;
    const auto* const found = after(id - 1);
    return !found || (*found)->what.id != id;
}

feed_reader::feed_reader(std::shared_ptr<run_feed> feed, std::uint64_t after)
    : feed_{std::move(feed)}, seen_{after},
      timer_{feed_->loop(), [](void* self) { static_cast<feed_reader*>(self)->more_.notify(); }, this}
{
    feed_->audience_.push_back(this);
    feed_->was_read_ = true;
}

feed_reader::~feed_reader() { std::erase(feed_->audience_, this); }

std::shared_ptr<const feed_event> feed_reader::next()
{
    const auto* const found = feed_->after(seen_);
    if (!found) return nullptr;
    std::shared_ptr<const feed_event> event = *found;
    seen_ = event->what.id;
    if (feed_->is_read_once_) feed_->let_go_of_read();
    return event;
}

bool feed_reader::takes_gap() noexcept
{
    if (!feed_->has_lost(seen_)) return false;
    seen_ = feed_->lost_until_;
    return true;
}

task<void> feed_reader::wait(std::chrono::nanoseconds limit)
{
    if (feed_->after(seen_) || feed_->is_closed()) co_return;
    if (!is_linked()) feed_->readers_.push(*this);
    timer_.arm_after(limit);
    co_await more_.wait();
    timer_.disarm();
    unlink();
}

}  // namespace weft::serve_detail
