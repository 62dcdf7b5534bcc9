#include <boost/test/unit_test.hpp>

#include "agent/core/activity_flag.hpp"

BOOST_AUTO_TEST_SUITE(activity_flag_test)

BOOST_AUTO_TEST_CASE(each_look_takes_the_signs_of_life_since_the_last_one)
{
    weft::activity_flag flag;
    BOOST_TEST(!flag.take());
    flag.show();
    flag.show();
    BOOST_TEST(flag.take());
    BOOST_TEST(!flag.take());
    flag.show();
    BOOST_TEST(flag.take());
}

BOOST_AUTO_TEST_SUITE_END()
