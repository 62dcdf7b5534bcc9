#include <weft/async/loop/timer_heap.hpp>
#include <weft/base/random.hpp>

#include <algorithm>

namespace weft {

namespace {

constexpr std::uint32_t arity = 4;

constexpr std::uint32_t parent_of(std::uint32_t slot) noexcept { return (slot - 1) / arity; }

}  // namespace

std::uint32_t timer_heap::next_order() noexcept
{
    // Half of the range, in which the difference of any two orders has the right sign.
    if (random_order_) return static_cast<std::uint32_t>(random_order_->below(1u << 31));
    return armed_++;
}

void timer_heap::insert(loop_timer& timer, time_point deadline)
{
    const entry added{deadline, &timer};
    timer.deadline_ = deadline;
    timer.order_ = next_order();
    entries_.push_back(added);
    sift_up(static_cast<std::uint32_t>(entries_.size() - 1), added);
}

void timer_heap::erase(loop_timer& timer) noexcept
{
    const std::uint32_t slot = timer.slot_;
    timer.slot_ = loop_timer::unarmed;
    if (entries_.back().timer == &timer) return entries_.pop_back();
    const entry last = entries_.back();
    entries_.pop_back();
    if (slot > 0 && before(last, entries_[parent_of(slot)]))
        sift_up(slot, last);
    else
        sift_down(slot, last);
}

void timer_heap::fire_earliest()
{
    loop_timer& timer = *entries_.front().timer;
    erase(timer);
    timer.fired_(timer.self_);
}

void timer_heap::clear() noexcept
{
    for (const entry& armed : entries_) armed.timer->slot_ = loop_timer::unarmed;
    entries_.clear();
}

void timer_heap::sift_up(std::uint32_t slot, entry moved) noexcept
{
    while (slot > 0 && before(moved, entries_[parent_of(slot)])) {
        place(slot, entries_[parent_of(slot)]);
        slot = parent_of(slot);
    }
    place(slot, moved);
}

void timer_heap::sift_down(std::uint32_t slot, entry moved) noexcept
{
    const auto size = static_cast<std::uint32_t>(entries_.size());
    for (;;) {
        const std::uint32_t first = slot * arity + 1;
        if (first >= size) break;
        std::uint32_t least = first;
        for (std::uint32_t child = first + 1; child < std::min(first + arity, size); ++child)
            if (before(entries_[child], entries_[least])) least = child;
        if (!before(entries_[least], moved)) break;
        place(slot, entries_[least]);
        slot = least;
    }
    place(slot, moved);
}

}  // namespace weft
