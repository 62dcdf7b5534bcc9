#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/test/unit_test.hpp>

#include "async/outcome.hpp"

#include <weft/async/async_start.hpp>
#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/on_pool.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/async/use_task.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace async_start_cases {

using namespace std::chrono_literals;
using async_tests::tracked;
using weft::async_start;
using weft::errc;
using weft::serial_loop;
using weft::task;
namespace asio = boost::asio;

task<std::string> text_after(std::chrono::nanoseconds delay)
{
    if (delay > 0ns) co_await weft::sleep_for(delay);
    co_return "text";
}

task<void> fail_after(std::chrono::nanoseconds delay)
{
    if (delay > 0ns) co_await weft::sleep_for(delay);
    throw std::runtime_error{"why"};
}

task<void> hold(tracked) { co_await weft::sleep_for(1h); }

struct fixture {
    asio::io_context io{1};
    serial_loop& loop = serial_loop::of(io);
};

BOOST_FIXTURE_TEST_SUITE(async_start_test, fixture)

BOOST_AUTO_TEST_CASE(a_callback_gets_the_result_and_never_inside_the_call)
{
    for (const auto delay : {0ms, 1ms}) {
        std::optional<std::string> result;
        async_start(loop, text_after(delay), [&result](std::exception_ptr error, std::string text) {
            BOOST_TEST(!error);
            result = std::move(text);
        });
        BOOST_TEST(!result.has_value());
        io.restart();
        io.run();
        BOOST_TEST((result == "text"));
    }
}

BOOST_AUTO_TEST_CASE(a_callback_gets_the_exception)
{
    for (const auto delay : {0ms, 1ms}) {
        std::exception_ptr result;
        async_start(loop, fail_after(delay), [&result](std::exception_ptr error) { result = error; });
        io.restart();
        io.run();
        BOOST_TEST(weft::text_of(result) == "why");
    }
}

asio::awaitable<std::string> ask(serial_loop& loop)
{
    const std::string one = co_await async_start(loop, text_after(0ms), asio::use_awaitable);
    const std::string two = co_await async_start(loop, text_after(1ms), asio::use_awaitable);
    co_return one + two;
}

asio::awaitable<std::string> text_of_failure(serial_loop& loop)
{
    std::string text;
    try {
        co_await async_start(loop, fail_after(1ms), asio::use_awaitable);
    } catch (const std::runtime_error& e) {
        text = e.what();
    }
    co_return text;
}

BOOST_AUTO_TEST_CASE(an_asio_coroutine_awaits_a_task)
{
    std::future<std::string> answer = asio::co_spawn(io, ask(loop), asio::use_future);
    std::future<std::string> failure = asio::co_spawn(io, text_of_failure(loop), asio::use_future);
    io.run();
    BOOST_TEST(answer.get() == "texttext");
    BOOST_TEST(failure.get() == "why");
}

BOOST_AUTO_TEST_CASE(another_os_thread_waits_with_a_future)
{
    auto work = asio::make_work_guard(io);
    std::thread runs{[this] { io.run(); }};
    std::future<std::string> text = async_start(loop, text_after(1ms), asio::use_future);
    std::future<void> failure = async_start(loop, fail_after(0ms), asio::use_future);
    BOOST_TEST(text.get() == "text");
    BOOST_CHECK_THROW(failure.get(), std::runtime_error);
    work.reset();
    runs.join();
}

BOOST_AUTO_TEST_CASE(the_handler_runs_on_its_own_executor)
{
    asio::thread_pool pool{1};
    std::promise<std::thread::id> where;
    async_start(loop, text_after(0ms), asio::bind_executor(pool, [&where](std::exception_ptr, const std::string&) {
                    where.set_value(std::this_thread::get_id());
                }));
    io.run();
    BOOST_TEST((where.get_future().get() != std::this_thread::get_id()));
    pool.join();
}

BOOST_AUTO_TEST_CASE(terminal_cancellation_stops_the_task_and_other_kinds_do_not)
{
    asio::cancellation_signal signal;
    std::optional<errc> code;
    int alive = 0;
    async_start(loop, hold(tracked{alive}), asio::bind_cancellation_slot(signal.slot(), [&code](std::exception_ptr e) {
                    code = weft::code_of(e);
                }));
    signal.emit(asio::cancellation_type::total);
    io.poll();
    BOOST_TEST(!code.has_value());
    signal.emit(asio::cancellation_type::terminal);
    BOOST_TEST(!code.has_value());
    io.run();
    BOOST_TEST((code == errc::cancelled));
    BOOST_TEST(alive == 0);
    signal.emit(asio::cancellation_type::terminal);  // its receiver is gone
}

