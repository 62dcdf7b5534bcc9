#pragma once

#include <weft/async/loop/linked_list.hpp>
#include <weft/async/loop/timed_item.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace weft {

class random_source;

/** A hierarchical wheel of armed items, its timers: the earliest deadline fires first, equal ones in the order of
 *  arming.
 *
 *  The first level has a list for each tick of a millisecond of the present block of 256 and of the next one; the
 *  levels above have lists of 256 ticks, of 16,384 and so on. Arming and disarming take constant time. A timer moves
 *  down when its list comes near: never in a wait of up to 256 ms, at most once in one of up to 16 s. Deadlines between
 *  two ticks, which are at most a millisecond away when they are armed, stand in a list in their order.
 *
 *  @par Thread safety   None: it belongs to one loop.
 *  @par Lifetimes       Refers to timers, which take themselves out when they are destroyed.
 *  Source: Varghese and Lauck, Hashed and hierarchical timing wheels, SOSP 1987.
 */
class timer_wheel {
public:
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /** The wheel must not be empty. Walks over the timers of a list if the earliest one is more than 256 ticks away. */
    [[nodiscard]] time_point earliest() const noexcept;
    /** A moment before which no timer is due: that of the earliest, or where it moves down a level. The wheel must not
     *  be empty. */
    [[nodiscard]] time_point next_stop() const noexcept;

    /** Arms a timer that is not armed. @param now  The present; a moment that is past makes timers move more often. */
    void insert(timed_item& timer, time_point deadline, time_point now);
    /** Disarms a timer that is armed here. */
    void erase(timed_item& timer) noexcept;

    /** Takes out the earliest timer that is due at `now` and runs it. @return  False if none is due. */
    bool fire_due(time_point now);

    /** Disarms everything, so that timers may outlive the wheel. */
    void clear() noexcept;

    /** Lets `order` choose among equal deadlines; null: the order of arming. For simulations. */
    void permute_equal(random_source* order) noexcept { random_order_ = order; }

private:
    using tick = std::uint64_t;  // milliseconds
    using list = linked_list<timed_item, ready_queue>;
    static constexpr int block_bits = 8;
    static constexpr tick block = tick{1} << block_bits;
    static constexpr int level_bits = 6;
    static constexpr int levels = 6;  // above the first: 44 bits of milliseconds, more than a `time_point` has

    /** Some lists, with a bit for each that may have timers. */
    template <std::size_t Count>
    struct level {
        std::array<list, Count> lists;
        mutable std::array<std::uint64_t, Count / 64> bits{};

        void push(std::size_t at, timed_item& timer) noexcept;
        /** The first list that has timers, from `at` on; a timer that leaves does not clear the bit of its list. */
        [[nodiscard]] std::optional<std::size_t> next_from(std::size_t at) const noexcept;
    };
    /** A list of a level above the first that has timers, the tick at which it begins, and the one at which it moves
     *  down: a block earlier. */
    struct coarse_place {
        std::size_t above;
        std::size_t at;
        tick begins;
        [[nodiscard]] tick moves() const noexcept { return begins - block; }
    };

    [[nodiscard]] std::optional<tick> next_tick() const noexcept;
    [[nodiscard]] std::optional<coarse_place> next_coarse() const noexcept;
    [[nodiscard]] const list& here() const noexcept { return first_.lists[now_ % first_.lists.size()]; }
    /** Where the last block begins that stands in the first level. */
    [[nodiscard]] tick front() const noexcept { return (now_ / block + 1) * block; }
    void put(timed_item& timer, tick at) noexcept;
    void move_down(const coarse_place& from) noexcept;
    void turn_to(tick until) noexcept;
    [[nodiscard]] timed_item* first_due(time_point now) noexcept;
    void prefetch_next() const noexcept;
    [[nodiscard]] timed_item& any_equal(const list& among, timed_item& first) noexcept;

    level<2 * block> first_;
    std::array<level<64>, levels> above_;
    list between_;   // deadlines between ticks, in their order
    tick now_ = 0;   // every list of an earlier tick is empty; overdue timers stand in the one of this tick
    std::size_t size_ = 0;
    random_source* random_order_ = nullptr;  // of simulations
};

}  // namespace weft
