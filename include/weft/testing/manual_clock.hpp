#pragma once

#include <weft/base/chrono.hpp>
#include <weft/base/clock.hpp>

#include <atomic>
#include <vector>

namespace weft {
class serial_loop;
}

namespace weft::testing {

/** A clock that stands still until a test moves it, and moves the loops on it along.
 *
 *      manual_clock time;
 *      boost::asio::io_context io;
 *      install_clock(io, time);
 *      serial_loop loop{io};
 *      time.drive(loop);
 *      …
 *      time.advance(500ms);   // everything that is due until then happens, each thing at its moment
 *
 *  The time of day starts at 2000-01-01 00:00:00 UTC and moves along.
 *
 *  @par Thread safety   Reading the time: from any OS thread. The rest: on the OS thread that runs the loops.
 *  @par Lifetimes       Outlives the contexts it is installed in. Driven loops must be alive when it is moved.
 */
class manual_clock final : public clock {
public:
    manual_clock() noexcept = default;

    [[nodiscard]] time_point now() const noexcept override;
    [[nodiscard]] system_time_point system_now() const noexcept override;

    /** Moves `loop`, which uses this clock, whenever the clock is moved. */
    void drive(serial_loop& loop);
    /** Forgets a loop. */
    void release(serial_loop& loop) noexcept;

    /** Moves on by `span`, stopping at each deadline on the way: first the loops do what is ready, then the timers that
     *  are due fire, and so on. Not from within a handler or coroutine. */
    void advance(duration span);

    /** Moves to the next deadline of the loops and lets happen what follows from it.
     *  @return  False if no timer is armed; then nothing moves. */
    bool advance_to_next_deadline();

    /** Lets the loops do what is ready now, until nothing is. */
    void settle();

    /** Sets the time without firing anything: for who drives the loops himself. Never back. */
    void jump_to(time_point moment) noexcept;

    /** Sets the time of day on or back, as people and time servers do; the time that never goes back is not touched. */
    void shift_time_of_day(duration span) noexcept { shift_.fetch_add(span.count(), std::memory_order_relaxed); }

private:
    [[nodiscard]] time_point earliest_deadline() const noexcept;
    void move_to(time_point moment);

    std::atomic<duration::rep> elapsed_{0};
    std::atomic<duration::rep> shift_{0};  // of the time of day
    std::vector<serial_loop*> loops_;
};

}  // namespace weft::testing