asio::awaitable<void> hold_in_awaitable(serial_loop& loop, tracked held)
{
    co_await async_start(loop, hold(held), asio::use_awaitable);
}

BOOST_AUTO_TEST_CASE(cancelling_the_asio_coroutine_stops_the_task)
{
    asio::cancellation_signal signal;
    std::optional<errc> code;
    int alive = 0;
    asio::co_spawn(io, hold_in_awaitable(loop, tracked{alive}),
                   asio::bind_cancellation_slot(signal.slot(),
                                                [&code](std::exception_ptr e) { code = weft::code_of(e); }));
    io.poll();
    BOOST_TEST(alive > 0);
    signal.emit(asio::cancellation_type::terminal);
    io.run();
    BOOST_TEST((code == errc::cancelled));
    BOOST_TEST(alive == 0);
}

BOOST_AUTO_TEST_CASE(the_context_runs_until_the_task_has_ended_and_not_longer)
{
    // The task waits only for another OS thread, and leaves a long deadline behind.
    asio::thread_pool pool{1};
    bool has_ended = false;
    constexpr auto wait = [](asio::thread_pool& where) -> task<void> {
        serial_loop& here = co_await weft::this_task::loop();
        weft::loop_timer timer{here, [](void*) {}, nullptr};
        timer.arm_after(1h);
        auto nothing = [] {};
        co_await weft::on_pool(where, nothing);
    };
    async_start(loop, wait(pool), [&has_ended](std::exception_ptr) { has_ended = true; });
    io.run();  // returns at once, or the test program's time limit finds it
    BOOST_TEST(has_ended);
}

BOOST_AUTO_TEST_CASE(an_exception_of_the_handler_leaves_run)
{
    async_start(loop, text_after(1ms), [](std::exception_ptr, const std::string&) { throw std::logic_error{"mine"}; });
    BOOST_CHECK_THROW(io.run(), std::logic_error);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(async_start_and_the_end_of_the_context_test)

task<void> wait_on_socketlike_timer(tracked)
{
    serial_loop& loop = co_await weft::this_task::loop();
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>,
                               weft::loop_executor>
        timer{loop.executor(), 1h};
    co_await timer.async_wait(weft::use_task);
}

BOOST_AUTO_TEST_CASE(a_context_that_dies_destroys_the_tasks_that_still_wait)
{
    int alive = 0;
    bool called = false;
    {
        asio::io_context io{1};
        auto& loop = serial_loop::of(io);
        for (int i = 0; i < 3; ++i) {
            async_start(loop, hold(tracked{alive}), [&called](std::exception_ptr) { called = true; });
            async_start(loop, wait_on_socketlike_timer(tracked{alive}),
                        [&called](std::exception_ptr) { called = true; });
        }
        io.poll();
        async_start(loop, hold(tracked{alive}), [&called](std::exception_ptr) { called = true; });  // not begun
        BOOST_TEST(alive > 0);
    }
    BOOST_TEST(alive == 0);
    BOOST_TEST(!called);
}

BOOST_AUTO_TEST_CASE(a_loop_on_a_strand_destroys_its_tasks_too)
{
    int alive = 0;
    asio::io_context io;
    {
        serial_loop loop{io, serial_loop::on_strand{}};
        async_start(loop, hold(tracked{alive}), asio::detached);
        async_start(loop, wait_on_socketlike_timer(tracked{alive}), asio::detached);
        io.poll();
        BOOST_TEST(alive > 0);
    }
    BOOST_TEST(alive == 0);
    io.restart();
    io.poll();
}

BOOST_AUTO_TEST_CASE(tasks_are_started_from_four_os_threads)
{
    constexpr int threads = 4;
    constexpr int starts = 500;
    asio::io_context io{1};
    auto& loop = serial_loop::of(io);
    auto work = asio::make_work_guard(io);
    int ended = 0;  // on the loop only
    std::vector<std::thread> starting;
    for (int i = 0; i < threads; ++i)
        starting.emplace_back([&] {
            for (int n = 0; n < starts; ++n)
                async_start(loop, text_after(n % 2 == 0 ? 0ms : 1ms),
                            [&ended](std::exception_ptr, const std::string&) { ++ended; });
        });
    std::thread end{[&] {
        for (auto& thread : starting) thread.join();
        work.reset();
    }};
    io.run();
    end.join();
    BOOST_TEST(ended == threads * starts);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace async_start_cases
