#include <boost/test/unit_test.hpp>

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/loop/timed_item.hpp>
#include <weft/testing/simulation.hpp>

#include <chrono>

BOOST_AUTO_TEST_SUITE(timed_item_test)

namespace {

using namespace std::chrono_literals;

/** Counts its turns. */
class counting_item : public weft::timed_item {
public:
    explicit counting_item(weft::serial_loop& loop)
        : timed_item{[](ready_item& self) { ++static_cast<counting_item&>(self).turns; }}, loop_{loop}
    {
    }
    ~counting_item() { disarm(loop_); }
    int turns = 0;

private:
    weft::serial_loop& loop_;
};

struct with_loop {
    void run_all()
    {
        while (sim.try_step()) {
        }
    }
    weft::testing::simulation sim{1};
    weft::serial_loop& loop = sim.loop();
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(one_function_serves_the_ready_queue_and_the_wheel, with_loop)
{
    counting_item item{loop};
    loop.defer(item);
    BOOST_TEST(item.is_queued());
    BOOST_TEST(!item.is_armed());
    run_all();
    BOOST_TEST(item.turns == 1);
    item.arm_after(loop, 5ms);
    BOOST_TEST(item.is_armed());
    BOOST_TEST(!item.is_queued());
    run_all();
    BOOST_TEST(item.turns == 2);
    BOOST_TEST(!item.is_armed());
}

BOOST_FIXTURE_TEST_CASE(only_an_item_with_a_hint_says_what_it_works_on, with_loop)
{
    const counting_item plain{loop};
    BOOST_TEST(!plain.works_on());
    weft::hinted_item hinted{[](weft::ready_item&) {}};
    const weft::timed_item& item = hinted;
    BOOST_TEST(!item.works_on());
    hinted.works_on(&loop);
    BOOST_TEST(item.works_on() == &loop);
}

BOOST_FIXTURE_TEST_CASE(an_item_that_was_disarmed_can_be_queued, with_loop)
{
    counting_item item{loop};
    item.arm_after(loop, 1h);
    item.disarm(loop);
    BOOST_TEST(!item.is_armed());
    BOOST_TEST(loop.is_idle());
    loop.defer(item);
    run_all();
    BOOST_TEST(item.turns == 1);
}

BOOST_FIXTURE_TEST_CASE(arming_again_moves_it, with_loop)
{
    counting_item item{loop};
    const auto begun = loop.now();
    item.arm_after(loop, 1h);
    item.arm_after(loop, 2ms);
    run_all();
    BOOST_TEST(item.turns == 1);
    BOOST_TEST((loop.now() - begun < 1min));
}

BOOST_AUTO_TEST_SUITE_END()
