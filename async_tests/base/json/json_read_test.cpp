#include <boost/test/unit_test.hpp>

#include "json_types.hpp"

#include <weft/base/error.hpp>

#include <boost/json/serialize.hpp>

#include <deque>
#include <limits>

using namespace json_types;
using weft::errc;
using weft::from_json;
using weft::parse_json;

BOOST_AUTO_TEST_SUITE(json_read_test)

namespace {

template <class T>
T read(std::string_view text)
{
    return from_json<T>(parse_json(text));
}

/** Path and detail of the error that reading `text` as a `T` gives. */
template <class T>
std::string refusal_of(std::string_view text,
                       const weft::json_options& options = weft::json_defaults)
{
    try {
        static_cast<void>(from_json<T>(parse_json(text), options));
    } catch (const weft::error& e) {
        BOOST_TEST((e.code() == errc::unexpected_json));
        return e.where() + ": " + e.detail();
    }
    return "accepted";
}

}  // namespace

BOOST_AUTO_TEST_CASE(plain_values_are_read)
{
    BOOST_TEST(read<bool>("true"));
    BOOST_TEST(read<int>("-7") == -7);
    BOOST_TEST(read<double>("2.5") == 2.5);
    BOOST_TEST(read<double>("3") == 3.0);
    BOOST_TEST(read<double>("18446744073709551615") == 18446744073709551615.0);
    BOOST_TEST(read<std::string>(R"("text")") == "text");
    BOOST_TEST((read<boost::json::value>("[1]") == parse_json("[1]")));
    BOOST_TEST(read<boost::json::object>(R"({"a":1})").size() == 1u);
    BOOST_TEST((read<weft::tokens>("12") == weft::tokens{12}));
}

BOOST_AUTO_TEST_CASE(values_of_another_kind_are_refused_with_path_and_finding)
{
    BOOST_TEST(refusal_of<bool>("1") == "$: expected true or false, found 1");
    BOOST_TEST(refusal_of<int>(R"("x")") == R"($: expected an integer, found "x")");
    BOOST_TEST(refusal_of<int>("null") == "$: expected an integer, found null");
    BOOST_TEST(refusal_of<double>("true") == "$: expected a number, found true");
    BOOST_TEST(refusal_of<std::string>("[1]") == "$: expected a string, found an array of 1 item");
    BOOST_TEST(refusal_of<std::vector<int>>(R"({"a":1,"b":2})") ==
               "$: expected an array, found an object of 2 members");
    BOOST_TEST(refusal_of<boost::json::object>("[]") ==
               "$: expected an object, found an array of 0 items");
    BOOST_TEST(refusal_of<std::vector<int>>("[1, 2, {}]") ==
               "$[2]: expected an integer, found an object of 0 members");
}

BOOST_AUTO_TEST_CASE(a_long_text_is_quoted_in_part)
{
    const std::string found =
        refusal_of<int>('"' + std::string(39, 'x') + "\xe2\x82\xac" + std::string(100, 'y') + '"');
    BOOST_TEST(found == "$: expected an integer, found \"" + std::string(39, 'x') + "\"...");
}

BOOST_AUTO_TEST_CASE(integers_are_read_within_the_range_of_their_type)
{
    BOOST_TEST(read<std::uint8_t>("255") == 255);
    BOOST_TEST(refusal_of<std::uint8_t>("256") ==
               "$: expected an integer from 0 to 255, found 256");
    BOOST_TEST(refusal_of<std::uint8_t>("-1") == "$: expected an integer from 0 to 255, found -1");
    BOOST_TEST(read<std::int8_t>("-128") == -128);
    BOOST_TEST(refusal_of<std::int8_t>("-129") ==
               "$: expected an integer from -128 to 127, found -129");
    BOOST_TEST(refusal_of<std::int8_t>("128") ==
               "$: expected an integer from -128 to 127, found 128");
    BOOST_TEST(read<std::int64_t>("-9223372036854775808") ==
               std::numeric_limits<std::int64_t>::min());
    BOOST_TEST(read<std::uint64_t>("18446744073709551615") ==
               std::numeric_limits<std::uint64_t>::max());
    BOOST_TEST(refusal_of<std::int64_t>("9223372036854775808") != "accepted");
    BOOST_TEST(refusal_of<std::uint64_t>("18446744073709551616") != "accepted");
    BOOST_TEST(refusal_of<weft::tokens>("9223372036854775808") != "accepted");
}

