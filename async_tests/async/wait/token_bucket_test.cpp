#include <boost/test/unit_test.hpp>

#include "async/outcome.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/wait/token_bucket.hpp>
#include <weft/testing/async_test_case.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

BOOST_AUTO_TEST_SUITE(token_bucket_test)

namespace {

using namespace std::chrono_literals;
using async_tests::error_of;
using weft::errc;
using weft::task;
using weft::time_point;
using weft::token_bucket;
using weft::token_level;
using weft::token_rate;
namespace this_task = weft::this_task;

BOOST_AUTO_TEST_CASE(a_level_says_when_tokens_are_there)
{
    const time_point start{1h};
    token_level level{token_rate{.per_second = 10, .burst = 5}, start};
    BOOST_TEST((level.ready_at(5) == start));
    BOOST_TEST((level.ready_at(1) <= start));
    level.take(5, start);
    BOOST_TEST((level.ready_at(1) == start + 100ms));
    BOOST_TEST((level.ready_at(5) == start + 500ms));
    level.take(1, start + 100ms);
    BOOST_TEST((level.ready_at(1) == start + 200ms));
}

BOOST_AUTO_TEST_CASE(a_level_never_holds_more_than_the_burst)
{
    const time_point start{1h};
    token_level level{token_rate{.per_second = 10, .burst = 5}, start};
    const time_point later = start + 24h;
    level.take(5, later);
    BOOST_TEST((level.ready_at(1) == later + 100ms));
}

BOOST_AUTO_TEST_CASE(the_slowest_rate_does_not_overflow)
{
    const time_point start{1h};
    token_level level{token_rate{.per_second = 1e-12, .burst = 1}, start};
    level.take(1, start);
    BOOST_TEST((level.ready_at(1) > start + 24h * 365 * 50));
}

BOOST_AUTO_TEST_CASE(never_more_than_rate_and_burst_allow)
{
    // Whatever the pattern: in any span, at most burst + rate × span.
    const time_point start{1h};
    token_level level{token_rate{.per_second = 3, .burst = 4}, start};
    std::vector<time_point> taken;
    for (auto moment = start; moment < start + 30s; moment += 7ms)
        while (level.ready_at(1) <= moment) {
            level.take(1, moment);
            taken.push_back(moment);
        }
    BOOST_TEST(taken.size() >= 90U);
    for (std::size_t i = 0; i < taken.size(); ++i)
        for (std::size_t j = i; j < taken.size(); ++j) {
            const double span = std::chrono::duration<double>(taken[j] - taken[i]).count();
            if (static_cast<double>(j - i + 1) > 4 + 3 * span + 1e-6) BOOST_ERROR("too many from " << i << " to " << j);
        }
}

task<void> take_and_note(token_bucket& bucket, double tokens, std::vector<int>& at)
{
    weft::serial_loop& loop = co_await this_task::loop();
    const time_point before = loop.now();
    co_await bucket.take(tokens);
    at.push_back(static_cast<int>((loop.now() - before) / 1ms));
}

task<void> take(token_bucket& bucket, double tokens) { co_await bucket.take(tokens); }

WEFT_ASYNC_TEST_CASE(a_burst_goes_at_once_and_the_rest_at_the_rate)
{
    const weft::task_context& context = co_await this_task::context();
    token_bucket bucket{*context.loop, {.per_second = 100, .burst = 3}};
    std::vector<int> at;
    weft::scope children{context};
    for (int i = 0; i < 6; ++i) children.spawn(take_and_note(bucket, 1, at));
    BOOST_TEST(bucket.waiting() == 3U);
    co_await children.join();
    BOOST_TEST(at == (std::vector{0, 0, 0, 10, 20, 30}), boost::test_tools::per_element());
}

WEFT_ASYNC_TEST_CASE(a_large_request_is_not_overtaken_by_small_ones)
{
    const weft::task_context& context = co_await this_task::context();
    token_bucket bucket{*context.loop, {.per_second = 100, .burst = 10}};
    BOOST_TEST(bucket.try_take(10));
    BOOST_TEST(!bucket.try_take(1));
    std::vector<int> at;
    weft::scope children{context};
    children.spawn(take_and_note(bucket, 8, at));
    children.spawn(take_and_note(bucket, 1, at));
    co_await weft::sleep_for(50ms);
    BOOST_TEST(!bucket.try_take(1));
    co_await children.join();
    BOOST_TEST(at == (std::vector{80, 90}), boost::test_tools::per_element());
}

WEFT_ASYNC_TEST_CASE(what_can_never_be_there_is_refused)
{
    const weft::task_context& context = co_await this_task::context();
    token_bucket bucket{*context.loop, {.per_second = 100, .burst = 10}};
    const auto error = co_await error_of(take(bucket, 10.5));
    BOOST_TEST((error == errc::limit_reached));
    BOOST_TEST(!bucket.try_take(10.5));
    BOOST_TEST(bucket.try_take(10));
}

WEFT_ASYNC_TEST_CASE(a_stop_ends_the_wait_and_takes_no_token)
{
    const weft::task_context& context = co_await this_task::context();
    const time_point before = context.loop->now();
    token_bucket bucket{*context.loop, {.per_second = 10, .burst = 1}};
    BOOST_TEST(bucket.try_take());
    std::vector<int> at;
    weft::scope impatient{context};
    impatient.spawn(take(bucket, 1));
    weft::scope patient{context};
    patient.spawn(take_and_note(bucket, 1, at));
    impatient.request_stop();
    co_await impatient.join();
    BOOST_TEST((context.loop->now() == before));
    co_await patient.join();
    BOOST_TEST(at == std::vector{100}, boost::test_tools::per_element());
    BOOST_TEST(!context.loop->next_deadline().has_value());
}

task<std::optional<errc>> take_when_stopped()
{
    const weft::task_context& context = co_await this_task::context();
    token_bucket bucket{*context.loop, {.per_second = 10, .burst = 1}};
    context.scope->request_stop();
    const auto error = co_await error_of(take(bucket, 1));
    BOOST_TEST(bucket.try_take());
    co_return error;
}

BOOST_AUTO_TEST_CASE(in_a_stopped_scope_nothing_is_taken)
{
    weft::testing::simulation sim{1};
    BOOST_TEST((sim.run(take_when_stopped()) == errc::cancelled));
}

WEFT_ASYNC_TEST_CASE(a_bucket_that_dies_cancels_those_who_wait)
{
    const weft::task_context& context = co_await this_task::context();
    auto bucket = std::make_unique<token_bucket>(*context.loop, token_rate{.per_second = 1, .burst = 1});
    BOOST_TEST(bucket->try_take());
    weft::scope children{context};
    children.spawn(take(*bucket, 1));
    bucket.reset();
    constexpr auto join = [](weft::scope& all) -> task<void> { co_await all.join(); };
    const auto error = co_await error_of(join(children));
    BOOST_TEST((error == errc::cancelled));
}

task<void> crowd()
{
    const weft::task_context& context = co_await this_task::context();
    token_bucket bucket{*context.loop, {.per_second = 500, .burst = 1}};
    weft::scope children{context};
    for (int i = 0; i < 5; ++i) children.spawn(take(bucket, 1));
    co_await children.join();
}

BOOST_AUTO_TEST_CASE(a_bucket_can_be_stopped_and_torn_down_everywhere)
{
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(crowd) >= 8U);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(crowd) >= 7U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
