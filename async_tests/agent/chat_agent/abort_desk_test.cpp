#include <weft/agent/chat_agent/abort_desk.hpp>

#include <boost/test/unit_test.hpp>

#include <array>
#include <barrier>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(abort_desk_test)

using weft::abort_desk;

BOOST_AUTO_TEST_CASE(SUL_19_a_newer_run_stops_the_older_and_keeps_its_place)
{
    abort_desk desk;
    std::optional<abort_desk::claim> older = desk.take("t");
    abort_desk::claim newer = desk.take("t");
    BOOST_TEST(older->token().stop_requested());
    BOOST_TEST(!older->is_current());
    BOOST_TEST(!newer.token().stop_requested());
    older.reset();  // ends late
    BOOST_TEST(newer.is_current());
    BOOST_TEST(desk.size() == 1u);
    BOOST_TEST(desk.abort("t"));
    BOOST_TEST(newer.token().stop_requested());
    newer.release();
    BOOST_TEST(desk.size() == 0u);
    BOOST_TEST(!desk.abort("t"));
}

BOOST_AUTO_TEST_CASE(threads_do_not_stop_each_other_and_an_abort_counts_once)
{
    abort_desk desk;
    const abort_desk::claim a = desk.take("a");
    const abort_desk::claim b = desk.take("b");
    int stopped = 0;
    const std::stop_callback count{a.token(), [&] { ++stopped; }};
    BOOST_TEST(desk.abort("a"));
    BOOST_TEST(desk.abort("a"));
    BOOST_TEST(stopped == 1);
    BOOST_TEST(!b.token().stop_requested());
}

BOOST_AUTO_TEST_CASE(a_claim_moves_and_outlives_its_desk)
{
    auto desk = std::make_unique<abort_desk>();
    abort_desk::claim first = desk->take("t");
    abort_desk::claim second = std::move(first);
    BOOST_TEST(second.is_current());
    first = desk->take("u");
    BOOST_TEST(desk->size() == 2u);
    desk.reset();
    second = std::move(first);
    BOOST_TEST(second.is_current());
}

BOOST_AUTO_TEST_CASE(a_callback_may_use_the_desk)
{
    abort_desk desk;
    const abort_desk::claim first = desk.take("t");
    bool is_seen = false;
    const std::stop_callback look{first.token(), [&] { is_seen = desk.size() == 1; }};
    const abort_desk::claim second = desk.take("t");
    BOOST_TEST(is_seen);
}

BOOST_AUTO_TEST_CASE(SUL_19_of_many_racing_runs_the_last_one_can_be_aborted)
{
    for (int round = 0; round < 100; ++round) {
        abort_desk desk;
        std::array<std::optional<abort_desk::claim>, 4> claims;
        std::barrier begin{4};
        std::vector<std::thread> racing;
        for (std::optional<abort_desk::claim>& mine : claims)
            racing.emplace_back([&] {
                begin.arrive_and_wait();
                mine.emplace(desk.take("t"));
            });
        for (std::thread& one : racing) one.join();
        std::vector<const abort_desk::claim*> current;
        for (const auto& one : claims) {
            BOOST_TEST(one->is_current() != one->token().stop_requested());  // who is replaced is stopped
            if (one->is_current()) current.push_back(&*one);
        }
        BOOST_REQUIRE(current.size() == 1u);
        BOOST_TEST(desk.abort("t"));
        BOOST_TEST(current[0]->token().stop_requested());
    }
}

BOOST_AUTO_TEST_SUITE_END()
