#include <boost/asio/thread_pool.hpp>
#include <boost/test/unit_test.hpp>

#include "async/outcome.hpp"

#include <weft/async/join.hpp>
#include <weft/async/on_pool.hpp>
#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/testing/simulation.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace on_pool_cases {

using async_tests::error_of;
using weft::errc;
using weft::on_pool;
using weft::task;
namespace asio = boost::asio;
namespace this_task = weft::this_task;

/** A door that functions of a pool wait at until the test opens it. */
class door {
public:
    void wait_until_somebody_waits() { arrived_.get_future().wait(); }
    void open() { opened_.set_value(); }
    /** For the function on the pool. */
    void pass()
    {
        arrived_.set_value();
        opened_.get_future().wait();
    }

private:
    std::promise<void> arrived_;
    std::promise<void> opened_;
};

task<std::pair<std::thread::id, std::thread::id>> where_things_run(asio::thread_pool& pool)
{
    const auto here = [] { return std::this_thread::get_id(); };
    const std::thread::id there = co_await on_pool(pool, here);
    co_return std::pair{there, std::this_thread::get_id()};
}

struct fixture {
    asio::thread_pool pool{2};
};

BOOST_FIXTURE_TEST_SUITE(on_pool_test, fixture)

BOOST_AUTO_TEST_CASE(the_function_runs_on_the_pool_and_the_coroutine_goes_on_on_its_loop)
{
    const auto [there, back] = weft::run_blocking(where_things_run(pool));
    BOOST_TEST((there != std::this_thread::get_id()));
    BOOST_TEST((back == std::this_thread::get_id()));
}

task<std::string> results_of_all_kinds(asio::thread_pool& pool)
{
    int calls = 0;
    auto nothing = [&calls] { ++calls; };
    co_await on_pool(pool, nothing);
    auto box = [] { return std::make_unique<int>(7); };
    const std::unique_ptr<int> boxed = co_await on_pool(pool, box);
    const std::string text = "text";
    auto reference = [&text]() -> const std::string& { return text; };
    const std::string copy = co_await on_pool(pool, reference);
    co_return copy + std::to_string(*boxed + calls);
}

BOOST_AUTO_TEST_CASE(results_of_all_kinds_travel)
{
    BOOST_TEST(weft::run_blocking(results_of_all_kinds(pool)) == "text8");
}

task<void> throw_on_pool(asio::thread_pool& pool)
{
    auto fail = [] { throw std::runtime_error{"from the pool"}; };
    co_await on_pool(pool, fail);
}

BOOST_AUTO_TEST_CASE(an_exception_travels)
{
    BOOST_CHECK_EXCEPTION(weft::run_blocking(throw_on_pool(pool)), std::runtime_error,
                          [](const std::runtime_error& e) { return std::string{e.what()} == "from the pool"; });
}

task<int> wait_at(asio::thread_pool& pool, door& entrance)
{
    auto pass = [&entrance] {
        entrance.pass();
        return 1;
    };
    co_return co_await on_pool(pool, pass);
}

task<void> stop_when_waiting(door& entrance, weft::stop_scope& scope)
{
    entrance.wait_until_somebody_waits();
    scope.request_stop();
    co_return;
}

task<std::optional<errc>> stopped_at(asio::thread_pool& pool, door& entrance)
{
    const weft::task_context& context = co_await this_task::context();
    weft::scope children{context};
    constexpr auto stop_later = [](door& at, weft::stop_scope& scope) -> task<void> {
        co_await weft::yield_now();
        co_await stop_when_waiting(at, scope);
    };
    children.spawn(stop_later(entrance, *context.scope));
    co_return co_await error_of(wait_at(pool, entrance));
}

BOOST_AUTO_TEST_CASE(a_stop_ends_the_wait_at_once_and_the_function_goes_on_alone)
{
    door entrance;
    BOOST_TEST((weft::run_blocking(stopped_at(pool, entrance)) == errc::cancelled));
    entrance.open();  // the coroutine and its loop are gone
    pool.join();
}

task<std::optional<errc>> call_when_stopped(asio::thread_pool& pool, std::atomic<int>& calls)
{
    const weft::task_context& context = co_await this_task::context();
    context.scope->request_stop();
    auto count = [&calls] { ++calls; };
    co_return co_await error_of(on_pool(pool, count));
}

BOOST_AUTO_TEST_CASE(in_a_stopped_scope_nothing_is_called)
{
    std::atomic<int> calls{0};
    BOOST_TEST((weft::run_blocking(call_when_stopped(pool, calls)) == errc::cancelled));
    pool.join();
    BOOST_TEST(calls == 0);
}

