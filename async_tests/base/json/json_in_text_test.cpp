#include <weft/base/json/json_in_text.hpp>

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(json_in_text_test)

namespace {

/** The first object with a member `x`, as text; "none" if there is none. */
std::string found_in(std::string_view text)
{
    const auto has_x = [](const boost::json::object& object) { return object.contains("x"); };
    const auto found = weft::find_json_object(text, has_x);
    return found ? boost::json::serialize(*found) : "none";
}

}  // namespace

BOOST_AUTO_TEST_CASE(words_and_fences_around_an_object_do_not_matter)
{
    BOOST_TEST(found_in(R"({"x":1})") == R"({"x":1})");
    BOOST_TEST(found_in("Sure!\n```json\n{\"x\": \"}\"}\n```\nAnything else?") == R"({"x":"}"})");
    BOOST_TEST(found_in(R"(a {set} of {braces} {"x":1} and {"x":2})") == R"({"x":1})");
}

BOOST_AUTO_TEST_CASE(objects_that_are_not_wanted_are_passed_and_looked_into)
{
    BOOST_TEST(found_in(R"({"y":1} {"x":2})") == R"({"x":2})");
    BOOST_TEST(found_in(R"({"answer": {"x":3}})") == R"({"x":3})");
}

BOOST_AUTO_TEST_CASE(a_text_without_a_whole_object_has_none)
{
    BOOST_TEST(found_in("") == "none");
    BOOST_TEST(found_in("x") == "none");
    BOOST_TEST(found_in(R"({"x": 1)") == "none");
    BOOST_TEST(found_in(R"([1, 2])") == "none");
    BOOST_TEST(found_in("{\"x\": \"a raw\nline\"}") == "none");
}

BOOST_AUTO_TEST_CASE(a_flood_of_braces_ends)
{
    BOOST_TEST(found_in(std::string(1'000'000, '{') + R"({"x":1})") == "none");
    BOOST_TEST(found_in(std::string(99, '{') + R"({"x":1})") == R"({"x":1})");
    BOOST_TEST(found_in(std::string(100, '{') + R"({"x":1})") == "none");
}

BOOST_AUTO_TEST_CASE(numbers_are_the_nearest_to_what_is_written)
{
    const auto found = weft::find_json_object(R"(so {"x": 0.1234567890123456789})", [](const auto&) { return true; });
    BOOST_REQUIRE(found.has_value());
    BOOST_TEST(found->at("x").get_double() == 0.1234567890123456789);
}

BOOST_AUTO_TEST_SUITE_END()
