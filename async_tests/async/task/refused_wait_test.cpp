#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <weft/async/on_pool.hpp>
#include <weft/async/race.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/signal.hpp>
#include <weft/async/stream.hpp>
#include <weft/async/task/from_awaitable.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/async/use_task.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/async/wait/slot_limiter.hpp>
#include <weft/async/wait/token_bucket.hpp>
#include <weft/async/wait/with_stop.hpp>
#include <weft/testing/simulation.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <ostream>

BOOST_AUTO_TEST_SUITE(refused_wait_test)

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using weft::task;
namespace this_task = weft::this_task;

task<void> nap() { co_await weft::sleep_for(1h); }

task<void> wait_for_timer()
{
    weft::serial_loop& loop = co_await this_task::loop();
    asio::steady_timer timer{loop.context(), 1h};
    co_await timer.async_wait(weft::use_task);
}

task<void> wait_for_timer_result()
{
    weft::serial_loop& loop = co_await this_task::loop();
    asio::steady_timer timer{loop.context(), 1h};
    const auto result = co_await timer.async_wait(weft::use_task_result);
    if (std::get<0>(result)) throw boost::system::system_error{std::get<0>(result)};
}

task<void> pop()
{
    weft::stream<int> empty{1};
    const std::optional<int> popped = co_await empty.pop();
    BOOST_TEST(!popped);
}

task<void> push()
{
    weft::stream<int> full{1};
    BOOST_VERIFY(full.try_push(1));
    co_await full.push(2);
}

task<void> acquire()
{
    weft::slot_limiter none{0};
    const weft::slot_limiter::slot slot = co_await none.acquire();
}

task<void> take_tokens()
{
    weft::serial_loop& loop = co_await this_task::loop();
    weft::token_bucket bucket{loop, {.per_second = 0.001, .burst = 1}};
    BOOST_VERIFY(bucket.try_take());
    co_await bucket.take();
}

task<void> wait_for_signal()
{
    weft::signal never;
    co_await never.wait();
}

task<void> wait_for_remote_signal()
{
    const auto never = weft::make_counted<weft::remote_signal>();
    co_await never->wait();
}

task<void> call_on_pool()
{
    asio::thread_pool pool{1};
    const auto work = [] {};
    co_await weft::on_pool(pool, work);
}

task<void> join_two() { co_await weft::join(nap(), nap()); }

task<void> race_two()
{
    std::vector<task<void>> contenders;
    contenders.push_back(nap());
    contenders.push_back(nap());
    co_await weft::join(std::move(contenders));
}

task<void> join_scope()
{
    const weft::task_context& context = co_await this_task::context();
    weft::scope children{context};
    children.spawn(nap());
    co_await children.join();
}

task<void> wait_with_deadline() { co_await weft::with_deadline(nap(), 1h); }

task<void> wait_with_stop()
{
    const std::stop_source never;
    co_await weft::with_stop(nap(), never.get_token());
}

asio::awaitable<void> asio_nap()
{
    asio::steady_timer timer{co_await asio::this_coro::executor, 1h};
    co_await timer.async_wait(asio::use_awaitable);
}

task<void> wait_for_awaitable() { co_await weft::from_awaitable(asio_nap()); }

task<void> yield() { co_await weft::yield_now(); }

task<void> wait_in_sub_task() { co_await nap(); }

struct wait_kind {
    const char* name;
    task<void> (*wait)();
    friend std::ostream& operator<<(std::ostream& to, const wait_kind& kind) { return to << kind.name; }
};

