#include <boost/test/unit_test.hpp>

#include "async/outcome.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/testing/async_test_case.hpp>

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

BOOST_AUTO_TEST_SUITE(remote_signal_test)

namespace {

using namespace std::chrono_literals;
using async_tests::error_of;
using weft::errc;
using weft::remote_signal;
using weft::task;
namespace this_task = weft::this_task;
using signal_ptr = weft::intrusive_ptr<remote_signal>;

task<void> wait_for(signal_ptr news) { co_await news->wait(); }

task<void> notify_after(signal_ptr news, std::chrono::nanoseconds delay)
{
    co_await weft::sleep_for(delay);
    news->notify();
}

/** Answers each notification with one to the other side. */
task<void> play(signal_ptr mine, signal_ptr other, int rounds)
{
    for (int round = 0; round < rounds; ++round) {
        co_await mine->wait();
        other->notify();
    }
}

}  // namespace

WEFT_ASYNC_TEST_CASE(a_notification_wakes_the_waiting_coroutine)
{
    const weft::task_context& context = co_await this_task::context();
    const auto news = weft::make_counted<remote_signal>();
    weft::scope children{context};
    children.spawn(notify_after(news, 10ms));
    const weft::time_point before = context.loop->now();
    const bool came = co_await news->wait();
    BOOST_TEST(came);
    BOOST_TEST((context.loop->now() - before == 10ms));
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(a_notification_that_finds_nobody_is_kept_and_several_are_one)
{
    const weft::task_context& context = co_await this_task::context();
    const auto news = weft::make_counted<remote_signal>();
    news->notify();
    news->notify();
    co_await news->wait();
    const bool came = co_await news->wait_until(context.loop->now() + 5ms);
    BOOST_TEST(!came);
}

WEFT_ASYNC_TEST_CASE(a_wait_ends_at_its_deadline)
{
    const weft::task_context& context = co_await this_task::context();
    const auto news = weft::make_counted<remote_signal>();
    const weft::time_point before = context.loop->now();
    const bool came = co_await news->wait_until(before + 30ms);
    BOOST_TEST(!came);
    BOOST_TEST((context.loop->now() - before == 30ms));
    const bool came_in_the_past = co_await news->wait_until(before);
    BOOST_TEST(!came_in_the_past);
}

WEFT_ASYNC_TEST_CASE(a_stop_ends_the_wait_and_a_stopped_scope_does_not_wait)
{
    const weft::task_context& context = co_await this_task::context();
    const auto news = weft::make_counted<remote_signal>();
    weft::scope children{context};
    std::optional<errc> how;
    const auto note = [](signal_ptr signal, std::optional<errc>& out) -> task<void> {
        out = co_await error_of(wait_for(signal));
        const auto again = co_await error_of(wait_for(signal));
        BOOST_TEST((again == errc::cancelled));
    };
    children.spawn(note(news, how));
    children.request_stop();
    co_await children.join();
    BOOST_TEST((how == errc::cancelled));
    news->notify();  // without a waiter
    co_await news->wait();
}

BOOST_AUTO_TEST_CASE(a_notification_may_come_after_the_coroutine_and_its_loop)
{
    const auto news = weft::make_counted<remote_signal>();
    {
        weft::testing::simulation sim{1};
        weft::testing::simulation::root<void> waiting{sim, wait_for(news)};
        news->notify();  // on its way when everything goes
    }
    news->notify();
    BOOST_TEST(news->use_count() == 1U);
}

BOOST_AUTO_TEST_CASE(coroutines_of_two_os_threads_play_ping_pong)
{
    constexpr int rounds = 2'000;
    const auto ping = weft::make_counted<remote_signal>();
    const auto pong = weft::make_counted<remote_signal>();
    std::thread other{[&] { weft::run_blocking(play(ping, pong, rounds)); }};
    ping->notify();
    weft::run_blocking(play(pong, ping, rounds));
    other.join();
}

BOOST_AUTO_TEST_CASE(waits_that_are_cut_short_and_notifications_of_another_thread_do_not_meet)
{
    const auto news = weft::make_counted<remote_signal>();
    std::atomic<bool> ended{false};
    std::thread other{[&] {
        while (!ended) news->notify();
    }};
    for (int round = 0; round < 300; ++round) {
        boost::asio::io_context io{1};
        weft::serial_loop loop{io};
        weft::stop_scope scope;
        weft::task_context context{&loop, &scope};
        task<void> work = play(news, weft::make_counted<remote_signal>(), 50);
        static_cast<void>(work.start(context, [](void*) {}, nullptr));
        for (int step = 0; step < round % 7; ++step) io.poll_one();
        work.reset();
    }
    ended = true;
    other.join();
}

BOOST_AUTO_TEST_SUITE_END()
