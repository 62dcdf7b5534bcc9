#include <weft/agent/node/watchdog.hpp>

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/testing/simulation/suspension_points.hpp>

#include "agent/node/watched.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

BOOST_AUTO_TEST_SUITE(watchdog_test)

using namespace std::chrono_literals;
using weft::watchdog;
using weft::watchdog_verdict;

namespace {

weft::task<int> hang(std::chrono::seconds span)
{
    co_await weft::sleep_for(span);
    co_return 7;
}

weft::task<int> work_on(std::shared_ptr<weft::activity_flag> activity, std::chrono::seconds step, int steps)
{
    for (int i = 0; i < steps; ++i) {
        co_await weft::sleep_for(step);
        activity->show();
    }
    co_return steps;
}

weft::task<int> fail_at_once()
{
    throw weft::error{weft::errc::store_full};
    co_return 0;
}

}  // namespace

BOOST_AUTO_TEST_CASE(SUL_17_three_bumps_and_then_the_end)
{
    watchdog dog{0ms, {}};
    BOOST_TEST((dog.next_look() == 120s));
    BOOST_TEST((dog.look(119'999ms) == watchdog_verdict::wait));
    BOOST_TEST((dog.look(120s) == watchdog_verdict::bump));
    BOOST_TEST((dog.look(120s) == watchdog_verdict::wait));
    BOOST_TEST((dog.look(240s) == watchdog_verdict::bump));
    BOOST_TEST((dog.look(360s) == watchdog_verdict::bump));
    BOOST_TEST(dog.bumps() == 3u);
    BOOST_TEST((dog.look(480s) == watchdog_verdict::inactive));
}

BOOST_AUTO_TEST_CASE(SUL_17_a_sign_of_life_begins_anew_and_the_cap_holds)
{
    watchdog dog{0ms, {}};
    for (std::chrono::seconds now = 100s; now < 1800s; now += 100s) {
        dog.saw_life(now);
        BOOST_TEST((dog.look(now) == watchdog_verdict::wait));
    }
    BOOST_TEST((dog.next_look() == 1800s));
    BOOST_TEST((dog.look(1800s) == watchdog_verdict::too_long));
}

BOOST_AUTO_TEST_CASE(SUL_17_work_that_hangs_is_ended)
{
    weft::testing::simulation sim{1};
    std::vector<std::uint32_t> bumps;
    const auto activity = std::make_shared<weft::activity_flag>();
    const auto note = [&](std::uint32_t number) { bumps.push_back(number); };
    try {
        (void)sim.run(weft::watched(hang(3h), activity, weft::watchdog_limits{}, "the work", note));
        BOOST_TEST(false, "it was not ended");
    } catch (const weft::error& ended) {
        BOOST_TEST((ended.code() == weft::errc::timeout));
        BOOST_TEST(ended.where() == "the work");
    }
    const std::vector<std::uint32_t> expected{1, 2, 3};
    BOOST_TEST(bumps == expected, boost::test_tools::per_element());
    BOOST_TEST((sim.elapsed() >= 480s && sim.elapsed() < 500s));
}

BOOST_AUTO_TEST_CASE(SUL_17_work_that_goes_on_for_ever_is_ended_too)
{
    weft::testing::simulation sim{1};
    const auto activity = std::make_shared<weft::activity_flag>();
    BOOST_CHECK_THROW(
        (void)sim.run(weft::watched(work_on(activity, 60s, 100), activity, weft::watchdog_limits{}, "w", {})),
                      weft::error);
    BOOST_TEST((sim.elapsed() >= 30min && sim.elapsed() < 31min));
}

BOOST_AUTO_TEST_CASE(work_that_gets_on_is_let_alone)
{
    weft::testing::simulation sim{1};
    const auto activity = std::make_shared<weft::activity_flag>();
    BOOST_TEST(sim.run(weft::watched(work_on(activity, 100s, 10), activity, weft::watchdog_limits{}, "w", {})) == 10);
    BOOST_TEST((sim.elapsed() < 1010s));
    BOOST_CHECK_EXCEPTION((void)sim.run(weft::watched(fail_at_once(), activity, weft::watchdog_limits{}, "w", {})),
                          weft::error, [](const weft::error& e) { return e.code() == weft::errc::store_full; });
}

BOOST_AUTO_TEST_CASE(a_stop_or_an_end_half_way_leaves_nothing_behind)
{
    const auto make = [] {
        return weft::watched(hang(300s), std::make_shared<weft::activity_flag>(), weft::watchdog_limits{}, "w", {});
    };
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(make) > 3u);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(make) > 3u);
}

BOOST_AUTO_TEST_SUITE_END()
