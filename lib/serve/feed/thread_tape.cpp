#include "thread_tape.hpp"

#include <algorithm>
#include <utility>

namespace weft::serve_detail {

thread_tape::~thread_tape() = default;

void thread_tape::push(run_id run, std::shared_ptr<const feed_event> event)
{
    tape_entry entry;
    entry.run = run;
    entry.event = std::move(event);
    add(std::move(entry));
}

void thread_tape::push_end(run_id run, std::shared_ptr<const run_ending> ending)
{
    tape_entry entry;
    entry.run = run;
    entry.ending = std::move(ending);
    const auto is_event_of_run = [run](const tape_entry& one) { return one.event && one.run == run; };
    const auto last = std::find_if(entries_.rbegin(), entries_.rend(), is_event_of_run);
    if (last != entries_.rend()) entry.ends_after = last->event->what.id;
    add(std::move(entry));
}

void thread_tape::add(tape_entry entry)
{
    entry.sequence = ++last_;
    entries_.push_back(std::move(entry));
    if (entries_.size() > entries_max_) entries_.pop_front();
    while (!waiting_.empty()) waiting_.pop().more_.notify();
}

void thread_tape::close()
{
    is_closed_ = true;
    while (!waiting_.empty()) waiting_.pop().more_.notify();
}

void thread_tape::count_reader()
{
    if (++readers_ == 1 && begin_) while_read_ = begin_();
}

void thread_tape::miss_reader()
{
    if (--readers_ == 0) while_read_.reset();
}

bool thread_tape::has(run_id run) const noexcept
{
    return std::any_of(entries_.begin(), entries_.end(), [run](const tape_entry& one) { return one.run == run; });
}

const tape_entry* thread_tape::after(std::uint64_t sequence) const noexcept
{
    if (entries_.empty() || sequence >= last_) return nullptr;
    // Numbers have no holes, so the place follows from the oldest one; what is gone is passed over.
    const std::uint64_t oldest = entries_.front().sequence;
    return &entries_[static_cast<std::size_t>(sequence < oldest ? 0 : sequence + 1 - oldest)];
}

tape_reader::tape_reader(std::shared_ptr<thread_tape> tape, std::uint64_t after)
    : tape_{std::move(tape)}, seen_{after > tape_->last() ? 0 : after},
      timer_{tape_->loop(), [](void* self) { static_cast<tape_reader*>(self)->more_.notify(); }, this}
{
    tape_->count_reader();
}

tape_reader::~tape_reader() { tape_->miss_reader(); }

const tape_entry* tape_reader::next()
{
    const tape_entry* found = tape_->after(seen_);
    for (; found; found = tape_->after(seen_)) {
        seen_ = found->sequence;
        if (!found->event || !found->event->is_record()) break;
    }
    return found;
}

task<void> tape_reader::wait(std::chrono::nanoseconds limit)
{
    if (tape_->after(seen_) || tape_->is_closed()) co_return;
    if (!is_linked()) tape_->waiting_.push(*this);
    timer_.arm_after(limit);
    co_await more_.wait();
    timer_.disarm();
    unlink();
}

std::shared_ptr<thread_tape> tape_table::of(const thread_key& thread)
{
    const auto found = tapes_.find(thread);
    if (found != tapes_.end()) {
        const auto place = std::find(used_.begin(), used_.end(), thread);
        used_.splice(used_.end(), used_, place);
        return found->second;
    }
    forget_oldest();
    used_.push_back(thread);
    const std::uint64_t first = first_ ? first_() : 0;
    return tapes_.emplace(thread, std::make_shared<thread_tape>(loop_, entries_max_, first)).first->second;
}

void tape_table::forget(const thread_key& thread)
{
    tapes_.erase(thread);
    used_.remove(thread);
}

void tape_table::forget_oldest()
{
    for (auto place = used_.begin(); place != used_.end() && tapes_.size() >= tapes_max_;) {
        const auto tape = tapes_.find(*place);
        // A client that watches would be left without a word.
        if (tape->second->is_read()) {
            ++place;
            continue;
        }
        tapes_.erase(tape);
        place = used_.erase(place);
    }
}

thread_tape* tape_table::find(const thread_key& thread) const
{
    const auto found = tapes_.find(thread);
    return found == tapes_.end() ? nullptr : found->second.get();
}

void tape_table::close_all()
{
    for (const auto& [thread, tape] : tapes_) tape->close();
}

}  // namespace weft::serve_detail
