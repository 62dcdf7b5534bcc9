#include <boost/test/unit_test.hpp>

#include "net/socket/phase_deadline.hpp"
#include "net/test_loop.hpp"

BOOST_AUTO_TEST_SUITE(phase_deadline_test)

using namespace std::chrono_literals;
using weft::net_detail::phase_deadline;

struct fixture {
    hand_clock time;
    test_loop loop{time};
    int passed = 0;
    phase_deadline deadline{loop.loop(), [](void* self) { ++static_cast<fixture*>(self)->passed; }, this};
};

BOOST_FIXTURE_TEST_CASE(it_passes_once, fixture)
{
    deadline.start(10s);
    loop.advance(9s);
    BOOST_TEST(passed == 0);
    BOOST_TEST(!deadline.has_passed());
    loop.advance(1s);
    BOOST_TEST(passed == 1);
    BOOST_TEST(deadline.has_passed());
    loop.advance(1h);
    BOOST_TEST(passed == 1);
}

BOOST_FIXTURE_TEST_CASE(starting_again_moves_it, fixture)
{
    for (int i = 0; i < 5; ++i) {
        deadline.start(10s);
        loop.advance(9s);
    }
    BOOST_TEST(passed == 0);
    loop.advance(1s);
    BOOST_TEST(passed == 1);
}

BOOST_FIXTURE_TEST_CASE(an_earlier_deadline_after_a_later_one_is_kept, fixture)
{
    deadline.start(60s);
    deadline.stop();
    deadline.start(10s);
    loop.advance(10s);
    BOOST_TEST(passed == 1);
}

BOOST_FIXTURE_TEST_CASE(time_does_not_count_while_it_is_stopped, fixture)
{
    deadline.start(10s);
    deadline.stop();
    loop.advance(1h);
    BOOST_TEST(passed == 0);
    deadline.start(10s);
    BOOST_TEST(!deadline.has_passed());
    loop.advance(9s);
    BOOST_TEST(passed == 0);
    loop.advance(1s);
    BOOST_TEST(passed == 1);
}

BOOST_FIXTURE_TEST_CASE(it_can_be_started_again_after_it_has_passed, fixture)
{
    deadline.start(1s);
    loop.advance(1s);
    deadline.start(1s);
    BOOST_TEST(!deadline.has_passed());
    loop.advance(1s);
    BOOST_TEST(passed == 2);
}

BOOST_FIXTURE_TEST_CASE(reads_that_follow_each_other_do_not_arm_the_timer_again, fixture)
{
    deadline.start(10s);
    const auto armed_for = loop.loop().next_deadline();
    time.move(1s);
    deadline.start(10s);
    BOOST_TEST((loop.loop().next_deadline() == armed_for));
}

BOOST_FIXTURE_TEST_CASE(at_rest_it_leaves_the_loop_alone, fixture)
{
    deadline.start(10s);
    deadline.rest();
    BOOST_TEST(!loop.loop().next_deadline().has_value());
    loop.advance(1h);
    BOOST_TEST(passed == 0);
}

BOOST_AUTO_TEST_SUITE_END()
