#include <boost/test/unit_test.hpp>

#include "async/outcome.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/testing/async_test_case.hpp>

#include <chrono>
#include <vector>

BOOST_AUTO_TEST_SUITE(sleep_test)

namespace {

using namespace std::chrono_literals;
using async_tests::error_of;
using weft::errc;
using weft::sleep_for;
using weft::task;
namespace this_task = weft::this_task;

task<void> nap(std::chrono::nanoseconds delay) { co_await sleep_for(delay); }

task<void> wake_as(std::vector<int>& woken, int name, std::chrono::nanoseconds delay)
{
    co_await sleep_for(delay);
    woken.push_back(name);
}

WEFT_ASYNC_TEST_CASE(a_sleeper_wakes_when_its_time_has_come)
{
    weft::serial_loop& loop = co_await this_task::loop();
    const weft::time_point before = loop.now();
    co_await sleep_for(250ms);
    BOOST_TEST((loop.now() - before == 250ms));
}

WEFT_ASYNC_TEST_CASE(F14_a_sleep_of_nothing_takes_a_turn_and_one_below_a_tick_is_not_rounded_up)
{
    weft::serial_loop& loop = co_await this_task::loop();
    const weft::time_point before = loop.now();
    for (int i = 0; i < 100; ++i) co_await sleep_for(0ms);
    co_await sleep_for(-1s);
    BOOST_TEST((loop.now() == before));
    co_await sleep_for(100us);
    BOOST_TEST((loop.now() - before == 100us));
    co_await sleep_for(1500us);
    BOOST_TEST((loop.now() - before == 2ms));
}

task<void> count_turns(int& turns)
{
    for (int i = 0; i < 10; ++i) {
        ++turns;
        co_await sleep_for(0ns);
    }
}

WEFT_ASYNC_TEST_CASE(F14_sleeps_of_nothing_take_turns)
{
    const weft::task_context& context = co_await this_task::context();
    int first = 0;
    int second = 0;
    weft::scope children{context};
    children.spawn(count_turns(first));
    children.spawn(count_turns(second));
    BOOST_TEST(first == 1);
    BOOST_TEST(second == 1);
    co_await children.join();
    BOOST_TEST(first + second == 20);
}

BOOST_AUTO_TEST_CASE(F14_a_sleep_of_nothing_can_be_stopped_and_torn_down)
{
    constexpr auto naps = []() -> task<void> {
        co_await sleep_for(0ms);
        co_await sleep_for(10us);
    };
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(naps) == 3U);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(naps) == 2U);
}

WEFT_ASYNC_TEST_CASE(sleepers_wake_in_the_order_of_their_deadlines)
{
    const weft::task_context& context = co_await this_task::context();
    std::vector<int> woken;
    weft::scope children{context};
    children.spawn(wake_as(woken, 3, 30ms));
    children.spawn(wake_as(woken, 1, 10ms));
    children.spawn(wake_as(woken, 2, 20ms));
    co_await children.join();
    BOOST_TEST(woken == (std::vector{1, 2, 3}), boost::test_tools::per_element());
}

task<void> stop_after(weft::stop_scope& scope, std::chrono::nanoseconds delay)
{
    co_await sleep_for(delay);
    scope.request_stop();
}

task<void> stopped_sleeper(std::chrono::nanoseconds delay)
{
    const weft::task_context& context = co_await this_task::context();
    weft::scope children{context, weft::failure_policy::keep_going};
    children.spawn(stop_after(*context.scope, delay));
    children.spawn(nap(1h));
    co_await children.join();
}

BOOST_AUTO_TEST_CASE(a_stop_ends_the_sleep_at_once)
{
    weft::testing::simulation sim{1};
    BOOST_TEST((sim.run(error_of(stopped_sleeper(5ms))) == errc::cancelled));
    BOOST_TEST((sim.elapsed() == 5ms));
}

task<std::optional<errc>> sleep_in_stopped_scope()
{
    const weft::task_context& context = co_await this_task::context();
    context.scope->request_stop();
    co_return co_await error_of(nap(1h));
}

BOOST_AUTO_TEST_CASE(in_a_stopped_scope_nobody_falls_asleep)
{
    weft::testing::simulation sim{1};
    BOOST_TEST((sim.run(sleep_in_stopped_scope()) == errc::cancelled));
    BOOST_TEST((sim.elapsed() == 0ms));
}

BOOST_AUTO_TEST_CASE(a_sleeper_can_be_stopped_and_torn_down_everywhere)
{
    constexpr auto two_naps = []() -> task<void> {
        co_await sleep_for(5ms);
        co_await sleep_for(5ms);
    };
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(two_naps) == 3U);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(two_naps) == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
