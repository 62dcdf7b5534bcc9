#include <weft/agent/chat_agent/latest_run_registry.hpp>

#include <boost/test/unit_test.hpp>

#include <array>
#include <barrier>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(latest_run_registry_test)

using weft::latest_run_registry;

BOOST_AUTO_TEST_CASE(SUL_19_a_newer_run_stops_the_older_and_keeps_its_place)
{
    latest_run_registry registry;
    std::optional<latest_run_registry::claim> older = registry.take("t");
    latest_run_registry::claim newer = registry.take("t");
    BOOST_TEST(older->token().stop_requested());
    BOOST_TEST(!older->is_current());
    BOOST_TEST(!newer.token().stop_requested());
    older.reset();  // ends late
    BOOST_TEST(newer.is_current());
    BOOST_TEST(registry.size() == 1u);
    BOOST_TEST(registry.abort("t"));
    BOOST_TEST(newer.token().stop_requested());
    newer.release();
    BOOST_TEST(registry.size() == 0u);
    BOOST_TEST(!registry.abort("t"));
}

BOOST_AUTO_TEST_CASE(threads_do_not_stop_each_other_and_an_abort_counts_once)
{
    latest_run_registry registry;
    const latest_run_registry::claim a = registry.take("a");
    const latest_run_registry::claim b = registry.take("b");
    int stopped = 0;
    const std::stop_callback count{a.token(), [&] { ++stopped; }};
    BOOST_TEST(registry.abort("a"));
    BOOST_TEST(registry.abort("a"));
    BOOST_TEST(stopped == 1);
    BOOST_TEST(!b.token().stop_requested());
}

BOOST_AUTO_TEST_CASE(a_claim_moves_and_outlives_its_desk)
{
    auto registry = std::make_unique<latest_run_registry>();
    latest_run_registry::claim first = registry->take("t");
    latest_run_registry::claim second = std::move(first);
    BOOST_TEST(second.is_current());
    first = registry->take("u");
    BOOST_TEST(registry->size() == 2u);
    registry.reset();
    second = std::move(first);
    BOOST_TEST(second.is_current());
}

BOOST_AUTO_TEST_CASE(a_callback_may_use_the_desk)
{
    latest_run_registry registry;
    const latest_run_registry::claim first = registry.take("t");
    bool is_seen = false;
    const std::stop_callback look{first.token(), [&] { is_seen = registry.size() == 1; }};
    const latest_run_registry::claim second = registry.take("t");
    BOOST_TEST(is_seen);
}

BOOST_AUTO_TEST_CASE(SUL_19_of_many_racing_runs_the_last_one_can_be_aborted)
{
    for (int round = 0; round < 100; ++round) {
        latest_run_registry registry;
        std::array<std::optional<latest_run_registry::claim>, 4> claims;
        std::barrier begin{4};
        std::vector<std::thread> racing;
        for (std::optional<latest_run_registry::claim>& mine : claims)
            racing.emplace_back([&] {
                begin.arrive_and_wait();
                mine.emplace(registry.take("t"));
            });
        for (std::thread& one : racing) one.join();
        std::vector<const latest_run_registry::claim*> current;
        for (const auto& one : claims) {
            BOOST_TEST(one->is_current() != one->token().stop_requested());  // who is replaced is stopped
            if (one->is_current()) current.push_back(&*one);
        }
        BOOST_REQUIRE(current.size() == 1u);
        BOOST_TEST(registry.abort("t"));
        BOOST_TEST(current[0]->token().stop_requested());
    }
}

BOOST_AUTO_TEST_SUITE_END()
