#include <boost/test/unit_test.hpp>

#include "engine/run/save_queue.hpp"

BOOST_AUTO_TEST_SUITE(save_queue_test)

BOOST_AUTO_TEST_CASE(every_step_waits_for_each_save)
{
    weft::save_queue queue{weft::save_options{nullptr}};
    BOOST_TEST(!queue.admit(false));
    BOOST_TEST(queue.is_held());
    BOOST_TEST(queue.saved());
    BOOST_TEST(!queue.is_held());
}

BOOST_AUTO_TEST_CASE(P36_async_steps_run_ahead_as_far_as_the_queue_takes_and_the_end_waits_for_all)
{
    weft::save_options how{nullptr};
    how.mode = weft::durability::async_steps;
    how.queue_max = 2;
    weft::save_queue queue{how};
    BOOST_TEST(queue.admit(false));
    BOOST_TEST(queue.admit(false));
    BOOST_TEST(!queue.admit(false));
    BOOST_TEST(queue.unsaved() == 3u);
    BOOST_TEST(queue.saved());
    BOOST_TEST(!queue.admit(true));
    BOOST_TEST(!queue.saved());
    BOOST_TEST(!queue.saved());
    BOOST_TEST(queue.saved());
    BOOST_TEST(queue.unsaved() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
