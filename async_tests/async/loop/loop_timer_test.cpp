#include <boost/test/unit_test.hpp>

#include "noting_timer.hpp"

#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/loop/serial_loop.hpp>
#include <weft/testing/manual_clock.hpp>

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <vector>

namespace loop_timer_cases {

using namespace std::chrono_literals;
using weft::loop_timer;
using weft::time_point;

struct fixture {
    fixture()
    {
        weft::install_clock(io, time);
        loop.emplace(io);
        time.drive(*loop);
    }
    void count() { ++fired; }

    weft::testing::manual_clock time;
    boost::asio::io_context io{1};
    std::optional<weft::serial_loop> loop;
    int fired = 0;
};

void count_firing(void* self) { static_cast<fixture*>(self)->count(); }

BOOST_FIXTURE_TEST_SUITE(loop_timer_test, fixture)

BOOST_AUTO_TEST_CASE(it_fires_once_at_its_deadline)
{
    loop_timer timer{*loop, &count_firing, this};
    timer.arm_after(10ms);
    BOOST_TEST(timer.is_armed());
    time.advance(9ms);
    BOOST_TEST(fired == 0);
    time.advance(1ms);
    BOOST_TEST(fired == 1);
    BOOST_TEST(!timer.is_armed());
    time.advance(1h);
    BOOST_TEST(fired == 1);
}

BOOST_AUTO_TEST_CASE(a_manual_clock_goes_from_deadline_to_deadline)
{
    loop_timer soon{*loop, &count_firing, this};
    loop_timer late{*loop, &count_firing, this};
    const time_point begin = time.now();
    late.arm_after(1h);
    soon.arm_after(10ms);
    BOOST_TEST(time.advance_to_next_deadline());
    BOOST_TEST(fired == 1);
    BOOST_TEST((time.now() - begin == 10ms));
    BOOST_TEST(time.advance_to_next_deadline());
    BOOST_TEST(fired == 2);
    BOOST_TEST((time.now() - begin == 1h));
    BOOST_TEST(!time.advance_to_next_deadline());
    BOOST_TEST((time.now() - begin == 1h));
}

BOOST_AUTO_TEST_CASE(a_disarmed_timer_does_not_fire)
{
    loop_timer timer{*loop, &count_firing, this};
    timer.arm_after(10ms);
    timer.disarm();
    timer.disarm();
    time.advance(1h);
    BOOST_TEST(fired == 0);
}

BOOST_AUTO_TEST_CASE(arming_again_replaces_the_deadline)
{
    loop_timer timer{*loop, &count_firing, this};
    timer.arm_after(10ms);
    timer.arm_after(20ms);
    time.advance(19ms);
    BOOST_TEST(fired == 0);
    time.advance(1ms);
    BOOST_TEST(fired == 1);
}

BOOST_AUTO_TEST_CASE(a_timer_that_dies_does_not_fire)
{
    {
        loop_timer timer{*loop, &count_firing, this};
        timer.arm_after(10ms);
    }
    time.advance(1h);
    BOOST_TEST(fired == 0);
    BOOST_TEST(!loop->next_deadline().has_value());
}

BOOST_AUTO_TEST_CASE(deadlines_are_rounded_up_to_the_millisecond)
{
    loop_timer timer{*loop, &count_firing, this};
    const time_point now = time.now();
    timer.arm_after(1ns);
    BOOST_TEST((timer.deadline() == now + 1ms));
    timer.arm_after(2ms + 1us);
    BOOST_TEST((timer.deadline() == now + 3ms));
    timer.arm_after(3ms);
    BOOST_TEST((timer.deadline() == now + 3ms));
}

BOOST_AUTO_TEST_CASE(no_delay_means_the_next_tick_and_never_now)
{
    loop_timer timer{*loop, &count_firing, this};
    for (const auto delay : {0ns, -5'000'000'000ns}) {
        timer.arm_after(delay);
        time.settle();
        BOOST_TEST(fired == 0);
        BOOST_TEST((timer.deadline() == time.now() + 1ms));
    }
    time.advance(1ms);
    BOOST_TEST(fired == 1);
}

BOOST_AUTO_TEST_CASE(the_longest_delay_does_not_overflow)
{
    loop_timer timer{*loop, &count_firing, this};
    timer.arm_after(std::chrono::nanoseconds::max());
    BOOST_TEST((timer.deadline() > time.now() + 24h * 365 * 100));
    timer.arm_at(time_point::max());
    BOOST_TEST(timer.is_armed());
    time.advance(1h);
    BOOST_TEST(fired == 0);
}

struct ticker {
    explicit ticker(weft::serial_loop& loop) : timer{loop, [](void* self) { static_cast<ticker*>(self)->tick(); }, this}
    {
    }
    void tick()
    {
        ++ticks;
        timer.arm_after(10ms);
    }
    loop_timer timer;
    int ticks = 0;
};

BOOST_AUTO_TEST_CASE(the_callback_may_arm_the_timer_again)
{
    ticker every{*loop};
    every.timer.arm_after(10ms);
    time.advance(1s);
    BOOST_TEST(every.ticks == 100);
}

struct greedy {
    explicit greedy(weft::serial_loop& loop)
        : timer{loop, [](void* self) { static_cast<greedy*>(self)->again(); }, this}
    {
    }
    void again()
    {
        ++runs;
        timer.arm_at(time_point{});
    }
    loop_timer timer;
    int runs = 0;
};

BOOST_AUTO_TEST_CASE(a_callback_that_arms_a_past_deadline_does_not_keep_the_loop)
{
    greedy always{*loop};
    always.timer.arm_at(time_point{});
    loop->fire_due_timers();
    BOOST_TEST(always.runs == 1);
    BOOST_TEST(always.timer.is_armed());
}

struct self_destroying {
    explicit self_destroying(weft::serial_loop& loop, int& fired) : fired{fired}
    {
        timer.emplace(loop, [](void* self) { static_cast<self_destroying*>(self)->fire(); }, this);
    }
    void fire()
    {
        ++fired;
        timer.reset();
    }
    int& fired;
    std::optional<loop_timer> timer;
};

BOOST_AUTO_TEST_CASE(the_callback_may_destroy_the_timer)
{
    self_destroying one{*loop, fired};
    one.timer->arm_after(1ms);
    time.advance(1ms);
    BOOST_TEST(fired == 1);
    BOOST_TEST(!one.timer.has_value());
}

BOOST_AUTO_TEST_CASE(a_timer_may_outlive_its_loop)
{
    loop_timer timer{*loop, &count_firing, this};
    timer.arm_after(1ms);
    time.release(*loop);
    loop.reset();
    BOOST_TEST(!timer.is_armed());
}

BOOST_AUTO_TEST_SUITE_END()

// On the machine's clock: what is awaited is the completion, however long the machine takes.
BOOST_AUTO_TEST_SUITE(loop_timer_on_a_real_clock_test)

BOOST_AUTO_TEST_CASE(timers_fire_in_the_order_of_their_deadlines_and_the_context_then_has_no_work)
{
    boost::asio::io_context io{1};
    auto& loop = weft::serial_loop::of(io);
    std::vector<int> order;
    weft_tests::noting_timer late{loop, order, 3}, soon{loop, order, 1}, between{loop, order, 2};
    late.timer.arm_after(9ms);
    soon.timer.arm_after(2ms);
    between.timer.arm_after(5ms);
    const time_point before = loop.now();
    io.run();
    BOOST_TEST(order == (std::vector{1, 2, 3}), boost::test_tools::per_element());
    BOOST_TEST((loop.now() - before >= 9ms));
}

BOOST_AUTO_TEST_CASE(an_earlier_timer_wakes_the_loop_earlier_and_a_disarmed_one_leaves_the_others)
{
    boost::asio::io_context io{1};
    auto& loop = weft::serial_loop::of(io);
    std::vector<int> order;
    weft_tests::noting_timer first{loop, order, 1}, second{loop, order, 2};
    second.timer.arm_after(4ms);
    first.timer.arm_after(1ms);
    first.timer.disarm();
    io.run();
    BOOST_TEST(order == std::vector{2}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(timers_of_one_tick_after_another_fire_once_each_and_leave_no_work)
{
    boost::asio::io_context io{1};
    auto& loop = weft::serial_loop::of(io);
    std::vector<int> order;
    std::deque<weft_tests::noting_timer> timers;
    for (int i = 0; i < 30; ++i) timers.emplace_back(loop, order, i).timer.arm_after(i * 1ms + 1ns);
    // One that is far away, so that the loop goes from a dense row to a sparse one, and an early one that comes late.
    weft_tests::noting_timer far{loop, order, 100}, early{loop, order, 101};
    far.timer.arm_after(60ms);
    while (order.size() < 15) io.run_one();
    early.timer.arm_exactly_after(1us);
    io.run();
    BOOST_REQUIRE_EQUAL(order.size(), 32u);
    BOOST_TEST(std::count(order.begin(), order.end(), 101) == 1);
    BOOST_TEST(order.back() == 100);
    std::erase(order, 101);
    BOOST_TEST(std::is_sorted(order.begin(), order.end()));
}

BOOST_AUTO_TEST_CASE(when_the_last_work_is_done_a_disarmed_deadline_keeps_nobody_waiting)
{
    boost::asio::io_context io{1};
    auto& loop = weft::serial_loop::of(io);
    std::vector<int> order;
    weft_tests::noting_timer hour{loop, order, 1};
    hour.timer.arm_after(1h);
    loop.add_work();
    hour.timer.disarm();
    loop.remove_work();
    io.run();  // returns, or the test program's time limit finds it
    BOOST_TEST(order.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace loop_timer_cases
