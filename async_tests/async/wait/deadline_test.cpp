#include <boost/test/unit_test.hpp>

#include "async/outcome.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/testing/async_test_case.hpp>

#include <chrono>
#include <string>

BOOST_AUTO_TEST_SUITE(deadline_test)

namespace {

using namespace std::chrono_literals;
using async_tests::error_of;
using weft::errc;
using weft::shielded;
using weft::sleep_for;
using weft::task;
using weft::with_deadline;
namespace this_task = weft::this_task;

task<std::string> answer_after(std::chrono::nanoseconds delay)
{
    if (delay > 0ns) co_await sleep_for(delay);
    co_return "answer";
}

task<void> fail_after(std::chrono::nanoseconds delay)
{
    co_await sleep_for(delay);
    throw weft::error{errc::connect_failed};
}

task<void> stop_after(weft::stop_scope& scope, std::chrono::nanoseconds delay)
{
    co_await sleep_for(delay);
    scope.request_stop();
}

/** Needs some time after a stop, and says whether it got it. */
task<std::string> clean_up_when_stopped(std::chrono::nanoseconds needed, bool& cleaned)
{
    std::string result = "not stopped";
    bool stopped = false;
    try {
        co_await sleep_for(1h);
    } catch (const weft::error&) {
        stopped = true;
    }
    if (stopped) {
        co_await shielded(answer_after(needed), 1s);
        cleaned = true;
        result = "cleaned";
    }
    co_return result;
}

WEFT_ASYNC_TEST_CASE(what_ends_in_time_gives_its_result)
{
    weft::serial_loop& loop = co_await this_task::loop();
    const std::string at_once = co_await with_deadline(answer_after(0ms), 5ms);
    BOOST_TEST(at_once == "answer");
    const std::string later = co_await with_deadline(answer_after(4ms), 5ms);
    BOOST_TEST(later == "answer");
    BOOST_TEST(!loop.next_deadline().has_value());
}

WEFT_ASYNC_TEST_CASE(what_takes_too_long_is_stopped_and_awaited)
{
    weft::serial_loop& loop = co_await this_task::loop();
    const weft::time_point before = loop.now();
    const auto error = co_await error_of(with_deadline(answer_after(1h), 5ms));
    BOOST_TEST((error == errc::timeout));
    BOOST_TEST((loop.now() - before == 5ms));
}

task<std::string> text_of_timeout()
{
    std::string text;
    try {
        co_await with_deadline(answer_after(1h), 250ms);
    } catch (const weft::error& e) {
        text = e.detail();
    }
    co_return text;
}

WEFT_ASYNC_TEST_CASE(the_error_says_how_long_was_waited)
{
    const std::string text = co_await text_of_timeout();
    BOOST_TEST(text == "not done within 250 ms");
}

WEFT_ASYNC_TEST_CASE(an_error_of_the_work_itself_goes_through)
{
    const auto error = co_await error_of(with_deadline(fail_after(1ms), 5ms));
    BOOST_TEST((error == errc::connect_failed));
}

WEFT_ASYNC_TEST_CASE(a_result_that_comes_after_the_stop_is_given)
{
    bool cleaned = false;
    const std::string result = co_await with_deadline(clean_up_when_stopped(20ms, cleaned), 5ms);
    BOOST_TEST(result == "cleaned");
    BOOST_TEST(cleaned);
}

task<void> limited_twice(std::chrono::nanoseconds inner, std::chrono::nanoseconds outer)
{
    co_await with_deadline(with_deadline(answer_after(1h), inner), outer);
}

WEFT_ASYNC_TEST_CASE(of_nested_deadlines_the_earlier_one_counts)
{
    weft::serial_loop& loop = co_await this_task::loop();
    const weft::time_point before = loop.now();
    const auto inner = co_await error_of(limited_twice(5ms, 1min));
    BOOST_TEST((inner == errc::timeout));
    BOOST_TEST((loop.now() - before == 5ms));
    const auto outer = co_await error_of(limited_twice(1min, 5ms));
    BOOST_TEST((outer == errc::timeout));
    BOOST_TEST((loop.now() - before == 10ms));
}

task<std::optional<errc>> stopped_from_outside(task<void> work)
{
    const weft::task_context& context = co_await this_task::context();
    weft::scope stopper{context};
    stopper.spawn(stop_after(*context.scope, 2ms));
    co_return co_await error_of(std::move(work));
}

task<void> limited_answer(std::chrono::nanoseconds limit) { co_await with_deadline(answer_after(1h), limit); }

BOOST_AUTO_TEST_CASE(a_stop_from_outside_is_cancelled_and_not_timeout)
{
    weft::testing::simulation sim{1};
    BOOST_TEST((sim.run(stopped_from_outside(limited_answer(5ms))) == errc::cancelled));
    BOOST_TEST((sim.elapsed() == 2ms));
}

task<void> slow_to_stop()
{
    bool stopped = false;
    try {
        co_await sleep_for(1h);
    } catch (const weft::error&) {
        stopped = true;
    }
    if (stopped) co_await shielded(answer_after(50ms), 1s);
    throw weft::error{errc::cancelled};
}

task<void> limited_slow_to_stop() { co_await with_deadline(slow_to_stop(), 5ms); }

BOOST_AUTO_TEST_CASE(a_deadline_that_passes_after_the_stop_changes_nothing)
{
    weft::testing::simulation sim{1};
    BOOST_TEST((sim.run(stopped_from_outside(limited_slow_to_stop())) == errc::cancelled));
    BOOST_TEST((sim.elapsed() == 52ms));
}

task<std::optional<errc>> start_when_stopped(bool& started)
{
    const weft::task_context& context = co_await this_task::context();
    context.scope->request_stop();
    constexpr auto work = [](bool& flag) -> task<void> {
        flag = true;
        co_return;
    };
    co_return co_await error_of(with_deadline(work(started), 5ms));
}

BOOST_AUTO_TEST_CASE(in_a_stopped_scope_the_work_does_not_start)
{
    weft::testing::simulation sim{1};
    bool started = false;
    BOOST_TEST((sim.run(start_when_stopped(started)) == errc::cancelled));
    BOOST_TEST(!started);
}

task<std::string> shielded_answer(std::chrono::nanoseconds needed)
{
    const weft::task_context& context = co_await this_task::context();
    context.scope->request_stop();
    std::string text;
    try {
        text = co_await shielded(answer_after(needed), 10ms);
    } catch (const weft::error& e) {
        text = name_of(e.code());
    }
    co_return text;
}

BOOST_AUTO_TEST_CASE(shielded_work_runs_in_spite_of_the_stop_and_not_longer_than_its_limit)
{
    weft::testing::simulation sim{1};
    BOOST_TEST(sim.run(shielded_answer(5ms)) == "answer");
    BOOST_TEST(sim.run(shielded_answer(1h)) == "timeout");
    BOOST_TEST((sim.elapsed() == 15ms));
}

task<void> deadline_and_cleanup()
{
    bool cleaned = false;
    co_await with_deadline(clean_up_when_stopped(2ms, cleaned), 5ms);
    co_await with_deadline(answer_after(1ms), 1h);
}

BOOST_AUTO_TEST_CASE(deadlines_can_be_stopped_and_torn_down_everywhere)
{
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(deadline_and_cleanup) >= 4U);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(deadline_and_cleanup) >= 3U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
