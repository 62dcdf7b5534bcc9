#include <boost/test/unit_test.hpp>

#include "async/outcome.hpp"

#include <weft/async/race.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/testing/async_test_case.hpp>

#include <chrono>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(race_test)

namespace {

using namespace std::chrono_literals;
using async_tests::error_of;
using weft::errc;
using weft::race;
using weft::sleep_for;
using weft::task;
namespace this_task = weft::this_task;

task<int> give_after(int value, std::chrono::nanoseconds delay)
{
    if (delay > 0ns) co_await sleep_for(delay);
    co_return value;
}

task<int> fail_after(std::chrono::nanoseconds delay, errc code)
{
    if (delay > 0ns) co_await sleep_for(delay);
    throw weft::error{code};
}

task<int> note_stop(bool& stopped)
{
    std::exception_ptr error;
    try {
        co_await sleep_for(1h);
    } catch (...) {
        error = std::current_exception();
    }
    if (error) {
        stopped = true;
        std::rethrow_exception(error);
    }
    co_return 0;
}

WEFT_ASYNC_TEST_CASE(the_first_success_wins_and_the_others_are_stopped)
{
    weft::serial_loop& loop = co_await this_task::loop();
    const weft::time_point before = loop.now();
    bool stopped = false;
    const int winner = co_await race(give_after(1, 20ms), give_after(2, 10ms), note_stop(stopped));
    BOOST_TEST(winner == 2);
    BOOST_TEST(stopped);
    BOOST_TEST((loop.now() - before == 10ms));
}

WEFT_ASYNC_TEST_CASE(failures_do_not_end_a_race_that_somebody_can_still_win)
{
    const int winner = co_await race(fail_after(1ms, errc::connect_failed), give_after(5, 10ms),
                                     fail_after(2ms, errc::resolve_failed));
    BOOST_TEST(winner == 5);
}

task<int> all_fail()
{
    co_return co_await race(fail_after(9ms, errc::connect_failed), fail_after(3ms, errc::resolve_failed),
                            fail_after(5ms, errc::connect_timeout));
}

WEFT_ASYNC_TEST_CASE(when_all_fail_the_first_failure_in_time_is_thrown)
{
    const auto error = co_await error_of(all_fail());
    BOOST_TEST((error == errc::resolve_failed));
}

task<int> mark(bool& started)
{
    started = true;
    co_return 0;
}

WEFT_ASYNC_TEST_CASE(who_wins_at_once_keeps_the_rest_from_starting)
{
    bool started = false;
    const int winner = co_await race(give_after(3, 0ms), mark(started));
    BOOST_TEST(winner == 3);
    BOOST_TEST(!started);
}

WEFT_ASYNC_TEST_CASE(a_vector_can_race)
{
    std::vector<task<int>> contenders;
    for (int i = 0; i < 10; ++i) contenders.push_back(give_after(i, std::chrono::milliseconds{20 - i}));
    const int winner = co_await race(std::move(contenders));
    BOOST_TEST(winner == 9);
}

task<void> nap(std::chrono::nanoseconds delay) { co_await sleep_for(delay); }

WEFT_ASYNC_TEST_CASE(tasks_without_results_can_race)
{
    weft::serial_loop& loop = co_await this_task::loop();
    const weft::time_point before = loop.now();
    co_await race(nap(1h), nap(7ms));
    BOOST_TEST((loop.now() - before == 7ms));
}

task<int> slow_loser(bool& finished)
{
    bool stopped = false;
    try {
        co_await sleep_for(1h);
    } catch (const weft::error&) {
        stopped = true;
    }
    finished = stopped;
    co_return 8;
}

WEFT_ASYNC_TEST_CASE(a_loser_that_succeeds_after_the_stop_does_not_become_the_winner)
{
    bool finished = false;
    const int winner = co_await race(slow_loser(finished), give_after(1, 1ms));
    BOOST_TEST(winner == 1);
    BOOST_TEST(finished);
}

task<void> stop_after(weft::stop_scope& scope, std::chrono::nanoseconds delay)
{
    co_await sleep_for(delay);
    scope.request_stop();
}

task<int> hopeless() { co_return co_await race(fail_after(1ms, errc::connect_failed), give_after(1, 1h)); }

task<std::optional<errc>> stopped_race()
{
    const weft::task_context& context = co_await this_task::context();
    weft::scope stopper{context};
    stopper.spawn(stop_after(*context.scope, 3ms));
    co_return co_await error_of(hopeless());
}

BOOST_AUTO_TEST_CASE(a_stop_before_anybody_wins_is_cancelled)
{
    weft::testing::simulation sim{1};
    BOOST_TEST((sim.run(stopped_race()) == errc::cancelled));
}

BOOST_AUTO_TEST_CASE(a_race_can_be_stopped_and_torn_down_everywhere)
{
    constexpr auto make = []() -> task<int> {
        co_return co_await race(fail_after(1ms, errc::connect_failed), give_after(1, 4ms), give_after(2, 5ms));
    };
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(make) >= 3U);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(make) >= 2U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
