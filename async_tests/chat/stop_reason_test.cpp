#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/chat/stop_reason.hpp>

BOOST_AUTO_TEST_SUITE(stop_reason_test)

using weft::stop_reason;

BOOST_AUTO_TEST_CASE(every_reason_reads_back_from_its_name)
{
    for (const auto reason : {stop_reason::unfinished, stop_reason::stop, stop_reason::tool_calls, stop_reason::length,
                              stop_reason::content_filter, stop_reason::paused, stop_reason::unknown}) {
        const boost::json::value json = weft::to_json(reason);
        BOOST_TEST(json.as_string() == boost::json::string_view{weft::name_of(reason)});
        BOOST_TEST((weft::from_json<stop_reason>(json) == reason));
    }
    BOOST_TEST(weft::name_of(stop_reason::content_filter) == "content_filter");
}

BOOST_AUTO_TEST_CASE(a_name_from_the_future_is_unknown)
{
    BOOST_TEST((weft::from_json<stop_reason>(boost::json::value("bored")) == stop_reason::unknown));
}

BOOST_AUTO_TEST_CASE(something_else_than_a_name_is_refused)
{
    BOOST_CHECK_EXCEPTION((void)weft::from_json<stop_reason>(boost::json::value(3)), weft::error,
                          [](const weft::error& e) { return e.code() == weft::errc::unexpected_json; });
}

BOOST_AUTO_TEST_SUITE_END()
