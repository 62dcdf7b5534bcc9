#include <boost/test/unit_test.hpp>

#include "serve/langgraph/schedule/iso_moment.hpp"
#include "serve/wire/views.hpp"

#include <string>
#include <utility>

BOOST_AUTO_TEST_SUITE(iso_moment_test)

using weft::serve_detail::iso_time;
using weft::serve_detail::read_iso_moment;

BOOST_AUTO_TEST_CASE(moments_as_clients_write_them_are_read)
{
    const std::pair<const char*, const char*> rows[]{
        {"2026-11-27T10:00:00+00:00", "2026-11-27T10:00:00.000000+00:00"},
        {"2026-11-27T10:00:00Z", "2026-11-27T10:00:00.000000+00:00"},
        {"2026-11-27T10:00:00.123456+01:00", "2026-11-27T09:00:00.123456+00:00"},
        {"2026-11-27T00:30:00.5-0730", "2026-11-27T08:00:00.500000+00:00"},
        {"2026-11-27 10:00", "2026-11-27T10:00:00.000000+00:00"},
        {"2026-11-27", "2026-11-27T00:00:00.000000+00:00"},
        {"2024-02-29T23:59:59.1234567Z", "2024-02-29T23:59:59.123456+00:00"},
    };
    for (const auto& [text, moment] : rows) {
        const auto read = read_iso_moment(text);
        BOOST_TEST_REQUIRE(read.has_value(), text);
        BOOST_TEST(iso_time(*read) == moment);
    }
}

BOOST_AUTO_TEST_CASE(what_is_no_moment_is_not_read)
{
    for (const char* const text : {"", "tomorrow", "2026", "2026-13-01", "2026-02-30", "2026-11-27T",
                                   "2026-11-27T25:00", "2026-11-27T10:60:00", "2026-11-27T10:00:00+",
                                   "2026-11-27T10:00:00+99:00",
                                   "2026-11-27T10:00:00.Z", "2026-11-27T10:00:00Zx", "9999-01-01", "0000-00-00"})
        BOOST_TEST(!read_iso_moment(text).has_value(), text);
}

BOOST_AUTO_TEST_SUITE_END()