constexpr wait_kind all_waits[] = {
    {"sleep_for", nap},
    {"an operation", wait_for_timer},
    {"an operation with its result", wait_for_timer_result},
    {"stream::pop", pop},
    {"stream::push", push},
    {"slot_limiter", acquire},
    {"token_bucket", take_tokens},
    {"signal", wait_for_signal},
    {"remote_signal", wait_for_remote_signal},
    {"on_pool", call_on_pool},
    {"join", join_two},
    {"join of a vector", race_two},
    {"scope", join_scope},
    {"with_deadline", wait_with_deadline},
    {"with_stop", wait_with_stop},
    {"from_awaitable", wait_for_awaitable},
    {"yield_now", yield},
    {"a sub-task", wait_in_sub_task},
};

/** Goes on whatever it catches, until it is destroyed. */
task<void> never_give_up(task<void> (*wait)(), int& refused)
{
    for (;;) {
        try {
            co_await wait();
        } catch (const std::exception&) {
            ++refused;
        }
    }
}

task<void> count_ticks(int& ticks)
{
    for (; ticks < 50; ++ticks) co_await weft::sleep_for(1ms);
}

}  // namespace

BOOST_DATA_TEST_CASE(P7_a_coroutine_that_goes_on_after_a_stop_leaves_time_and_loop_to_others, all_waits, kind)
{
    weft::testing::simulation sim{1, {.steps_max = 20'000}};
    int refused = 0;
    weft::testing::simulation::root<void> stubborn{sim, never_give_up(kind.wait, refused)};
    stubborn.request_stop();
    int ticks = 0;
    sim.run(count_ticks(ticks));
    BOOST_TEST(ticks == 50);
    BOOST_TEST((sim.elapsed() >= 50ms));
    BOOST_TEST(refused > 50);
    BOOST_TEST(refused < 200);
}

BOOST_DATA_TEST_CASE(P7_so_does_one_on_a_loop_of_real_time, all_waits, kind)
{
    int refused = 0;
    int ticks = 0;
    asio::io_context io;
    weft::serial_loop& loop = weft::serial_loop::of(io);
    weft::stop_scope stopped;
    stopped.request_stop();
    const weft::task_context stubborn_context{&loop, &stopped};
    weft::stop_scope open;
    const weft::task_context context{&loop, &open};
    task<void> stubborn = never_give_up(kind.wait, refused);
    BOOST_TEST(!stubborn.start(stubborn_context, [](void*) {}, nullptr));
    task<void> counting = count_ticks(ticks);
    bool is_done = false;
    BOOST_TEST(!counting.start(context, [](void* done) { *static_cast<bool*>(done) = true; }, &is_done));
    while (!is_done) BOOST_REQUIRE(io.run_one() > 0);
    BOOST_TEST(ticks == 50);
    BOOST_TEST(refused > 10);
    BOOST_TEST(refused < 2000);
}

namespace {

task<void> clean_up(int& steps, weft::time_point& end)
{
    for (; steps < 20; ++steps) {
        try {
            co_await nap();
        } catch (const weft::error&) {
        }
    }
    weft::serial_loop& loop = co_await this_task::loop();
    end = loop.now();
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_cleans_up_after_a_stop_is_not_slowed_down)
{
    weft::testing::simulation sim{1};
    const weft::time_point begin = sim.clock().now();
    int steps = 0;
    weft::time_point end;
    weft::testing::simulation::root<void> cleaner{sim, clean_up(steps, end)};
    cleaner.request_stop();
    while (!cleaner.has_ended()) sim.step();
    BOOST_TEST(steps == 20);
    BOOST_TEST((end == begin));
}

BOOST_DATA_TEST_CASE(a_refused_wait_can_be_torn_down, all_waits, kind)
{
    weft::testing::simulation sim{1};
    int refused = 0;
    for (int steps = 0; steps < 100; ++steps) {
        weft::testing::simulation::root<void> stubborn{sim, never_give_up(kind.wait, refused)};
        stubborn.request_stop();
        for (int step = 0; step < steps; ++step) static_cast<void>(sim.try_step());
    }
    while (sim.context().poll() > 0) {
    }
    BOOST_TEST(refused > 0);
}

BOOST_AUTO_TEST_SUITE_END()