BOOST_AUTO_TEST_CASE(a_number_with_a_fraction_is_not_an_integer)
{
    BOOST_TEST(read<int>("3.0") == 3);
    BOOST_TEST(read<int>("-2e3") == -2000);
    BOOST_TEST(refusal_of<int>("3.5") != "accepted");
    BOOST_TEST(refusal_of<int>("1e300") != "accepted");
    BOOST_TEST(read<std::int64_t>("-9.223372036854775808e18") ==
               std::numeric_limits<std::int64_t>::min());
    BOOST_TEST(refusal_of<std::int64_t>("9.223372036854775808e18") != "accepted");
    BOOST_TEST(refusal_of<std::uint64_t>("-0.5") != "accepted");
    BOOST_TEST(refusal_of<std::uint64_t>("1.8446744073709551616e19") != "accepted");
}

BOOST_AUTO_TEST_CASE(null_and_left_out_members_mean_nothing)
{
    BOOST_TEST(!read<std::optional<int>>("null").has_value());
    BOOST_TEST(read<std::optional<int>>("4").value() == 4);
    BOOST_TEST((read<point>(R"({"x":1})") == point{1, std::nullopt}));
    BOOST_TEST((read<point>(R"({"x":1,"label":null})") == point{1, std::nullopt}));
    BOOST_TEST((read<point>(R"({"x":1,"label":"l"})") == point{1, "l"}));
    BOOST_TEST(refusal_of<point>(R"({"x":1,"label":3})") == "$.label: expected a string, found 3");
}

BOOST_AUTO_TEST_CASE(lists_and_maps_are_read)
{
    BOOST_TEST((read<std::vector<int>>("[1,2]") == std::vector{1, 2}));
    BOOST_TEST((read<std::vector<bool>>("[true,false]") == std::vector{true, false}));
    BOOST_TEST((read<std::deque<double>>("[1,2.5]") == std::deque{1.0, 2.5}));
    BOOST_TEST(
        (read<std::set<std::string>>(R"(["b","a","b"])") == std::set<std::string>{"a", "b"}));
    BOOST_TEST(
        (read<weft::list<std::string>>(R"(["a","b"])") == weft::list<std::string>{"a", "b"}));
    BOOST_TEST((read<std::map<std::string, int>>(R"({"a":1,"b":2})") ==
                std::map<std::string, int>{{"a", 1}, {"b", 2}}));
}

BOOST_AUTO_TEST_CASE(tuples_are_read_from_arrays_of_their_size)
{
    using named = std::pair<std::string, point>;
    BOOST_TEST((read<std::array<int, 2>>("[1,2]") == std::array{1, 2}));
    BOOST_TEST((read<std::tuple<>>("[]") == std::tuple{}));
    BOOST_TEST((read<named>(R"(["a",{"x":1}])") == named{"a", {1, std::nullopt}}));
    BOOST_TEST(refusal_of<named>(R"(["a",{"x":""}])") ==
               R"($[1].x: expected an integer, found "")");
    BOOST_TEST(refusal_of<named>(R"(["a"])") ==
               "$: expected an array of exactly 2, found an array of 1 item");
    BOOST_TEST(refusal_of<named>(R"(["a",{"x":1},0])") ==
               "$: expected an array of exactly 2, found an array of 3 items");
}

