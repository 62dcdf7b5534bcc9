#include <boost/test/unit_test.hpp>

#include "async/outcome.hpp"

#include <weft/async/join.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/testing/async_test_case.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

BOOST_AUTO_TEST_SUITE(join_test)

namespace {

using namespace std::chrono_literals;
using async_tests::error_of;
using async_tests::tracked;
using weft::errc;
using weft::join;
using weft::sleep_for;
using weft::task;
namespace this_task = weft::this_task;

template <class T>
task<T> give_after(T value, std::chrono::nanoseconds delay)
{
    if (delay > 0ns) co_await sleep_for(delay);
    co_return value;
}

task<void> nap(std::chrono::nanoseconds delay) { co_await sleep_for(delay); }

task<int> fail_after(std::chrono::nanoseconds delay, errc code)
{
    if (delay > 0ns) co_await sleep_for(delay);
    throw weft::error{code};
}

task<std::unique_ptr<int>> boxed_after(int value, std::chrono::nanoseconds delay)
{
    co_await sleep_for(delay);
    co_return std::make_unique<int>(value);
}

WEFT_ASYNC_TEST_CASE(results_come_in_the_order_of_the_arguments_and_take_as_long_as_the_slowest)
{
    weft::serial_loop& loop = co_await this_task::loop();
    const weft::time_point before = loop.now();
    auto [number, text, nothing] =
        co_await join(give_after(7, 30ms), give_after(std::string{"rain"}, 0ms), nap(10ms));
    static_assert(std::is_same_v<decltype(nothing), std::monostate>);
    BOOST_TEST(number == 7);
    BOOST_TEST(text == "rain");
    BOOST_TEST((loop.now() - before == 30ms));
}

WEFT_ASYNC_TEST_CASE(nothing_is_joined_at_once)
{
    const std::tuple<> none = co_await join();
    static_cast<void>(none);
    std::vector<task<int>> no_tasks;
    const std::vector<int> empty = co_await join(std::move(no_tasks));
    BOOST_TEST(empty.empty());
}

task<std::vector<int>> many(int count)
{
    std::vector<task<int>> work;
    for (int i = 0; i < count; ++i) work.push_back(give_after(i, std::chrono::milliseconds{(i * 7) % 5}));
    co_return co_await join(std::move(work));
}

WEFT_ASYNC_TEST_CASE(a_vector_of_tasks_gives_a_vector_of_results_in_its_order)
{
    const std::vector<int> results = co_await many(20);
    BOOST_TEST(results.size() == 20U);
    for (std::size_t i = 0; i < results.size(); ++i) BOOST_TEST(results[i] == static_cast<int>(i));
}

WEFT_ASYNC_TEST_CASE(results_may_be_movable_only)
{
    std::vector<task<std::unique_ptr<int>>> work;
    work.push_back(boxed_after(1, 2ms));
    work.push_back(boxed_after(2, 1ms));
    std::vector<std::unique_ptr<int>> boxes = co_await join(std::move(work));
    BOOST_TEST(*boxes[0] == 1);
    BOOST_TEST(*boxes[1] == 2);
    auto [one, two] = co_await join(boxed_after(3, 1ms), boxed_after(4, 1ms));
    BOOST_TEST(*one == 3);
    BOOST_TEST(*two == 4);
}

WEFT_ASYNC_TEST_CASE(tasks_without_results_are_joined_too)
{
    weft::serial_loop& loop = co_await this_task::loop();
    const weft::time_point before = loop.now();
    std::vector<task<void>> naps;
    naps.push_back(nap(5ms));
    naps.push_back(nap(9ms));
    co_await join(std::move(naps));
    BOOST_TEST((loop.now() - before == 9ms));
}

task<void> join_failures(std::chrono::nanoseconds first, std::chrono::nanoseconds second)
{
    co_await join(nap(1h), fail_after(first, errc::connect_failed), fail_after(second, errc::resolve_failed));
}

WEFT_ASYNC_TEST_CASE(the_first_failure_in_time_stops_the_others_and_is_thrown)
{
    weft::serial_loop& loop = co_await this_task::loop();
    const weft::time_point before = loop.now();
    const auto later_first = co_await error_of(join_failures(9ms, 4ms));
    BOOST_TEST((later_first == errc::resolve_failed));
    const auto in_order = co_await error_of(join_failures(2ms, 4ms));
    BOOST_TEST((in_order == errc::connect_failed));
    BOOST_TEST((loop.now() - before == 6ms));
}

task<void> mark(bool& started)
{
    started = true;
    co_return;
}

task<void> join_after_failure(bool& started) { co_await join(fail_after(0ms, errc::connect_failed), mark(started)); }

WEFT_ASYNC_TEST_CASE(what_comes_after_a_failure_is_not_started)
{
    bool started = false;
    const auto error = co_await error_of(join_after_failure(started));
    BOOST_TEST((error == errc::connect_failed));
    BOOST_TEST(!started);
}

task<void> stop_after(weft::stop_scope& scope, std::chrono::nanoseconds delay)
{
    co_await sleep_for(delay);
    scope.request_stop();
}

task<void> join_naps() { co_await join(nap(1h), nap(2h)); }

task<std::optional<errc>> stopped_join()
{
    const weft::task_context& context = co_await this_task::context();
    weft::scope stopper{context};
    stopper.spawn(stop_after(*context.scope, 3ms));
    co_return co_await error_of(join_naps());
}

BOOST_AUTO_TEST_CASE(a_stop_ends_all_of_them)
{
    weft::testing::simulation sim{1};
    BOOST_TEST((sim.run(stopped_join()) == errc::cancelled));
    BOOST_TEST((sim.elapsed() == 3ms));
}

task<void> hold(tracked, std::chrono::nanoseconds delay) { co_await sleep_for(delay); }

task<void> join_holders(int& alive)
{
    co_await join(hold(tracked{alive}, 5ms), hold(tracked{alive}, 3ms), many(4));
}

BOOST_AUTO_TEST_CASE(a_join_can_be_stopped_and_torn_down_everywhere)
{
    int alive = 0;
    const auto make = [&alive] { return join_holders(alive); };
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(make) >= 5U);
    BOOST_TEST(alive == 0);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(make) >= 5U);
    BOOST_TEST(alive == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
