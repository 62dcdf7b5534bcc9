#include <weft/async/loop/serial_loop.hpp>
#include <weft/testing/manual_clock.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/assert.hpp>

#include <algorithm>

namespace weft::testing {

namespace {

// Not zero, so that code which takes "no time" for zero is found out.
constexpr time_point start{std::chrono::hours{1}};
constexpr std::chrono::seconds year_2000{946'684'800};

}  // namespace

time_point manual_clock::now() const noexcept { return start + duration{elapsed_.load(std::memory_order_relaxed)}; }

manual_clock::system_time_point manual_clock::system_now() const noexcept
{
    const duration elapsed{elapsed_.load(std::memory_order_relaxed) + shift_.load(std::memory_order_relaxed)};
    return system_time_point{std::chrono::duration_cast<system_time_point::duration>(year_2000 + elapsed)};
}

void manual_clock::drive(serial_loop& loop)
{
    BOOST_ASSERT_MSG(&loop.clock() == this, "install the clock in the io_context before the loop is made");
    loops_.push_back(&loop);
}

void manual_clock::release(serial_loop& loop) noexcept
{
    loops_.erase(std::remove(loops_.begin(), loops_.end(), &loop), loops_.end());
}

void manual_clock::advance(duration span)
{
    BOOST_ASSERT_MSG(span >= duration::zero(), "time does not go back");
    const time_point target = now() + span;
    settle();
    for (time_point next = earliest_deadline(); next <= target; next = earliest_deadline()) move_to(next);
    move_to(target);
}

bool manual_clock::advance_to_next_deadline()
{
    settle();
    const time_point next = earliest_deadline();
    if (next == time_point::max()) return false;
    move_to(next);
    return true;
}

void manual_clock::settle()
{
    // One loop may make another ready; all must have come to rest.
    std::size_t handled = 1;
    while (handled > 0) {
        handled = 0;
        for (serial_loop* loop : loops_) {
            if (loop->context().stopped()) loop->context().restart();
            handled += loop->context().poll();
        }
    }
}

void manual_clock::jump_to(time_point moment) noexcept
{
    const duration elapsed = moment - start;
    if (elapsed.count() > elapsed_.load(std::memory_order_relaxed))
        elapsed_.store(elapsed.count(), std::memory_order_relaxed);
}

time_point manual_clock::earliest_deadline() const noexcept
{
    time_point earliest = time_point::max();
    for (const serial_loop* loop : loops_) earliest = std::min(earliest, loop->next_deadline().value_or(earliest));
    return earliest;
}

void manual_clock::move_to(time_point moment)
{
    jump_to(moment);
    for (serial_loop* loop : loops_) loop->fire_due_timers();
    settle();
}

}  // namespace weft::testing
