#include <boost/test/unit_test.hpp>

#include <weft/base/json.hpp>
#include <weft/base/json/json_reading.hpp>

#include <boost/json/serialize.hpp>

#include <bit>
#include <cmath>
#include <random>
#include <string>

BOOST_AUTO_TEST_SUITE(json_reading_test)

BOOST_AUTO_TEST_CASE(W4_what_is_written_is_read_exactly)
{
    std::mt19937_64 random{7};
    for (int i = 0; i < 500; ++i) {
        const auto number = std::bit_cast<double>(random());
        if (!std::isfinite(number)) continue;
        const std::string text = boost::json::serialize(boost::json::value(number));
        BOOST_TEST(weft::parse_json_as(text, {}).to_number<double>() == number, text);
        BOOST_TEST(weft::try_parse_json(text).value().to_number<double>() == number, text);
    }
}

BOOST_AUTO_TEST_CASE(the_depth_can_be_chosen)
{
    const std::string deep = std::string(100, '[') + std::string(100, ']');
    BOOST_TEST(!weft::try_parse_json(deep));
    BOOST_TEST(weft::try_parse_json(deep, weft::json_reading{.depth_max = 100}).has_value());
    BOOST_CHECK_EXCEPTION((void)weft::parse_json_as(deep, {.depth_max = 99}), weft::json_syntax_error,
                          [](const weft::json_syntax_error& e) {
                              return e.where() == "line 1, column 100" && e.detail() == "nested deeper than 99";
                          });
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_utf_8_are_taken_only_where_that_is_said)
{
    const std::string text = "\"a\xED\xA0\x80\"";
    BOOST_TEST(!weft::try_parse_json(text));
    BOOST_TEST(weft::parse_json_as(text, {.takes_any_bytes = true}).as_string().size() == 4U);
}

BOOST_AUTO_TEST_CASE(what_is_not_one_value_is_nothing)
{
    for (const char* text : {"", "{", "1 2", "nul", "'a'"}) BOOST_TEST(!weft::try_parse_json(text), text);
    BOOST_TEST(weft::try_parse_json("null").value().is_null());
}

BOOST_AUTO_TEST_SUITE_END()
