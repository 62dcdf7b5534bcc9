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
    co_await changes.wait(1h);
    ++seen;
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
    co_await changes.wait(30ms);
    BOOST_TEST((loop.now() - begin >= 30ms));
}

BOOST_AUTO_TEST_SUITE_END()
