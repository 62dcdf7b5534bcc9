#include <boost/test/unit_test.hpp>

#include "json_types.hpp"

#include <weft/base/error.hpp>

#include <boost/json/serialize.hpp>

#include <limits>

using namespace json_types;
using weft::errc;
using weft::to_json;

BOOST_AUTO_TEST_SUITE(json_write_test)

namespace {

template <class T>
std::string text_of(const T& value)
{
    return boost::json::serialize(to_json(value));
}

template <class T>
std::string refusal_of(const T& value)
{
    try {
        static_cast<void>(to_json(value));
    } catch (const weft::error& e) {
        BOOST_TEST((e.code() == errc::unexpected_json));
        return e.where() + ": " + e.detail();
    }
    return "accepted";
}

template <class T>
void comes_back(const T& value)
{
    BOOST_TEST((weft::from_json<T>(to_json(value)) == value));
    BOOST_TEST((weft::from_json<T>(weft::parse_json(text_of(value))) == value));
}

}  // namespace

BOOST_AUTO_TEST_CASE(values_are_written)
{
    BOOST_TEST(text_of(true) == "true");
    BOOST_TEST(text_of(std::uint8_t{7}) == "7");
    BOOST_TEST(text_of(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
    BOOST_TEST(text_of(std::string{"a\"b"}) == R"("a\"b")");
    BOOST_TEST(text_of(std::vector<std::optional<int>>{1, std::nullopt}) == "[1,null]");
    BOOST_TEST(text_of(std::map<std::string, colour>{{"a", colour::red}}) == R"({"a":"red"})");
    BOOST_TEST(text_of(weft::list<int>{1, 2}) == "[1,2]");
    BOOST_TEST(text_of(weft::usd_micros{5}) == "5");
    BOOST_TEST(text_of(boost::json::array{1, "x"}) == R"([1,"x"])");
    BOOST_TEST(text_of(point{3, "l"}) == R"({"x":3,"label":"l"})");
    BOOST_TEST(text_of(temperature{20}) == R"("hot")");
}

BOOST_AUTO_TEST_CASE(an_optional_member_that_holds_nothing_is_left_out)
{
    BOOST_TEST(text_of(point{3, std::nullopt}) == R"({"x":3})");
}

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back)
{
    drawing d;
    d.is_on = true;
    d.points = {{1, "a"}, {-2, std::nullopt}};
    d.colours = {{"sky", colour::green}, {"the sea", colour::red}};
    d.notes = {"n", "\xe2\x82\xac"};
    d.scale = 0.1;
    comes_back(d);
    comes_back(tree{"a", {{"b", {{"c", {}}}}, {"d", {}}}});
    comes_back(std::numeric_limits<std::int64_t>::min());
    comes_back(std::numeric_limits<std::uint64_t>::max());
    comes_back(std::numeric_limits<double>::denorm_min());
    comes_back(1.0f / 3.0f);
    comes_back(std::vector<bool>{true, false});
    comes_back(std::set<std::string>{"b", "a"});
    comes_back(std::array<int, 2>{1, 2});
    comes_back(std::tuple<int, std::string>{1, "a"});
    comes_back(std::vector<temperature>{{30}, {0}});
    comes_back(weft::tokens{12});
    weft::random_source random{1};
    weft::id_source ids{weft::real_clock(), random};
    comes_back(ids.next<weft::checkpoint_id>());
}

BOOST_AUTO_TEST_CASE(what_json_cannot_say_is_refused_with_its_path)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    BOOST_TEST(refusal_of(std::vector<double>{1, infinity}) == "$[1]: inf is not a finite number");
    BOOST_TEST(refusal_of(std::map<std::string, double>{
                   {"a", std::numeric_limits<double>::quiet_NaN()}}) ==
               "$.a: nan is not a finite number");
    BOOST_TEST(refusal_of(std::vector<colour>{static_cast<colour>(9)}) ==
               "$[0]: the enum has no name for 9");
    BOOST_TEST(refusal_of(std::vector<temperature>{{30}, {15}}) == "$[1]: neither hot nor cold");
}

BOOST_AUTO_TEST_CASE(a_value_that_is_nested_too_deep_is_refused)
{
    tree deep{"leaf", {}};
    for (std::size_t i = 0; i < weft::json_depth_max; ++i) {
        tree parent{"n", {}};
        parent.children.push_back(std::move(deep));
        deep = std::move(parent);
    }
    BOOST_TEST(refusal_of(deep).ends_with(": nested deeper than 64"));
}

BOOST_AUTO_TEST_SUITE_END()
