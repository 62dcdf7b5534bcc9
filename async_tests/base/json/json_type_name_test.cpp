#include <weft/base/json/json_type_name.hpp>
#include <weft/base/list.hpp>
#include <weft/base/units.hpp>

#include <boost/describe.hpp>
#include <boost/test/unit_test.hpp>

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace type_names {

enum class colour { red, green };
BOOST_DESCRIBE_ENUM(colour, red, green)

struct branch {
    std::string name;
    std::vector<branch> below;
};
BOOST_DESCRIBE_STRUCT(branch, (), (name, below))

struct part {
    colour paint = colour::red;
    std::optional<std::int32_t> size;
};
BOOST_DESCRIBE_STRUCT(part, (), (paint, size))

}  // namespace type_names

BOOST_AUTO_TEST_SUITE(json_type_name_test)

BOOST_AUTO_TEST_CASE(types_are_named_by_what_they_look_like_as_json)
{
    BOOST_TEST(weft::json_type_name<bool>() == "boolean");
    BOOST_TEST(weft::json_type_name<std::int16_t>() == "integer");
    BOOST_TEST(weft::json_type_name<weft::tokens>() == "integer");
    BOOST_TEST(weft::json_type_name<float>() == "number");
    BOOST_TEST(weft::json_type_name<std::string>() == "text");
    BOOST_TEST(weft::json_type_name<boost::json::value>() == "any");
    BOOST_TEST(weft::json_type_name<boost::json::array>() == "list of any");
    BOOST_TEST(weft::json_type_name<weft::list<std::string>>() == "list of text");
    BOOST_TEST(weft::json_type_name<std::vector<std::string>>() == "list of text");
    BOOST_TEST((weft::json_type_name<std::map<std::string, double>>() == "map of number"));
    BOOST_TEST((weft::json_type_name<std::tuple<bool, std::string>>() == "tuple(boolean, text)"));
    BOOST_TEST(weft::json_type_name<type_names::part>() == "object(paint: name, size: optional integer)");
}

BOOST_AUTO_TEST_CASE(a_type_that_contains_itself_has_a_name)
{
    BOOST_TEST(weft::json_type_name<type_names::branch>() == "object(name: text, below: list of the same)");
}

BOOST_AUTO_TEST_SUITE_END()
