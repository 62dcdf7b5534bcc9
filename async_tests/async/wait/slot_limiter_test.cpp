#include <boost/test/unit_test.hpp>

#include "async/outcome.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/async/wait/slot_limiter.hpp>
#include <weft/testing/async_test_case.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

BOOST_AUTO_TEST_SUITE(slot_limiter_test)

namespace {

using namespace std::chrono_literals;
using async_tests::error_of;
using weft::errc;
using weft::slot_limiter;
using weft::task;
namespace this_task = weft::this_task;

struct gauge {
    int now = 0;
    int max = 0;
};

task<void> use_slot(slot_limiter& limiter, gauge& inside, std::chrono::nanoseconds time)
{
    const slot_limiter::slot slot = co_await limiter.acquire();
    inside.max = std::max(inside.max, ++inside.now);
    co_await weft::sleep_for(time);
    --inside.now;
}

task<void> acquire_and_note(slot_limiter& limiter, std::vector<int>& order, int name)
{
    const slot_limiter::slot slot = co_await limiter.acquire();
    order.push_back(name);
    co_await weft::yield_now();
}

task<void> acquire(slot_limiter& limiter) { static_cast<void>(co_await limiter.acquire()); }

WEFT_ASYNC_TEST_CASE(not_more_than_its_slots_are_inside_and_all_get_their_turn)
{
    const weft::task_context& context = co_await this_task::context();
    const weft::time_point before = context.loop->now();
    slot_limiter limiter{3};
    gauge inside;
    weft::scope children{context};
    for (int i = 0; i < 9; ++i) children.spawn(use_slot(limiter, inside, 10ms));
    BOOST_TEST(limiter.free() == 0U);
    BOOST_TEST(limiter.waiting() == 6U);
    co_await children.join();
    BOOST_TEST(inside.max == 3);
    BOOST_TEST(limiter.free() == 3U);
    BOOST_TEST((context.loop->now() - before == 30ms));
}

task<std::vector<int>> order_of_service()
{
    const weft::task_context& context = co_await this_task::context();
    slot_limiter limiter{1};
    std::vector<int> order;
    weft::scope children{context};
    for (int i = 0; i < 6; ++i) children.spawn(acquire_and_note(limiter, order, i));
    co_await children.join();
    co_return order;
}

BOOST_AUTO_TEST_CASE(who_comes_first_is_served_first_whatever_the_order_of_ready_items)
{
    const std::vector<int> expected{0, 1, 2, 3, 4, 5};
    BOOST_TEST(weft::run_blocking(order_of_service()) == expected, boost::test_tools::per_element());
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        weft::testing::simulation sim{seed};
        BOOST_TEST(sim.run(order_of_service()) == expected, boost::test_tools::per_element());
    }
}

WEFT_ASYNC_TEST_CASE(nobody_overtakes_those_who_wait)
{
    const weft::task_context& context = co_await this_task::context();
    slot_limiter limiter{1};
    std::optional<slot_limiter::slot> first = limiter.try_acquire();
    BOOST_TEST(first.has_value());
    BOOST_TEST(!limiter.try_acquire().has_value());
    weft::scope children{context};
    children.spawn(acquire(limiter));
    first->release();
    BOOST_TEST(!limiter.try_acquire().has_value());  // it belongs to the child, which has not run yet
    co_await children.join();
    BOOST_TEST(limiter.free() == 1U);
}

WEFT_ASYNC_TEST_CASE(a_slot_moves_and_is_given_back_once)
{
    slot_limiter limiter{2};
    slot_limiter::slot one = co_await limiter.acquire();
    slot_limiter::slot two = co_await limiter.acquire();
    BOOST_TEST(static_cast<bool>(one));
    two = std::move(one);
    BOOST_TEST(limiter.free() == 1U);
    BOOST_TEST(!one);
    two.release();
    two.release();
    BOOST_TEST(limiter.free() == 2U);
}

task<std::optional<errc>> stopped_wait(slot_limiter& limiter)
{
    const weft::task_context& context = co_await this_task::context();
    const slot_limiter::slot slot = co_await limiter.acquire();
    weft::scope children{context};
    children.spawn(acquire(limiter));
    children.spawn(acquire(limiter));
    children.request_stop();
    BOOST_TEST(limiter.waiting() == 0U);
    co_await children.join();
    context.scope->request_stop();
    co_return co_await error_of(acquire(limiter));
}

BOOST_AUTO_TEST_CASE(a_stop_ends_the_wait_and_in_a_stopped_scope_nobody_gets_a_slot)
{
    weft::testing::simulation sim{1};
    slot_limiter limiter{1};
    BOOST_TEST((sim.run(stopped_wait(limiter)) == errc::cancelled));
    BOOST_TEST(limiter.free() == 1U);
}

WEFT_ASYNC_TEST_CASE(a_slot_granted_to_a_coroutine_that_dies_goes_to_the_next)
{
    const weft::task_context& context = co_await this_task::context();
    slot_limiter limiter{1};
    std::optional<slot_limiter::slot> held = limiter.try_acquire();
    auto doomed = std::make_unique<weft::scope>(context);
    doomed->spawn(acquire(limiter));
    weft::scope children{context};
    children.spawn(acquire(limiter));
    held->release();
    doomed.reset();
    co_await children.join();
    BOOST_TEST(limiter.free() == 1U);
}

WEFT_ASYNC_TEST_CASE(a_limiter_that_dies_cancels_those_who_wait)
{
    const weft::task_context& context = co_await this_task::context();
    auto limiter = std::make_unique<slot_limiter>(0);
    weft::scope children{context};
    children.spawn(acquire(*limiter));
    limiter.reset();
    constexpr auto join = [](weft::scope& all) -> task<void> { co_await all.join(); };
    const auto error = co_await error_of(join(children));
    BOOST_TEST((error == errc::cancelled));
}

task<void> crowd()
{
    const weft::task_context& context = co_await this_task::context();
    slot_limiter limiter{2};
    gauge inside;
    weft::scope children{context};
    for (int i = 0; i < 5; ++i) children.spawn(use_slot(limiter, inside, 3ms));
    co_await children.join();
}

BOOST_AUTO_TEST_CASE(a_limiter_can_be_stopped_and_torn_down_everywhere)
{
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(crowd, {.seed = seed}) >= 8U);
        BOOST_TEST(weft::testing::stopped_at_every_suspension_point(crowd, {.seed = seed}) >= 7U);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
