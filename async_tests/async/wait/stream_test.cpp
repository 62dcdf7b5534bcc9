#include <boost/test/unit_test.hpp>

#include "async/outcome.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/stream.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/testing/async_test_case.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(stream_test)

namespace {

using namespace std::chrono_literals;
using async_tests::error_of;
using weft::errc;
using weft::stream;
using weft::task;
namespace this_task = weft::this_task;

task<void> push_range(stream<int>& to, int first, int last)
{
    for (int i = first; i < last; ++i) co_await to.push(i);
}

task<void> push_and_close(stream<int>& to, int count)
{
    co_await push_range(to, 0, count);
    to.close();
}

task<void> collect(stream<int>& from, std::vector<int>& values)
{
    for (;;) {
        const std::optional<int> value = co_await from.pop();
        if (!value) break;
        values.push_back(*value);
    }
}

task<void> pop_one(stream<int>& from, std::vector<int>& values)
{
    const std::optional<int> value = co_await from.pop();
    if (value) values.push_back(*value);
}

std::vector<int> up_to(int count)
{
    std::vector<int> values;
    for (int i = 0; i < count; ++i) values.push_back(i);
    return values;
}

WEFT_ASYNC_TEST_CASE(values_come_out_in_the_order_in_which_they_went_in)
{
    const weft::task_context& context = co_await this_task::context();
    stream<int> numbers{3};
    std::vector<int> values;
    weft::scope children{context};
    children.spawn(push_and_close(numbers, 20));
    children.spawn(collect(numbers, values));
    co_await children.join();
    BOOST_TEST(values == up_to(20), boost::test_tools::per_element());
    BOOST_TEST(numbers.is_closed());
}

WEFT_ASYNC_TEST_CASE(a_full_stream_makes_the_pushing_side_wait)
{
    const weft::task_context& context = co_await this_task::context();
    stream<int> numbers{2};
    weft::scope children{context};
    children.spawn(push_range(numbers, 0, 3));
    BOOST_TEST(children.running() == 1U);
    BOOST_TEST(numbers.size() == 2U);
    const std::optional<int> first = co_await numbers.pop();
    BOOST_TEST((first == 0));
    BOOST_TEST(numbers.size() == 2U);  // the waiting push took the place
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(try_push_and_try_pop_never_wait)
{
    stream<std::unique_ptr<int>> boxes{1};
    BOOST_TEST(!boxes.try_pop().has_value());
    BOOST_TEST(boxes.try_push(std::make_unique<int>(1)));
    auto second = std::make_unique<int>(2);
    BOOST_TEST(!boxes.try_push(std::move(second)));
    BOOST_TEST((second && *second == 2));
    const std::optional<std::unique_ptr<int>> out = boxes.try_pop();
    BOOST_TEST((out && **out == 1));
    boxes.close();
    BOOST_TEST(!boxes.try_push(std::move(second)));
    co_return;
}

WEFT_ASYNC_TEST_CASE(values_may_be_movable_only)
{
    stream<std::unique_ptr<int>> boxes{1};
    co_await boxes.push(std::make_unique<int>(5));
    const std::optional<std::unique_ptr<int>> out = co_await boxes.pop();
    BOOST_TEST((out && **out == 5));
}

WEFT_ASYNC_TEST_CASE(a_closed_stream_gives_what_is_in_it_and_then_nothing)
{
    stream<int> numbers{3};
    co_await numbers.push(1);
    co_await numbers.push(2);
    numbers.close();
    numbers.close(std::make_exception_ptr(weft::error{errc::connection_lost}));  // too late
    std::vector<int> values;
    co_await collect(numbers, values);
    BOOST_TEST(values == (std::vector{1, 2}), boost::test_tools::per_element());
    const auto push_error = co_await error_of(push_range(numbers, 0, 1));
    BOOST_TEST((push_error == errc::stream_closed));
    const std::optional<int> still_nothing = co_await numbers.pop();
    BOOST_TEST(!still_nothing.has_value());
}

WEFT_ASYNC_TEST_CASE(a_stream_closed_with_an_error_throws_it_after_the_last_value)
{
    stream<int> numbers{3};
    co_await numbers.push(1);
    numbers.close(std::make_exception_ptr(weft::error{errc::connection_lost}));
    std::vector<int> values;
    const auto error = co_await error_of(collect(numbers, values));
    BOOST_TEST((error == errc::connection_lost));
    BOOST_TEST(values.size() == 1U);
    const auto again = co_await error_of(collect(numbers, values));
    BOOST_TEST((again == errc::connection_lost));
}

WEFT_ASYNC_TEST_CASE(closing_ends_the_wait_of_both_sides)
{
    const weft::task_context& context = co_await this_task::context();
    stream<int> full{1};
    stream<int> empty{1};
    BOOST_TEST(full.try_push(1));
    std::vector<int> values;
    weft::scope pushing{context};
    pushing.spawn(push_range(full, 0, 1));
    weft::scope popping{context};
    popping.spawn(collect(empty, values));
    full.close();
    empty.close();
    constexpr auto join = [](weft::scope& all) -> task<void> { co_await all.join(); };
    const auto push_error = co_await error_of(join(pushing));
    BOOST_TEST((push_error == errc::stream_closed));
    co_await popping.join();
    BOOST_TEST(values.empty());
}

WEFT_ASYNC_TEST_CASE(a_stop_ends_the_wait_of_both_sides_and_loses_no_value)
{
    const weft::task_context& context = co_await this_task::context();
    stream<int> numbers{1};
    std::vector<int> values;
    weft::scope popping{context};
    popping.spawn(collect(numbers, values));
    popping.request_stop();
    co_await popping.join();
    BOOST_TEST(numbers.try_push(1));
    weft::scope pushing{context};
    pushing.spawn(push_range(numbers, 7, 8));
    pushing.request_stop();
    co_await pushing.join();
    BOOST_TEST(values.empty());
    BOOST_TEST((numbers.try_pop() == 1));
    BOOST_TEST(!numbers.try_pop().has_value());
}

task<std::optional<errc>> push_when_stopped(stream<int>& numbers)
{
    const weft::task_context& context = co_await this_task::context();
    context.scope->request_stop();
    const auto error = co_await error_of(push_range(numbers, 0, 1));
    std::vector<int> values;
    BOOST_TEST(numbers.try_push(5));
    const auto pop_error = co_await error_of(collect(numbers, values));
    BOOST_TEST((pop_error == errc::cancelled));
    co_return error;
}

BOOST_AUTO_TEST_CASE(in_a_stopped_scope_nothing_goes_in_or_out)
{
    weft::testing::simulation sim{1};
    stream<int> numbers{2};
    BOOST_TEST((sim.run(push_when_stopped(numbers)) == errc::cancelled));
    BOOST_TEST(numbers.size() == 1U);
}

WEFT_ASYNC_TEST_CASE(a_value_meant_for_a_coroutine_that_dies_goes_to_the_next)
{
    const weft::task_context& context = co_await this_task::context();
    stream<int> numbers{1};
    std::vector<int> values;
    auto doomed = std::make_unique<weft::scope>(context);
    doomed->spawn(pop_one(numbers, values));
    weft::scope children{context};
    children.spawn(pop_one(numbers, values));
    BOOST_TEST(numbers.try_push(3));
    BOOST_TEST(!numbers.try_pop().has_value());  // claimed by who waited
    doomed.reset();
    co_await children.join();
    BOOST_TEST(values == std::vector{3}, boost::test_tools::per_element());
}

WEFT_ASYNC_TEST_CASE(a_value_meant_for_a_coroutine_that_dies_stays_when_nobody_waits)
{
    const weft::task_context& context = co_await this_task::context();
    stream<int> numbers{1};
    std::vector<int> values;
    auto doomed = std::make_unique<weft::scope>(context);
    doomed->spawn(pop_one(numbers, values));
    BOOST_TEST(numbers.try_push(3));
    doomed.reset();
    BOOST_TEST((numbers.try_pop() == 3));
}

WEFT_ASYNC_TEST_CASE(a_stream_may_die_while_coroutines_wait)
{
    const weft::task_context& context = co_await this_task::context();
    auto numbers = std::make_unique<stream<int>>(1);
    std::vector<int> values;
    weft::scope children{context, weft::failure_policy::keep_going};
    children.spawn(collect(*numbers, values));
    BOOST_TEST(numbers->try_push(1));       // claimed by the child, which has not run
    children.spawn(push_range(*numbers, 2, 3));  // waits for room
    numbers.reset();
    constexpr auto join = [](weft::scope& all) -> task<void> { co_await all.join(); };
    const auto error = co_await error_of(join(children));
    BOOST_TEST((error == errc::stream_closed));
    BOOST_TEST(values.empty());
}

WEFT_ASYNC_TEST_CASE(several_coroutines_on_each_side_neither_lose_nor_double_a_value)
{
    const weft::task_context& context = co_await this_task::context();
    stream<int> numbers{2};
    std::vector<int> values;
    weft::scope producers{context};
    weft::scope consumers{context};
    for (int i = 0; i < 3; ++i) consumers.spawn(collect(numbers, values));
    for (int i = 0; i < 4; ++i) producers.spawn(push_range(numbers, i * 10, i * 10 + 10));
    co_await producers.join();
    numbers.close();
    co_await consumers.join();
    std::sort(values.begin(), values.end());
    BOOST_TEST(values == up_to(40), boost::test_tools::per_element());
}

task<void> producer_and_consumer()
{
    const weft::task_context& context = co_await this_task::context();
    stream<int> numbers{1};
    std::vector<int> values;
    weft::scope children{context};
    children.spawn(push_and_close(numbers, 4));
    children.spawn(collect(numbers, values));
    co_await children.join();
}

BOOST_AUTO_TEST_CASE(a_stream_can_be_stopped_and_torn_down_everywhere)
{
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(producer_and_consumer, {.seed = seed}) >= 5U);
        BOOST_TEST(weft::testing::stopped_at_every_suspension_point(producer_and_consumer, {.seed = seed}) >= 4U);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
