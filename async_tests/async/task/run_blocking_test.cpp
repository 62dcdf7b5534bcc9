#include <boost/test/unit_test.hpp>

#include "async/outcome.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/on_pool.hpp>
#include <weft/async/run_blocking.hpp>
#include <weft/async/signal.hpp>
#include <weft/async/sleep.hpp>

#include <boost/asio/thread_pool.hpp>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <thread>

BOOST_AUTO_TEST_SUITE(run_blocking_test)

namespace {

using namespace std::chrono_literals;
using weft::errc;
using weft::run_blocking;
using weft::task;

task<int> answer_after(std::chrono::nanoseconds delay)
{
    if (delay > 0ns) co_await weft::sleep_for(delay);
    co_return 42;
}

task<void> fail()
{
    co_await weft::sleep_for(1ms);
    throw std::runtime_error{"why"};
}

task<void> wait_for_ever()
{
    weft::signal never;
    co_await never.wait();
}

errc code_thrown_by(task<void> work, std::stop_token stop = {})
{
    try {
        run_blocking(std::move(work), std::move(stop));
    } catch (const weft::error& e) {
        return e.code();
    }
    return errc{};
}

BOOST_AUTO_TEST_CASE(it_gives_the_result_of_the_task)
{
    BOOST_TEST(run_blocking(answer_after(0ms)) == 42);
    BOOST_TEST(run_blocking(answer_after(2ms)) == 42);
}

BOOST_AUTO_TEST_CASE(it_throws_what_the_task_throws) { BOOST_CHECK_THROW(run_blocking(fail()), std::runtime_error); }

task<int> answer_of_another_os_thread(boost::asio::thread_pool& pool)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    loop.add_work();  // as a wait that is over at once
    loop.remove_work();
    const auto work = [] { return 42; };
    co_return co_await weft::on_pool(pool, work);
}

BOOST_AUTO_TEST_CASE(waits_that_are_over_at_once_do_not_end_the_loop)
{
    boost::asio::thread_pool pool{1};
    BOOST_TEST(run_blocking(answer_of_another_os_thread(pool)) == 42);
}

BOOST_AUTO_TEST_CASE(a_task_that_nothing_can_wake_is_an_error)
{
    BOOST_TEST(code_thrown_by(wait_for_ever()) == errc::timeout);
}

task<void> sleep_long() { co_await weft::sleep_for(1h); }

BOOST_AUTO_TEST_CASE(a_stop_ends_it_whether_it_comes_before_or_from_another_os_thread)
{
    std::stop_source before;
    before.request_stop();
    BOOST_TEST(code_thrown_by(sleep_long(), before.get_token()) == errc::cancelled);

    std::stop_source meanwhile;
    std::thread other{[&meanwhile] { meanwhile.request_stop(); }};
    BOOST_TEST(code_thrown_by(sleep_long(), meanwhile.get_token()) == errc::cancelled);
    other.join();
}

BOOST_AUTO_TEST_CASE(a_stop_after_the_end_does_nothing)
{
    std::stop_source source;
    BOOST_TEST(run_blocking(answer_after(1ms), source.get_token()) == 42);
    source.request_stop();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
