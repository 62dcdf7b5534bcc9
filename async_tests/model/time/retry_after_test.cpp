#include <boost/test/unit_test.hpp>

#include <weft/model/time/retry_after.hpp>
#include <weft/net/text/http_headers.hpp>

#include <optional>
#include <string_view>

BOOST_AUTO_TEST_SUITE(retry_after_test)

using namespace std::chrono_literals;
using wait = std::optional<std::chrono::milliseconds>;

namespace {

constexpr std::string_view noon = "Sun, 06 Nov 1994 12:00:00 GMT";

wait after(std::string_view value, std::string_view date = noon)
{
    weft::http_headers headers;
    headers.add("Retry-After", value);
    if (!date.empty()) headers.add("Date", date);
    return weft::retry_after_of(headers);
}

}  // namespace

BOOST_AUTO_TEST_CASE(seconds)
{
    BOOST_TEST((after("0") == 0ms));
    BOOST_TEST((after("7") == 7s));
    BOOST_TEST((after("2.5") == 2500ms));
    BOOST_TEST((after("0.0001") == 1ms));
}

BOOST_AUTO_TEST_CASE(nonsense_says_nothing)
{
    for (const char* text : {"-1", "abc", "", "1e9", "7x", "nan", "inf", "+3", "99999999999", ".5", "1 2"})
        BOOST_TEST((after(text) == std::nullopt), text);
    BOOST_TEST((weft::retry_after_of({}) == std::nullopt));
}

BOOST_AUTO_TEST_CASE(milliseconds_go_first)
{
    weft::http_headers headers;
    headers.add("retry-after", "7");
    headers.add("retry-after-ms", "6500.2");
    BOOST_TEST((weft::retry_after_of(headers) == 6501ms));
    headers.set("retry-after-ms", "soon");
    BOOST_TEST((weft::retry_after_of(headers) == 7s));
}

BOOST_AUTO_TEST_CASE(a_date_counts_from_the_date_of_the_response)
{
    BOOST_TEST((after("Sun, 06 Nov 1994 12:01:30 GMT") == 90s));
    BOOST_TEST((after("Sunday, 06-Nov-94 12:01:30 GMT") == 90s));
    BOOST_TEST((after("Sun Nov  6 12:01:30 1994") == 90s));
    BOOST_TEST((after("Sun, 06 Nov 1994 08:49:37 GMT") == 0ms));
    BOOST_TEST((after("Tue, 01 Mar 2016 00:00:00 GMT", "Mon, 29 Feb 2016 23:59:59 GMT") == 1s));
    BOOST_TEST((after("Friday, 01-Jan-70 00:00:05 GMT", "Thu, 01 Jan 1970 00:00:00 GMT") == 5s));
    BOOST_TEST((after("Friday, 01-Jan-27 00:00:05 GMT", "Fri, 01 Jan 2027 00:00:00 GMT") == 5s));
}

BOOST_AUTO_TEST_CASE(a_wrong_or_lonely_date_says_nothing)
{
    for (const char* text : {"Sun, 06 Nov 1994 12:01:30 PST", "Sun, 31 Feb 2016 12:00:00 GMT",
                             "Sun, 06 Nuv 1994 12:01:30 GMT", "Sun, 06 Nov 1994 25:01:30 GMT",
                             "Sun, 06 Nov 1994 12:61:30 GMT", "Sun, 06 Nov 1994 GMT", "Sun, 06 Nov 99999 12:01:30 GMT",
                             "Sun, 06 Nov 1994 12:01:30 GMT extra", "Sun, 00 Nov 1994 12:01:30 GMT", "06 Nov 1996"})
        BOOST_TEST((after(text) == std::nullopt), text);
    BOOST_TEST((after("Sun, 06 Nov 1994 12:01:30 GMT", "") == std::nullopt));
    BOOST_TEST((after("Sun, 06 Nov 1994 12:01:30 GMT", "yesterday") == std::nullopt));
    BOOST_TEST((after("Sun, 06 Nov 2094 12:01:30 GMT") == std::nullopt));  // further away than anybody waits
}

BOOST_AUTO_TEST_CASE(durations_as_go_writes_them)
{
    BOOST_TEST((weft::parse_duration("12ms") == 12ms));
    BOOST_TEST((weft::parse_duration("1s") == 1s));
    BOOST_TEST((weft::parse_duration("6m0s") == 360s));
    BOOST_TEST((weft::parse_duration("1h2m3.5s") == 3723500ms));
    BOOST_TEST((weft::parse_duration("1h") == 3600s));
    BOOST_TEST((weft::parse_duration("250us") == 1ms));
    BOOST_TEST((weft::parse_duration("250µs") == 1ms));
    BOOST_TEST((weft::parse_duration("5ns") == 1ms));
    BOOST_TEST((weft::parse_duration("0") == 0ms));
    BOOST_TEST((weft::parse_duration("17") == 17s));
    for (const char* text : {"-1", "", "s", "1x", "1m2", "ms1", "1s-", "9999999h", "1e3s"})
        BOOST_TEST((weft::parse_duration(text) == std::nullopt), text);
}

BOOST_AUTO_TEST_SUITE_END()
