#include <weft/testing/async_test_case.hpp>

#include "engine/worker/change_signal.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>

using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(change_signal_test)

namespace {

weft::task<void> count_changes(weft::change_signal& changes, int& seen)
{
    weft::change_signal::watch mine{changes};
    const bool is_told = co_await mine.wait(1h);
    if (is_told) ++seen;
}

}  // namespace

WEFT_ASYNC_TEST_CASE(a_change_wakes_all_that_wait)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::change_signal changes;
    int seen = 0;
    weft::scope waiters{context, weft::failure_policy::keep_going};
    waiters.spawn(count_changes(changes, seen));
    waiters.spawn(count_changes(changes, seen));
    co_await weft::sleep_for(1ms);
    BOOST_TEST(seen == 0);
    changes.notify();
    co_await waiters.join();
    BOOST_TEST(seen == 2);
}

WEFT_ASYNC_TEST_CASE(without_a_change_a_wait_ends_when_its_time_is_up)
{
    weft::change_signal changes;
    changes.notify();  // before the wait: it is not remembered
    const weft::serial_loop& loop = co_await weft::this_task::loop();
    const weft::time_point begin = loop.now();
    weft::change_signal::watch mine{changes};
    const bool is_told = co_await mine.wait(30ms);
    BOOST_TEST(!is_told);
    BOOST_TEST((loop.now() - begin >= 30ms));
}

WEFT_ASYNC_TEST_CASE(a_change_between_look_and_wait_is_remembered)
{
    weft::change_signal changes;
    weft::change_signal::watch mine{changes};
    changes.notify();
    const bool is_told = co_await mine.wait(1h);
    BOOST_TEST(is_told);
}

WEFT_ASYNC_TEST_CASE(a_change_of_one_thread_wakes_its_watches_and_those_of_any_run)
{
    weft::change_signal changes;
    weft::change_signal::watch one{changes, 17};
    weft::change_signal::watch other{changes, 18};
    weft::change_signal::watch any{changes};
    changes.notify_about(17);
    const bool one_told = co_await one.wait(1ms);
    const bool other_told = co_await other.wait(1ms);
    const bool any_told = co_await any.wait(1ms);
    BOOST_TEST(one_told);
    BOOST_TEST(!other_told);
    BOOST_TEST(any_told);
}

BOOST_AUTO_TEST_SUITE_END()
