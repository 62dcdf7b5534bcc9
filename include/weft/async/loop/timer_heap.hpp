#pragma once

#include <weft/async/loop/loop_timer.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft {

class random_source;

/** A 4-ary heap of armed timers, earliest deadline first; equal deadlines in the order of arming.
 *
 *  Four children a node: half the levels of a binary heap, and the four lie in one or two cache lines. Arming and
 *  disarming take logarithmic time, the earliest is known at once.
 *
 *  @par Thread safety   None: it belongs to one loop.
 *  @par Lifetimes       Refers to timers, which take themselves out when they are destroyed.
 */
class timer_heap {
public:
    [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
    /** The heap must not be empty. */
    [[nodiscard]] time_point earliest() const noexcept { return entries_.front().deadline; }

    /** Arms a timer that is not armed. */
    void insert(loop_timer& timer, time_point deadline);
    /** Disarms a timer that is armed here. */
    void erase(loop_timer& timer) noexcept;

    /** Takes the earliest timer out and calls its function. The heap must not be empty. */
    void fire_earliest();

    /** Disarms everything, so that timers may outlive the heap. */
    void clear() noexcept;

    /** Lets `order` choose among equal deadlines; concerns timers armed from now on. For simulations. */
    void permute_equal(random_source* order) noexcept { random_order_ = order; }

private:
    // Deadlines stand beside each other: comparing reads a timer, often a cache miss, only where two are equal.
    struct entry {
        time_point deadline;
        loop_timer* timer;
    };

    [[nodiscard]] static bool before(entry a, entry b) noexcept
    {
        if (a.deadline != b.deadline) return a.deadline < b.deadline;
        return static_cast<std::int32_t>(a.timer->order_ - b.timer->order_) < 0;
    }
    [[nodiscard]] std::uint32_t next_order() noexcept;
    /** Each timer knows its place, so that it is found without a search. */
    void place(std::uint32_t slot, entry moved) noexcept
    {
        entries_[slot] = moved;
        moved.timer->slot_ = slot;
    }
    void sift_up(std::uint32_t slot, entry moved) noexcept;
    void sift_down(std::uint32_t slot, entry moved) noexcept;

    std::vector<entry> entries_;
    std::uint32_t armed_ = 0;  // counts on and wraps: only the difference of two orders is looked at
    random_source* random_order_ = nullptr;
};

}  // namespace weft
