#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/test/unit_test.hpp>

#include "async/outcome.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/task/from_awaitable.hpp>
#include <weft/testing/async_test_case.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

BOOST_AUTO_TEST_SUITE(from_awaitable_test)

namespace {

using namespace std::chrono_literals;
using async_tests::error_of;
using async_tests::tracked;
using weft::errc;
using weft::from_awaitable;
using weft::task;
namespace asio = boost::asio;
namespace this_task = weft::this_task;

template <class Executor>
asio::awaitable<std::string, Executor> posted_text()
{
    const asio::use_awaitable_t<Executor> use;
    co_await asio::post(use);
    co_return "text";
}

asio::awaitable<void> fail()
{
    co_await asio::post(asio::use_awaitable);
    throw std::runtime_error{"why"};
}

asio::awaitable<void> wait_long(tracked)
{
    asio::steady_timer timer{co_await asio::this_coro::executor, std::chrono::hours{1}};
    co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<int> at_once() { co_return 5; }

WEFT_ASYNC_TEST_CASE(the_result_of_an_asio_coroutine_is_the_value_of_the_expression)
{
    const int number = co_await from_awaitable(at_once());
    BOOST_TEST(number == 5);
    const std::string any = co_await from_awaitable(posted_text<asio::any_io_executor>());
    BOOST_TEST(any == "text");
    const std::string io = co_await from_awaitable(posted_text<asio::io_context::executor_type>());
    BOOST_TEST(io == "text");
    const std::string ours = co_await from_awaitable(posted_text<weft::loop_executor>());
    BOOST_TEST(ours == "text");
}

task<std::string> text_of_failure()
{
    std::string text;
    try {
        co_await from_awaitable(fail());
    } catch (const std::runtime_error& e) {
        text = e.what();
    }
    co_return text;
}

WEFT_ASYNC_TEST_CASE(an_exception_travels)
{
    const std::string text = co_await text_of_failure();
    BOOST_TEST(text == "why");
}

task<void> await_long(int& alive) { co_await from_awaitable(wait_long(tracked{alive})); }

task<void> stop_after(weft::stop_scope& scope, std::chrono::nanoseconds delay)
{
    co_await weft::sleep_for(delay);
    scope.request_stop();
}

task<std::optional<errc>> stopped(task<void> work)
{
    const weft::task_context& context = co_await this_task::context();
    weft::scope stopper{context};
    stopper.spawn(stop_after(*context.scope, 1ms));
    co_return co_await error_of(std::move(work));
}

BOOST_AUTO_TEST_CASE(a_stop_reaches_the_operation_of_the_asio_coroutine)
{
    weft::testing::simulation sim{1};
    int alive = 0;
    BOOST_TEST((sim.run(stopped(await_long(alive))) == errc::cancelled));
    BOOST_TEST(alive == 0);
}

task<std::optional<errc>> start_when_stopped(int& alive)
{
    const weft::task_context& context = co_await this_task::context();
    context.scope->request_stop();
    co_return co_await error_of(await_long(alive));
}

BOOST_AUTO_TEST_CASE(in_a_stopped_scope_it_does_not_start)
{
    weft::testing::simulation sim{1};
    int alive = 0;
    BOOST_TEST((sim.run(start_when_stopped(alive)) == errc::cancelled));
    BOOST_TEST(alive == 0);
}

BOOST_AUTO_TEST_CASE(when_the_awaiting_task_is_destroyed_the_asio_coroutine_is_cancelled_and_ends)
{
    weft::testing::simulation sim{1};
    int alive = 0;
    {
        const weft::testing::simulation::root<void> waiting{sim, await_long(alive)};
        sim.context().poll();
        BOOST_TEST(alive > 0);
    }
    sim.context().poll();
    BOOST_TEST(alive == 0);
    BOOST_TEST(sim.context().stopped());
}

task<void> three_awaitables()
{
    co_await from_awaitable(posted_text<asio::any_io_executor>());
    co_await from_awaitable(posted_text<weft::loop_executor>());
    co_await from_awaitable(at_once());
}

BOOST_AUTO_TEST_CASE(it_can_be_stopped_and_torn_down_everywhere)
{
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(three_awaitables) >= 4U);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(three_awaitables) >= 3U);
}

struct strand_run {
    std::atomic<int> inside{0};
    std::atomic<bool> overlapped{false};
    std::atomic<int> ended{0};
};

asio::awaitable<void> count_inside(strand_run& run)
{
    for (;;) {
        if (run.inside.fetch_add(1) != 0) run.overlapped = true;
        run.inside.fetch_sub(1);
        co_await asio::post(asio::use_awaitable);  // cannot be cancelled
        const asio::cancellation_state state = co_await asio::this_coro::cancellation_state;
        if (state.cancelled() != asio::cancellation_type::none)
            throw boost::system::system_error{asio::error::operation_aborted};
    }
}

task<void> run_on_strand(strand_run& run)
{
    std::exception_ptr error;
    try {
        co_await from_awaitable(count_inside(run));
    } catch (...) {
        error = std::current_exception();
    }
    if (weft::code_of(error) == errc::cancelled) ++run.ended;
}

// Boost 1.81 frees memory twice when co_spawn is cancelled from another thread; here everything stays on the strand.
BOOST_AUTO_TEST_CASE(on_a_strand_of_two_os_threads_it_is_stopped_safely)
{
    constexpr int coroutines = 50;
    for (int round = 0; round < 20; ++round) {
        asio::io_context io;
        weft::serial_loop loop{io, weft::serial_loop::on_strand{}};
        weft::stop_scope scope;
        const weft::task_context context{&loop, &scope};
        strand_run run;
        std::vector<task<void>> tasks;
        auto work = asio::make_work_guard(io);
        asio::post(loop.executor(), [&] {
            for (int i = 0; i < coroutines; ++i) {
                tasks.push_back(run_on_strand(run));
                BOOST_VERIFY(!tasks.back().start(context, [](void*) {}, nullptr));
            }
        });
        std::thread one{[&io] { io.run(); }};
        std::thread two{[&io] { io.run(); }};
        asio::post(loop.executor(), [&] {
            asio::post(loop.executor(), [&] { scope.request_stop(); });
        });
        work.reset();
        one.join();
        two.join();
        BOOST_TEST(run.ended == coroutines);
        BOOST_TEST(!run.overlapped);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
