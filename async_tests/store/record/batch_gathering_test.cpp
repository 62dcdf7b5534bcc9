#include "store/record/batch_gathering.hpp"

#include <boost/test/unit_test.hpp>

namespace weft_tests {

BOOST_AUTO_TEST_SUITE(batch_gathering_test)

using namespace std::chrono_literals;
using weft::store_detail::batch_gathering;

constexpr weft::time_point begin{7s};

BOOST_AUTO_TEST_CASE(nothing_is_waited_for_at_first)
{
    const batch_gathering fresh{64, 2ms};
    BOOST_TEST(fresh.wanted() == 1u);
    BOOST_TEST(fresh.pause().count() == 0);
}

BOOST_AUTO_TEST_CASE(a_single_caller_is_never_made_to_wait)
{
    batch_gathering gathering{64, 2ms};
    gathering.ended(1, 0, begin, begin + 3ms);
    BOOST_TEST(gathering.wanted() == 1u);
}

BOOST_AUTO_TEST_CASE(two_groups_of_callers_become_one)
{
    batch_gathering gathering{64, 2ms};
    gathering.ended(32, 32, begin, begin + 3ms);
    BOOST_TEST(gathering.wanted() == 64u);
    gathering.ended(64, 0, begin, begin + 4ms);
    BOOST_TEST(gathering.wanted() == 64u);
}

BOOST_AUTO_TEST_CASE(whoever_stays_away_is_not_waited_for_again)
{
    batch_gathering gathering{64, 2ms};
    gathering.ended(2, 0, begin, begin + 1ms);
    BOOST_TEST(gathering.wanted() == 2u);
    gathering.ended(1, 0, begin, begin + 1ms);
    BOOST_TEST(gathering.wanted() == 1u);
}

BOOST_AUTO_TEST_CASE(no_more_is_waited_for_than_a_transaction_takes)
{
    batch_gathering gathering{64, 2ms};
    gathering.ended(64, 192, begin, begin + 1ms);
    BOOST_TEST(gathering.wanted() == 64u);
}

BOOST_AUTO_TEST_CASE(the_wait_is_a_part_of_a_transaction_and_bounded)
{
    batch_gathering gathering{64, 2ms};
    gathering.ended(2, 2, begin, begin + 1ms);
    BOOST_TEST((gathering.pause() == 500us));
    gathering.ended(2, 2, begin, begin + 1s);
    BOOST_TEST((gathering.pause() == 2ms));
}

BOOST_AUTO_TEST_CASE(a_call_that_comes_after_the_pause_is_not_held_up)
{
    batch_gathering gathering{64, 2ms};
    BOOST_TEST((gathering.until() < begin));
    gathering.ended(2, 2, begin, begin + 1ms);
    BOOST_TEST((gathering.until() == begin + 1500us), "it counts from the end of the transaction");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace weft_tests
