#include <boost/test/unit_test.hpp>

#include <weft/agent/host/zone_schedule.hpp>
#include <weft/base/error.hpp>

#include <chrono>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(zone_schedule_test)

using namespace std::chrono;

sys_seconds utc(int year, unsigned month, unsigned day, int hour = 0, int minute = 0)
{
    const year_month_day date{std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{day}};
    return sys_days{date} + hours{hour} + minutes{minute};
}

/** The first moments after one, as `day hour:minute` in UTC. */
std::vector<std::string> moments(const weft::zone_schedule& of, sys_seconds after, int count)
{
    std::vector<std::string> found;
    for (int i = 0; i < count; ++i) {
        const auto next = of.next(after);
        BOOST_TEST_REQUIRE(next.has_value());
        BOOST_TEST((*next > after));
        after = *next;
        const sys_days day = floor<days>(after);
        const hh_mm_ss time{after - day};
        const auto two = [](auto number) { return (number < 10 ? "0" : "") + std::to_string(number); };
        found.push_back(two(unsigned{year_month_day{day}.day()}) + ' ' + two(time.hours().count()) + ':' +
                        two(time.minutes().count()));
    }
    return found;
}
using list = std::vector<std::string>;

BOOST_AUTO_TEST_CASE(without_a_zone_it_is_utc)
{
    BOOST_TEST(moments(weft::zone_schedule{"30 7 * * *"}, utc(2026, 3, 28), 3) ==
               (list{"28 07:30", "29 07:30", "30 07:30"}));
    BOOST_TEST(moments(weft::zone_schedule{"30 7 * * *", "UTC"}, utc(2026, 3, 28), 1) == list{"28 07:30"});
}

// In Berlin 02:00 becomes 03:00 on 29 March 2026 (01:00 UTC), and 03:00 becomes 02:00 on 25 October (01:00 UTC).
BOOST_AUTO_TEST_CASE(the_clocks_of_the_place_count_in_summer_and_winter)
{
    const weft::zone_schedule breakfast{"30 7 * * *", "Europe/Berlin"};
    BOOST_TEST(moments(breakfast, utc(2026, 3, 28), 2) == (list{"28 06:30", "29 05:30"}));
    BOOST_TEST(moments(breakfast, utc(2026, 10, 24), 2) == (list{"24 05:30", "25 06:30"}));
    BOOST_TEST(moments(weft::zone_schedule{"0 0 1 * *", "Asia/Kolkata"}, utc(2026, 5, 2), 1) == list{"31 18:30"});
}

BOOST_AUTO_TEST_CASE(moments_that_do_not_exist_are_due_once_after_the_gap)
{
    BOOST_TEST(moments(weft::zone_schedule{"30 2 * * *", "Europe/Berlin"}, utc(2026, 3, 28, 12), 2) ==
               (list{"29 01:00", "30 00:30"}));
    BOOST_TEST(moments(weft::zone_schedule{"0,30 2,3 * * *", "Europe/Berlin"}, utc(2026, 3, 29), 4) ==
               (list{"29 01:00", "29 01:30", "30 00:00", "30 00:30"}));
    // Samoa had no 30 December 2011: the date line was moved over it.
    BOOST_TEST(moments(weft::zone_schedule{"0 12 * * *", "Pacific/Apia"}, utc(2011, 12, 29), 3) ==
               (list{"29 22:00", "30 10:00", "30 22:00"}));
}

BOOST_AUTO_TEST_CASE(moments_that_exist_twice_are_due_the_first_time)
{
    BOOST_TEST(moments(weft::zone_schedule{"30 2 * * *", "Europe/Berlin"}, utc(2026, 10, 24, 12), 2) ==
               (list{"25 00:30", "26 01:30"}));
    // From within the repeated hour on it is not due again.
    BOOST_TEST(moments(weft::zone_schedule{"30 2 * * *", "Europe/Berlin"}, utc(2026, 10, 25, 1, 10), 1) ==
               list{"26 01:30"});
    BOOST_TEST(moments(weft::zone_schedule{"*/30 * * * *", "Europe/Berlin"}, utc(2026, 10, 24, 23, 50), 5) ==
               (list{"25 00:00", "25 00:30", "25 02:00", "25 02:30", "25 03:00"}));
    BOOST_TEST(moments(weft::zone_schedule{"* * * * *", "Europe/Berlin"}, utc(2026, 10, 25, 1, 0), 1) ==
               list{"25 02:00"});
    // Half an hour in Lord Howe.
    BOOST_TEST(moments(weft::zone_schedule{"45 1 * * *", "Australia/Lord_Howe"}, utc(2026, 4, 4), 2) ==
               (list{"04 14:45", "05 15:15"}));
}

BOOST_AUTO_TEST_CASE(a_zone_that_is_none_is_refused)
{
    BOOST_TEST(weft::is_time_zone(""));
    BOOST_TEST(weft::is_time_zone("America/New_York"));
    for (const char* const wrong : {"Berlin", "Europe/Atlantis", "../../etc/passwd", "europe/berlin "}) {
        BOOST_TEST(!weft::is_time_zone(wrong), wrong);
        BOOST_CHECK_EXCEPTION((weft::zone_schedule{"0 9 * * *", wrong}), weft::error, [&](const weft::error& e) {
            return e.code() == weft::errc::invalid_configuration &&
                   std::string_view{e.what()}.find(wrong) != std::string_view::npos;
        });
    }
    BOOST_CHECK_THROW((weft::zone_schedule{"0 25 * * *", "Europe/Berlin"}), weft::error);
}

BOOST_AUTO_TEST_SUITE_END()
