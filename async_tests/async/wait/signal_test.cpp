#include <boost/test/unit_test.hpp>

#include "async/outcome.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/signal.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/testing/async_test_case.hpp>

#include <chrono>
#include <memory>

BOOST_AUTO_TEST_SUITE(signal_test)

namespace {

using async_tests::error_of;
using weft::errc;
using weft::task;
namespace this_task = weft::this_task;

task<void> count_notifications(weft::signal& changed, int& count, int times)
{
    while (count < times) {
        co_await changed.wait();
        ++count;
    }
}

task<void> wait_for(weft::signal& changed) { co_await changed.wait(); }

WEFT_ASYNC_TEST_CASE(a_notification_wakes_the_one_who_waits)
{
    const weft::task_context& context = co_await this_task::context();
    weft::signal changed;
    int count = 0;
    weft::scope children{context};
    children.spawn(count_notifications(changed, count, 2));
    co_await weft::yield_now();
    BOOST_TEST(count == 0);
    changed.notify();
    BOOST_TEST(count == 0);  // through the ready queue
    co_await weft::sleep_for(std::chrono::milliseconds{1});  // everything that is ready has run
    BOOST_TEST(count == 1);
    changed.notify();
    co_await children.join();
    BOOST_TEST(count == 2);
}

WEFT_ASYNC_TEST_CASE(a_notification_that_nobody_waits_for_is_not_remembered)
{
    const weft::task_context& context = co_await this_task::context();
    weft::signal changed;
    changed.notify();
    weft::scope children{context};
    children.spawn(wait_for(changed));
    co_await weft::yield_now();
    BOOST_TEST(children.running() == 1U);
    changed.notify();
    changed.notify();
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(a_stop_ends_the_wait)
{
    const weft::task_context& context = co_await this_task::context();
    weft::signal changed;
    weft::scope children{context};
    children.spawn(wait_for(changed));
    children.request_stop();
    changed.notify();
    co_await children.join();
    BOOST_TEST(children.failures() == 0U);
}

task<std::optional<errc>> wait_when_stopped()
{
    const weft::task_context& context = co_await this_task::context();
    weft::signal changed;
    context.scope->request_stop();
    co_return co_await error_of(wait_for(changed));
}

BOOST_AUTO_TEST_CASE(in_a_stopped_scope_nobody_waits)
{
    weft::testing::simulation sim{1};
    BOOST_TEST((sim.run(wait_when_stopped()) == errc::cancelled));
}

WEFT_ASYNC_TEST_CASE(a_signal_that_dies_cancels_who_waits)
{
    const weft::task_context& context = co_await this_task::context();
    auto changed = std::make_unique<weft::signal>();
    weft::scope children{context};
    children.spawn(wait_for(*changed));
    changed.reset();
    constexpr auto join = [](weft::scope& all) -> task<void> { co_await all.join(); };
    const auto error = co_await error_of(join(children));
    BOOST_TEST((error == errc::cancelled));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
