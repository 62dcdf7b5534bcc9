#include <boost/test/unit_test.hpp>

#include "engine/commit/store_call.hpp"

#include <initializer_list>

using namespace std::chrono_literals;

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

BOOST_AUTO_TEST_SUITE_END()
