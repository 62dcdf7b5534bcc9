#include <boost/test/unit_test.hpp>

#include <weft/graph/spec/cron_schedule.hpp>
#include <weft/base/error.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

BOOST_AUTO_TEST_SUITE(cron_schedule_test)

namespace {

using namespace std::chrono;

constexpr sys_seconds at(int year, unsigned month, unsigned day, int hour = 0, int minute = 0, int second = 0)
{
    const year_month_day date{std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{day}};
    return sys_days{date} + hours{hour} + minutes{minute} + seconds{second};
}

std::string text_of(std::optional<sys_seconds> when)
{
    if (!when) return "never";
    const sys_days day = floor<days>(*when);
    const year_month_day date{day};
    const auto two = [](auto number) {
        const std::string text = std::to_string(number);
        return text.size() < 2 ? "0" + text : text;
    };
    const hh_mm_ss time{*when - day};
    return std::to_string(int{date.year()}) + "-" + two(unsigned{date.month()}) + "-" + two(unsigned{date.day()}) +
           " " + two(time.hours().count()) + ":" + two(time.minutes().count()) + ":" + two(time.seconds().count());
}

std::string after(std::string_view schedule, sys_seconds now)
{
    return text_of(weft::cron_schedule{schedule}.next(now));
}

std::string fault_of_cron(std::string_view schedule)
{
    try {
        (void)weft::cron_schedule{schedule};
    } catch (const weft::error& e) {
        return e.code() == weft::errc::invalid_configuration ? e.detail() : "another error";
    }
    return {};
}

}  // namespace

// 2026-11-22 is a Sunday.
BOOST_AUTO_TEST_CASE(HIV_42_the_next_moment_is_after_now)
{
    BOOST_TEST(after("* * * * *", at(2026, 11, 22, 13, 0)) == "2026-11-22 13:01:00");
    BOOST_TEST(after("* * * * *", at(2026, 11, 22, 13, 0, 59)) == "2026-11-22 13:01:00");
    BOOST_TEST(after("*/15 * * * *", at(2026, 11, 22, 13, 45)) == "2026-11-22 14:00:00");
    BOOST_TEST(after("5,35 9-17 * * *", at(2026, 11, 22, 17, 35)) == "2026-11-23 09:05:00");
    BOOST_TEST(after("10-50/20 * * * *", at(2026, 11, 22, 13, 31)) == "2026-11-22 13:50:00");
    BOOST_TEST(after("0 0 1 1 *", at(2026, 11, 22)) == "2027-01-01 00:00:00");
    BOOST_TEST(after("59 23 31 12 *", at(2026, 12, 31, 23, 59)) == "2027-12-31 23:59:00");
}

BOOST_AUTO_TEST_CASE(HIV_42_days_of_week_and_month)
{
    BOOST_TEST(after("30 9 * * mon-fri", at(2026, 11, 22)) == "2026-11-23 09:30:00");
    BOOST_TEST(after("30 9 * * 0", at(2026, 11, 22, 10)) == "2026-11-29 09:30:00");
    BOOST_TEST(after("30 9 * * 7", at(2026, 11, 22, 10)) == "2026-11-29 09:30:00");
    BOOST_TEST(after("0 0 29 2 *", at(2026, 11, 22)) == "2028-02-29 00:00:00");
    BOOST_TEST(after("0 0 29 2 *", at(2096, 3, 1)) == "2104-02-29 00:00:00");  // 2100 is no leap year
    BOOST_TEST(after("0 0 31 * *", at(2026, 11, 22)) == "2026-12-31 00:00:00");
    BOOST_TEST(after("0 0 30 feb *", at(2026, 11, 22)) == "never");
    // Both days: either is enough.
    BOOST_TEST(after("0 0 24 * wed", at(2026, 11, 22)) == "2026-11-24 00:00:00");
    BOOST_TEST(after("0 0 24 * wed", at(2026, 11, 24)) == "2026-11-25 00:00:00");
    BOOST_TEST(after("0 0 */2 * wed", at(2026, 11, 22)) == "2026-11-25 00:00:00");  // a star: both
}

BOOST_AUTO_TEST_CASE(short_names_are_spelled_out)
{
    BOOST_TEST(after("@hourly", at(2026, 11, 22, 13, 10)) == "2026-11-22 14:00:00");
    BOOST_TEST(after("@daily", at(2026, 11, 22, 13, 10)) == "2026-11-23 00:00:00");
    BOOST_TEST(after("@weekly", at(2026, 11, 22, 13, 10)) == "2026-11-29 00:00:00");
    BOOST_TEST(after("@monthly", at(2026, 11, 22, 13, 10)) == "2026-12-01 00:00:00");
    BOOST_TEST(after("@yearly", at(2026, 11, 22, 13, 10)) == "2027-01-01 00:00:00");
    BOOST_TEST(after("  0   12\t* JAN-mar  Mon ", at(2026, 11, 22)) == "2027-01-04 12:00:00");
}

BOOST_AUTO_TEST_CASE(HIV_42_what_is_no_schedule_is_told)
{
    BOOST_TEST(fault_of_cron("* * * *").find("has 4 fields") != std::string::npos);
    BOOST_TEST(fault_of_cron("").find("has 0 fields") != std::string::npos);
    BOOST_TEST(fault_of_cron("60 * * * *").find("minute '60'") != std::string::npos);
    BOOST_TEST(fault_of_cron("* 24 * * *").find("hour '24'") != std::string::npos);
    BOOST_TEST(fault_of_cron("* * 0 * *").find("day of the month '0'") != std::string::npos);
    BOOST_TEST(fault_of_cron("* * * 13 *").find("month '13'") != std::string::npos);
    BOOST_TEST(fault_of_cron("* * * * 8").find("day of the week '8'") != std::string::npos);
    for (const char* text : {"5-1 * * * *", "*/0 * * * *", "a * * * *", "1,, * * * *", "1- * * * *", "-1 * * * *",
                             "*/ * * * *", "1x * * * *", "* * * foo *"})
        BOOST_TEST(!fault_of_cron(text).empty(), text);
}

BOOST_AUTO_TEST_SUITE_END()
