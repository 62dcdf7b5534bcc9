#pragma once

#include <weft/async/loop/ready_item.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/clock.hpp>

namespace weft {

class serial_loop;
class timer_wheel;

/** A ready item that can also wait for a moment. It is in the ready queue of its loop, or armed in the loop's timer
 *  wheel, or in neither; its function is called from both.
 *
 *      class nap : timed_item { ... };
 *      nap.arm_after(loop, 30s);      // or loop.defer(nap)
 *
 *  It is what there are millions of: it does not know its loop, which its owner knows. `loop_timer` does.
 *
 *  Deadlines are rounded up to the loop's tick of one millisecond, so that many items share one wake-up. The function
 *  runs on the loop, never inside `arm_*`, once for each time the item was armed and not disarmed or armed again.
 *
 *  @par Thread safety   None: it belongs to one loop.
 *  @par Lifetimes       The loop outlives it. The owner disarms it before it dies.
 */
class timed_item : public ready_item {
public:
    explicit timed_item(function run) noexcept : timed_item{run, false} {}

    /** Whether it waits for a moment. False while its function runs. */
    [[nodiscard]] bool is_armed() const noexcept { return is_armed_; }
    /** Whether it is in the ready queue. */
    [[nodiscard]] bool is_queued() const noexcept { return !is_armed_ && ready_item::is_queued(); }
    /** The moment of the last arming; rounded up. */
    [[nodiscard]] time_point deadline() const noexcept { return deadline_; }

    /** Its turn comes so long from now, or at the next tick if that is past. An armed item is moved; it must not be
     *  queued. */
    void arm_after(serial_loop& loop, std::chrono::nanoseconds delay);
    /** As `arm_after`; a delay below a tick is not rounded up. */
    void arm_exactly_after(serial_loop& loop, std::chrono::nanoseconds delay);
    /** As `arm_after`, at a moment of the loop's clock. */
    void arm_at(serial_loop& loop, time_point deadline);
    /** The function is not called any more; nothing happens to an item that is not armed. */
    void disarm(serial_loop& loop) noexcept;

    /** What memory the function will work on; null if that is not known. */
    [[nodiscard]] const void* works_on() const noexcept;

protected:
    /** @param has_hint   It is a `hinted_item`. */
    timed_item(function run, bool has_hint) noexcept : ready_item{run}, has_hint_{has_hint} {}

private:
    friend timer_wheel;

    void arm(serial_loop& loop, time_point deadline, time_point now);

    time_point deadline_{};
    bool is_armed_ = false;  // last: what derives from it has room behind
    const bool has_hint_;
};

/** A timed item that says what memory its function will work on, so that the loop brings it into the cache while
 *  earlier items have their turn. Only a hint: the address is not read, and need not be valid any more. */
class hinted_item : public timed_item {
public:
    explicit hinted_item(function run) noexcept : timed_item{run, true} {}

    void works_on(const void* what) noexcept { what_ = what; }

private:
    friend timed_item;
    const void* what_ = nullptr;
};

inline const void* timed_item::works_on() const noexcept
{
    return has_hint_ ? static_cast<const hinted_item*>(this)->what_ : nullptr;
}

}  // namespace weft