BOOST_AUTO_TEST_CASE(coroutine_and_loop_may_be_destroyed_while_the_function_runs)
{
    door entrance;
    {
        weft::testing::simulation sim{1};
        const weft::testing::simulation::root<int> waiting{sim, wait_at(pool, entrance)};
        BOOST_TEST(sim.loop().has_outside_work());
        entrance.wait_until_somebody_waits();
    }
    entrance.open();
    pool.join();
}

BOOST_AUTO_TEST_CASE(a_result_on_its_way_when_the_coroutine_dies_is_dropped)
{
    weft::testing::simulation sim{1};
    std::promise<void> called;
    {
        constexpr auto call = [](asio::thread_pool& where, std::promise<void>& done) -> task<std::unique_ptr<int>> {
            auto make = [&done] {
                done.set_value();
                return std::make_unique<int>(1);
            };
            co_return co_await on_pool(where, make);
        };
        const weft::testing::simulation::root<std::unique_ptr<int>> waiting{sim, call(pool, called)};
        called.get_future().wait();
        pool.join();
    }
    sim.context().poll();
    BOOST_TEST(!sim.loop().has_outside_work());
}

BOOST_AUTO_TEST_CASE(a_function_that_has_not_begun_when_the_coroutine_dies_is_never_called)
{
    asio::thread_pool small{1};
    door entrance;
    asio::post(small, [&entrance] { entrance.pass(); });
    std::atomic<int> calls{0};
    {
        constexpr auto call = [](asio::thread_pool& where, std::atomic<int>& count) -> task<void> {
            auto add = [&count] { ++count; };
            co_await on_pool(where, add);
        };
        weft::testing::simulation sim{1};
        const weft::testing::simulation::root<void> waiting{sim, call(small, calls)};
    }
    entrance.open();
    small.join();
    BOOST_TEST(calls == 0);
}

BOOST_AUTO_TEST_CASE(a_pool_that_is_stopped_before_the_function_began_cancels_the_wait)
{
    asio::io_context io{1};
    weft::stop_scope scope;
    const weft::task_context context{&weft::serial_loop::of(io), &scope};
    task<std::optional<errc>> waiting;
    bool has_ended = false;
    {
        asio::thread_pool stopped{1};
        stopped.stop();
        stopped.join();
        auto nothing = [] {};
        waiting = error_of(on_pool(stopped, nothing));
        BOOST_TEST(!waiting.start(context, [](void* flag) { *static_cast<bool*>(flag) = true; }, &has_ended));
    }
    io.run();
    BOOST_TEST(has_ended);
    BOOST_TEST((waiting.take() == errc::cancelled));
}

task<int> sum_on_pool(asio::thread_pool& pool, int count)
{
    std::vector<task<int>> work;
    for (int i = 0; i < count; ++i) {
        auto give = [i] { return i; };
        work.push_back(on_pool(pool, give));
    }
    const std::vector<int> results = co_await weft::join(std::move(work));
    int sum = 0;
    for (const int result : results) sum += result;
    co_return sum;
}

BOOST_AUTO_TEST_CASE(many_functions_run_side_by_side)
{
    BOOST_TEST(weft::run_blocking(sum_on_pool(pool, 1'000)) == 499'500);
}

task<void> hurry(asio::thread_pool& pool, std::atomic<int>& calls)
{
    auto count = [&calls] { ++calls; };
    co_await on_pool(pool, count);
}

BOOST_AUTO_TEST_CASE(stops_and_ends_of_functions_may_meet_in_any_way)
{
    std::atomic<int> calls{0};
    for (int round = 0; round < 3'000; ++round) {
        weft::testing::simulation sim{1};
        weft::testing::simulation::root<void> waiting{sim, hurry(pool, calls)};
        if (round % 3 == 0) sim.context().poll();
        if (round % 3 != 2) waiting.request_stop();
        if (round % 3 == 1) sim.context().poll();
    }
    pool.join();
    BOOST_TEST(calls <= 3'000);
}

task<int> limited(asio::thread_pool& pool)
{
    auto answer = [] { return 42; };
    co_return co_await weft::with_deadline(on_pool(pool, answer), std::chrono::seconds{5});
}

BOOST_AUTO_TEST_CASE(in_a_simulation_the_work_of_a_pool_takes_no_virtual_time)
{
    weft::testing::simulation sim{1};
    BOOST_TEST(sim.run(limited(pool)) == 42);
    BOOST_TEST((sim.elapsed() == std::chrono::seconds{0}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace on_pool_cases
