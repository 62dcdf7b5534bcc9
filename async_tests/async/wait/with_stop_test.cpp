#include <boost/test/unit_test.hpp>

#include "async/outcome.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/wait/with_stop.hpp>
#include <weft/testing/async_test_case.hpp>

#include <chrono>
#include <stop_token>
#include <string>

BOOST_AUTO_TEST_SUITE(with_stop_test)

namespace {

using namespace std::chrono_literals;
using async_tests::error_of;
using weft::errc;
using weft::sleep_for;
using weft::task;
using weft::with_stop;
namespace this_task = weft::this_task;

task<std::string> words_after(std::chrono::nanoseconds delay)
{
    if (delay > 0ns) co_await sleep_for(delay);
    co_return "words";
}

task<void> stop_token_after(std::stop_source source, std::chrono::nanoseconds delay)
{
    co_await sleep_for(delay);
    source.request_stop();
}

task<std::string> ignores_a_stop()
{
    try {
        co_await sleep_for(1h);
    } catch (const weft::error&) {
    }
    co_return "words";
}

}  // namespace

WEFT_ASYNC_TEST_CASE(without_a_stop_the_result_comes)
{
    const std::stop_source source;
    const std::string at_once = co_await with_stop(words_after(0ms), source.get_token());
    BOOST_TEST(at_once == "words");
    const std::string later = co_await with_stop(words_after(5ms), source.get_token());
    BOOST_TEST(later == "words");
    const std::string never = co_await with_stop(words_after(5ms), std::stop_token{});
    BOOST_TEST(never == "words");
}

WEFT_ASYNC_TEST_CASE(a_stop_ends_the_work_and_nothing_else)
{
    const weft::task_context& context = co_await this_task::context();
    const weft::time_point before = context.loop->now();
    const std::stop_source source;
    weft::scope children{context};
    children.spawn(stop_token_after(source, 5ms));
    const auto ended = co_await error_of(with_stop(words_after(1h), source.get_token()));
    BOOST_TEST((ended == errc::cancelled));
    BOOST_TEST((context.loop->now() - before == 5ms));
    BOOST_TEST(!context.scope->stop_requested());
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(a_result_that_comes_in_spite_of_the_stop_is_kept)
{
    const std::stop_source source;
    source.request_stop();
    const std::string words = co_await with_stop(ignores_a_stop(), source.get_token());
    BOOST_TEST(words == "words");
}

BOOST_AUTO_TEST_SUITE_END()