BOOST_AUTO_TEST_CASE(described_types_are_read_by_name)
{
    const drawing expected = [] {
        drawing d;
        d.is_on = true;
        d.points = {{1, "a"}, {2, std::nullopt}};
        d.colours = {{"sky", colour::green}};
        d.notes = {"n"};
        d.scale = 2;
        return d;
    }();
    BOOST_TEST((read<drawing>(R"({"is_on":true,"points":[{"x":1,"label":"a"},{"x":2}],
                                  "colours":{"sky":"green"},"notes":["n"],"scale":2})") ==
                expected));
    BOOST_TEST((read<tree>(R"({"name":"a","children":[{"name":"b","children":[]}]})") ==
                tree{"a", {{"b", {}}}}));
}

BOOST_AUTO_TEST_CASE(the_path_leads_through_structs_lists_and_maps)
{
    BOOST_TEST(refusal_of<drawing>(R"({"is_on":true,"points":[{"x":1},{"x":"y"}]})") ==
               R"($.points[1].x: expected an integer, found "y")");
    BOOST_TEST(refusal_of<drawing>(R"({"is_on":true,"points":[],"colours":{"the sky":"blue"}})") ==
               R"($.colours["the sky"]: expected one of "red", "green", found "blue")");
    BOOST_TEST(refusal_of<colour>("0") == R"($: expected one of "red", "green", found 0)");
}

BOOST_AUTO_TEST_CASE(missing_members_are_all_named)
{
    BOOST_TEST(refusal_of<drawing>(R"({"points":[],"notes":[]})") ==
               R"($: missing member "is_on", "colours", "scale")");
    BOOST_TEST(refusal_of<std::vector<point>>("[{}]") == R"($[0]: missing member "x")");
}

BOOST_AUTO_TEST_CASE(unknown_members_are_ignored_or_refused)
{
    const weft::json_options strict{.unknown = weft::unknown_members::refused};
    constexpr std::string_view text = R"([{"x":1,"y":2,"label":"","z":3}])";
    BOOST_TEST(refusal_of<std::vector<point>>(text) == "accepted");
    BOOST_TEST(refusal_of<std::vector<point>>(text, strict) ==
               R"($[0]: unknown member "y", "z"; known are "x", "label")");
    BOOST_TEST(refusal_of<std::vector<point>>(R"([{"x":1}])", strict) == "accepted");
}

BOOST_AUTO_TEST_CASE(own_conversions_are_used_and_their_errors_get_the_path)
{
    BOOST_TEST((read<std::vector<temperature>>(R"(["hot","cold"])") ==
                std::vector<temperature>{{30}, {0}}));
    BOOST_TEST(refusal_of<std::vector<temperature>>(R"(["hot","mild"])") ==
               "$[1]: neither hot nor cold");
    BOOST_TEST(refusal_of<std::vector<temperature>>("[1]").starts_with("$[0]: "));
    BOOST_TEST(refusal_of<std::vector<wrapped>>(R"([{"x":1},{"x":true}])") ==
               "$[1].x: expected an integer, found true");
}

BOOST_AUTO_TEST_CASE(ids_are_read_from_their_text)
{
    const std::string text = "01890a5d-ac96-774b-bcce-b302099a8057";
    BOOST_TEST(read<weft::run_id>('"' + text + '"').text() == text);
    BOOST_TEST(refusal_of<std::vector<weft::run_id>>(R"(["x"])") ==
               R"($[0]: expected a well-formed text of this type, found "x")");
}

BOOST_AUTO_TEST_CASE(a_value_that_is_nested_too_deep_is_refused)
{
    boost::json::value deep =
        boost::json::object{{"name", "leaf"}, {"children", boost::json::array{}}};
    for (std::size_t i = 0; i < weft::json_depth_max; ++i)
        deep =
            boost::json::object{{"name", "n"}, {"children", boost::json::array{std::move(deep)}}};
    try {
        static_cast<void>(from_json<tree>(deep));
        BOOST_ERROR("accepted");
    } catch (const weft::error& e) {
        BOOST_TEST((e.code() == errc::unexpected_json));
        BOOST_TEST(e.detail() == "nested deeper than 64");
        BOOST_TEST(e.where().starts_with("$.children[0].children[0]"));
    }
}

BOOST_AUTO_TEST_SUITE_END()
