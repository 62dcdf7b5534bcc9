#include <weft/base/json.hpp>
#include <weft/base/json/json_text.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <string>

BOOST_AUTO_TEST_SUITE(json_text_test)

BOOST_AUTO_TEST_CASE(numbers_are_written_as_people_write_them)
{
    BOOST_TEST(weft::to_json_text(12.5) == "12.5");
    BOOST_TEST(weft::to_json_text(weft::parse_json(R"({"a":[1,"b"],"c":{}})"), weft::json_spacing::written) ==
               R"({"a": [1, "b"], "c": {}})");
    BOOST_TEST(weft::to_json_text(0.1) == "0.1");
    BOOST_TEST(weft::to_json_text(-3.0) == "-3.0");
    BOOST_TEST(weft::to_json_text(0.0) == "0.0");
    BOOST_TEST(weft::to_json_text(1024) == "1024");
    BOOST_TEST(weft::to_json_text(123456.789) == "123456.789");
    BOOST_TEST(weft::to_json_text(1e300).find('E') != std::string::npos);
    BOOST_TEST(weft::to_json_text(1e-300).find('E') != std::string::npos);
}

BOOST_AUTO_TEST_CASE(reading_gives_an_equal_value)
{
    for (const double number : {0.1, 1.0 / 3, 1e-6, 9.999e-7, 1e15, 999999999999999.9, 1e22, 5e-324,
                                std::numeric_limits<double>::max(), -2.5, 0.0, 3.0}) {
        const boost::json::value read = weft::parse_json(weft::to_json_text(number));
        BOOST_REQUIRE_MESSAGE(read.is_double(), number);
        BOOST_TEST(read.get_double() == number);
        BOOST_TEST(std::signbit(read.get_double()) == std::signbit(number));
    }
    const char* const text = R"({"a":[1,2.5,null,true,"x\n\"y"],"b\\":{},"c":[],"d":{"e":[[0.25]]}})";
    BOOST_TEST(weft::to_json_text(weft::parse_json(text)) == text);
}

BOOST_AUTO_TEST_CASE(any_depth_is_written)
{
    boost::json::value nested = 0.5;
    for (int i = 0; i < 200; ++i) nested = boost::json::array{std::move(nested)};
    const std::string text = weft::to_json_text(nested);
    BOOST_TEST(text.starts_with(std::string(200, '[')));
    BOOST_TEST(text.ends_with(std::string(200, ']')));
}

BOOST_AUTO_TEST_CASE(equal_values_have_one_canonical_text)
{
    const auto canonical = [](const char* text) { return weft::to_canonical_json_text(weft::parse_json(text)); };
    BOOST_TEST(canonical(R"({"b": {"y": 1, "x": [{"d": 2, "c": 3}]}, "a": null})") ==
               R"({"a":null,"b":{"x":[{"c":3,"d":2}],"y":1}})");
    BOOST_TEST(canonical(R"({"x": 1, "y": 2})") == canonical(R"({"y":2,"x":1})"));
    BOOST_TEST(canonical(R"([1, 2])") != canonical(R"([2, 1])"));
    BOOST_TEST(canonical(R"([1, {}, []])") == "[1,{},[]]");
    BOOST_TEST(canonical("1") != canonical("1.0"));
}

BOOST_AUTO_TEST_SUITE_END()
