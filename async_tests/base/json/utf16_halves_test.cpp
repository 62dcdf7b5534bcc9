#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json/utf16_halves.hpp>

#include <boost/json/serialize.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(utf16_halves_test)

namespace {

const std::string unknown = "\xEF\xBF\xBD";

std::string read(std::string_view text) { return boost::json::serialize(weft::parse_json_with_halves(text)); }

}  // namespace

BOOST_AUTO_TEST_CASE(halves_are_replaced_and_pairs_stay)
{
    BOOST_TEST(read(R"(["a\ud800b","\ude00","\ud83d\ude00"])") ==
               "[\"a" + unknown + "b\",\"" + unknown + "\",\"\xF0\x9F\x98\x80\"]");
    BOOST_TEST(read(R"({"\ud83d":{"b":"\ud83d"}})") == "{\"" + unknown + "\":{\"b\":\"" + unknown + "\"}}");
    BOOST_TEST(read(R"({"a":"\\ud800"})") == R"({"a":"\\ud800"})");
}

BOOST_AUTO_TEST_CASE(halves_stay_where_a_joiner_takes_them)
{
    const auto is_text = [](std::string_view name) { return name == "text"; };
    const auto piece = weft::parse_json_with_halves(R"({"text":"a\ud83d","name":"\ud83d"})", {}, is_text);
    weft::utf16_joiner joiner;
    const auto& text = piece.at("text").as_string();
    BOOST_TEST(joiner.join({text.data(), text.size()}) == "a");
    BOOST_TEST(joiner.end() == unknown);
    BOOST_TEST(piece.at("name").as_string() == boost::json::string_view{unknown});
}

BOOST_AUTO_TEST_CASE(numbers_beside_halves_are_exact)
{
    BOOST_TEST(weft::parse_json_with_halves(R"([5.0e-324,8.2e-309,"\ud800",1.7976931348623157e308])")
                   .at(3).as_double() == 1.7976931348623157e308);
    BOOST_TEST(read(R"(["\ud800",2.2250738585072011E-308])").find("2.225073858507201E-308") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_is_broken_otherwise_is_refused_where_it_is)
{
    BOOST_CHECK_EXCEPTION((void)weft::parse_json_with_halves("{\n  \"a\": oops}"), weft::error,
                          [](const weft::error& e) { return e.where().starts_with("line 2"); });
    BOOST_CHECK_THROW((void)weft::parse_json_with_halves(R"(["\ud800",)"), weft::error);
    BOOST_CHECK_THROW((void)weft::parse_json_with_halves("[\"\\ud800\xFF\"]"), weft::error);
}

BOOST_AUTO_TEST_SUITE_END()
