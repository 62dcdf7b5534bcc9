#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/static_resource.hpp>

#include <bit>
#include <cmath>
#include <cstdint>

using weft::errc;
using weft::parse_json;

BOOST_AUTO_TEST_SUITE(json_test)

namespace {

std::string refusal_of(std::string_view text)
{
    try {
        static_cast<void>(parse_json(text));
    } catch (const weft::error& e) {
        BOOST_TEST((e.code() == errc::invalid_json));
        return e.where() + ": " + e.detail();
    }
    return "accepted";
}

std::string nested(std::size_t depth)
{
    return std::string(depth, '[') + std::string(depth, ']');
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_json_text_is_parsed)
{
    const boost::json::value value = parse_json(R"( {"a": [1, -2, 2.5, "x\u00e9", true, null]} )");
    BOOST_TEST(boost::json::serialize(value) == "{\"a\":[1,-2,2.5E0,\"x\xc3\xa9\",true,null]}");
    BOOST_TEST((parse_json("7") == 7));
    BOOST_TEST(boost::json::serialize(
                   parse_json(std::string(5'000, ' ') + '"' + std::string(9'000, 'x') + '"'))
                   .size() == 9'002u);
}

BOOST_AUTO_TEST_CASE(a_parsed_value_lives_in_the_given_storage)
{
    unsigned char buffer[4096];
    boost::json::static_resource resource{buffer};
    const boost::json::value value =
        parse_json(R"([[1], "a string that is not kept inside the value"])", &resource);
    BOOST_TEST(value.storage().get() == &resource);
    const auto* const text =
        reinterpret_cast<const unsigned char*>(value.as_array()[1].as_string().data());
    BOOST_TEST((text >= buffer && text < buffer + sizeof buffer));
}

BOOST_AUTO_TEST_CASE(a_mistake_is_reported_by_line_and_column)
{
    BOOST_TEST(refusal_of("{\n  \"a\": 1,\n  \"b\": oops\n}").starts_with("line 3, column 8: "));
    BOOST_TEST(refusal_of("\"\xc3\xa9\xe2\x82\xac\" x") ==
               "line 1, column 6: the text goes on behind the value");
    BOOST_TEST(refusal_of("[1, 2") == "line 1, column 6: the text ends too early");
    BOOST_TEST(refusal_of("") == "line 1, column 1: the text ends too early");
    BOOST_TEST(refusal_of("[1]\n\n]") == "line 3, column 1: the text goes on behind the value");
    BOOST_TEST(refusal_of("[1,]") != "accepted");
    BOOST_TEST(refusal_of("[\"\xff\"]") != "accepted");
    BOOST_TEST(refusal_of("// no\n1") != "accepted");
}

BOOST_AUTO_TEST_CASE(a_text_may_be_nested_to_the_limit_only)
{
    BOOST_TEST(refusal_of(nested(weft::json_depth_max)) == "accepted");
    BOOST_TEST(refusal_of(nested(weft::json_depth_max + 1)) ==
               "line 1, column 65: nested deeper than 64");
    BOOST_TEST(refusal_of(nested(100'000)) == "line 1, column 65: nested deeper than 64");
}

BOOST_AUTO_TEST_CASE(doubles_are_read_as_the_nearest_to_what_is_written)
{
    std::uint64_t bits = 88172645463325252u;
    for (int i = 0; i < 20'000; ++i) {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        const double number = std::bit_cast<double>(bits);
        if (!std::isfinite(number)) continue;
        const std::string text = boost::json::serialize(boost::json::value(number));
        const boost::json::value read = weft::parse_json("[" + text + "]");
        BOOST_REQUIRE_EQUAL(std::bit_cast<std::uint64_t>(read.as_array().at(0).as_double()), bits);
    }
    BOOST_TEST(weft::parse_json("0.1").as_double() == 0.1);
    BOOST_TEST(weft::parse_json("123456789012345678901234567890").as_double() == 123456789012345678901234567890.0);
    BOOST_TEST(weft::parse_json("18446744073709551615").as_uint64() == 18446744073709551615u);
    BOOST_TEST(weft::parse_json("-7").as_int64() == -7);
}

BOOST_AUTO_TEST_SUITE_END()
