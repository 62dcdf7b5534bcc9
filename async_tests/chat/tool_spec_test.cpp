#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/chat/tool_spec.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>
#include <boost/json/value_to.hpp>

BOOST_AUTO_TEST_SUITE(tool_spec_test)

using weft::tool_spec;

BOOST_AUTO_TEST_CASE(json_leaves_defaults_out)
{
    tool_spec now;
    now.name = "now";
    BOOST_TEST(boost::json::serialize(weft::to_json(now)) == R"({"name":"now"})");
    BOOST_TEST((weft::from_json<tool_spec>(weft::to_json(now)) == now));
}

BOOST_AUTO_TEST_CASE(json_reads_back_as_it_was)
{
    tool_spec weather;
    weather.name = "get_weather";
    weather.description = "The weather in a city, now";
    weather.parameters = weft::parse_json(R"({"type":"object","properties":{"city":{"type":"string"}}})");
    weather.strict = true;
    weather.input = weft::tool_input::text;
    BOOST_TEST((weft::from_json<tool_spec>(weft::to_json(weather)) == weather));
    BOOST_TEST((boost::json::value_to<tool_spec>(boost::json::value_from(weather)) == weather));
}

BOOST_AUTO_TEST_CASE(a_spec_without_name_is_refused)
{
    BOOST_CHECK_EXCEPTION((void)weft::from_json<tool_spec>(weft::parse_json("{}")), weft::error,
                          [](const weft::error& e) {
                              return e.code() == weft::errc::unexpected_json &&
                                     e.detail().find("\"name\"") != std::string::npos;
                          });
}

BOOST_AUTO_TEST_SUITE_END()
