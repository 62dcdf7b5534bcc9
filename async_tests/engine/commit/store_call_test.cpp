#include <boost/test/unit_test.hpp>

#include "engine/commit/store_call.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/sleep.hpp>

#include <initializer_list>
#include <stdexcept>
#include <string>

using namespace std::chrono_literals;

namespace {

weft::task<std::string> give(std::string text, bool waits)
{
    if (waits) co_await weft::sleep_for(1ms);
    co_return text;
}

weft::task<void> fail(weft::errc code)
{
    co_await weft::sleep_for(1ms);
    throw weft::error{code, "store", "it is away"};
}

weft::task<std::string> fail_at_once()
{
    throw std::runtime_error{"no store"};
    co_return "";
}

weft::task<void> do_nothing() { co_return; }

weft::task<void> ask_all()
{
    for (const bool waits : {false, true}) {
        const weft::store_answer<std::string> text = co_await weft::answer_of(give("head", waits));
        BOOST_TEST_REQUIRE(static_cast<bool>(text));
        BOOST_TEST(*text.value == "head");
        BOOST_TEST(!text.error);
    }
    const weft::store_answer<bool> refused = co_await weft::answer_of(fail(weft::errc::store_full));
    BOOST_TEST(!refused);
    BOOST_TEST((refused.code == weft::errc::store_full));
    BOOST_CHECK_THROW(std::rethrow_exception(refused.error), weft::error);
    const weft::store_answer<std::string> broken = co_await weft::answer_of(fail_at_once());
    BOOST_TEST(!broken);
    BOOST_CHECK_THROW(std::rethrow_exception(broken.error), std::runtime_error);
    const weft::store_answer<bool> done = co_await weft::answer_of(do_nothing());
    BOOST_TEST(static_cast<bool>(done));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(store_call_test)

BOOST_AUTO_TEST_CASE(tries_wait_fifty_milliseconds_then_twice_as_long_each_time_and_two_seconds_at_most)
{
    int failures = 0;
    for (const std::chrono::nanoseconds delay : {50ms, 100ms, 200ms, 400ms, 800ms, 1600ms, 2000ms, 2000ms})
        BOOST_TEST(weft::retry_delay(++failures).count() == delay.count());
    BOOST_TEST(weft::retry_delay(1'000'000).count() == std::chrono::nanoseconds{2s}.count());
}

BOOST_AUTO_TEST_CASE(only_calls_that_did_nothing_or_can_be_looked_up_are_tried_again)
{
    BOOST_TEST(weft::may_retry_after(weft::errc::store_unavailable));
    BOOST_TEST(weft::may_retry_after(weft::errc::store_outcome_unknown));
    BOOST_TEST(!weft::may_retry_after(weft::errc::store_full));
    BOOST_TEST(!weft::may_retry_after(weft::errc::cancelled));
}

BOOST_AUTO_TEST_CASE(a_call_answers_with_its_value_or_with_its_exception) { weft::run_blocking(ask_all()); }

BOOST_AUTO_TEST_SUITE_END()
