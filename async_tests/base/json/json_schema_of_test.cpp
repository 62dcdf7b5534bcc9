#include <boost/test/unit_test.hpp>

#include <weft/base/json/json_schema_of.hpp>
#include <weft/base/json_schema.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

BOOST_AUTO_TEST_SUITE(json_schema_of_test)

namespace {

namespace json = boost::json;

enum class unit { celsius, kelvin };
BOOST_DESCRIBE_ENUM(unit, celsius, kelvin)

struct place {
    std::string city;
    std::optional<double> height;
};
BOOST_DESCRIBE_STRUCT(place, (), (city, height))

struct request {
    place where;
    std::vector<place> more;
    std::map<std::string, std::int64_t> counts;
    std::set<std::string> tags;
    unit in = unit::celsius;
    std::optional<unit> out;
    std::optional<place> home;
    bool exact = false;
    std::uint8_t level = 0;
    std::array<double, 2> at{};
    json::value anything;
    json::object members;
};
BOOST_DESCRIBE_STRUCT(request, (),
                      (where, more, counts, tags, in, out, home, exact, level, at, anything, members))

struct tree {
    std::string name;
    std::vector<tree> children;
};
BOOST_DESCRIBE_STRUCT(tree, (), (name, children))

struct grove {
    tree first;
    std::vector<tree> others;
};
BOOST_DESCRIBE_STRUCT(grove, (), (first, others))

struct money {
    std::int64_t cents = 0;
    static json::object json_schema() { return {{"type", "string"}, {"pattern", "^[0-9]+\\.[0-9]{2}$"}}; }
};
[[maybe_unused]] void tag_invoke(json::value_from_tag, json::value& out, const money& in)
{
    out = std::to_string(in.cents);
}
[[maybe_unused]] money tag_invoke(json::value_to_tag<money>, const json::value&) { return {}; }

struct bill {
    money sum;
};
BOOST_DESCRIBE_STRUCT(bill, (), (sum))

template <class T>
std::string schema_of()
{
    return json::serialize(weft::json_schema_of<T>());
}

constexpr std::string_view place_schema =
    R"({"type":"object","properties":{"city":{"type":"string"},"height":{"type":["number","null"]}},)"
    R"("required":["city"],"additionalProperties":false})";

}  // namespace

BOOST_AUTO_TEST_CASE(plain_types_are_types_of_json)
{
    BOOST_TEST(schema_of<std::string>() == R"({"type":"string"})");
    BOOST_TEST(schema_of<bool>() == R"({"type":"boolean"})");
    BOOST_TEST(schema_of<double>() == R"({"type":"number"})");
    BOOST_TEST(schema_of<std::int64_t>() == R"({"type":"integer"})");
    BOOST_TEST(schema_of<std::uint64_t>() == R"({"type":"integer","minimum":0})");
    BOOST_TEST(schema_of<std::int8_t>() == R"({"type":"integer","minimum":-128,"maximum":127})");
    BOOST_TEST(schema_of<std::optional<std::string>>() == R"({"type":["string","null"]})");
    BOOST_TEST(schema_of<json::value>() == "{}");
    BOOST_TEST((schema_of<std::pair<std::string, bool>>() ==
                R"({"type":"array","prefixItems":[{"type":"string"},{"type":"boolean"}],"minItems":2,"maxItems":2})"));
}

BOOST_AUTO_TEST_CASE(structs_are_objects_whose_optional_members_may_be_left_out)
{
    BOOST_TEST(schema_of<place>() == place_schema);
    const json::object schema = weft::json_schema_of<request>();
    const json::object& properties = schema.at("properties").as_object();
    BOOST_TEST(json::serialize(properties.at("where")) == place_schema);
    BOOST_TEST(json::serialize(properties.at("more")) ==
               R"({"type":"array","items":)" + std::string{place_schema} + "}");
    BOOST_TEST(json::serialize(properties.at("counts")) ==
               R"({"type":"object","additionalProperties":{"type":"integer"}})");
    BOOST_TEST(json::serialize(properties.at("tags")) ==
               R"({"type":"array","items":{"type":"string"},"uniqueItems":true})");
    BOOST_TEST(json::serialize(properties.at("in")) == R"({"type":"string","enum":["celsius","kelvin"]})");
    BOOST_TEST(json::serialize(properties.at("out")) ==
               R"({"type":["string","null"],"enum":["celsius","kelvin",null]})");
    BOOST_TEST(properties.at("home").at("type") == (json::array{"object", "null"}));
    BOOST_TEST(json::serialize(properties.at("level")) == R"({"type":"integer","minimum":0,"maximum":255})");
    BOOST_TEST(json::serialize(schema.at("required")) ==
               R"(["where","more","counts","tags","in","exact","level","at","anything","members"])");
}

BOOST_AUTO_TEST_CASE(a_struct_that_contains_itself_is_a_reference)
{
    BOOST_TEST(schema_of<tree>() ==
               R"({"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array",)"
               R"("items":{"$ref":"#"}}},"required":["name","children"],"additionalProperties":false})");
    const json::object schema = weft::json_schema_of<grove>();
    BOOST_TEST(schema.at("$defs").as_object().size() == 2u);
    const weft::json_schema compiled{json::value(schema)};
    BOOST_TEST(compiled.accepts(json::parse(
        R"({"first":{"name":"a","children":[{"name":"b","children":[]}]},"others":[]})")));
    BOOST_TEST(!compiled.accepts(json::parse(
        R"({"first":{"name":"a","children":[{"name":7,"children":[]}]},"others":[]})")));
    const weft::json_schema list{json::value(weft::json_schema_of<std::vector<tree>>())};
    BOOST_TEST(list.accepts(json::parse(R"([{"name":"a","children":[{"name":"b","children":[]}]}])")));
    BOOST_TEST(!list.accepts(json::parse(R"([{"name":"a","children":[[]]}])")));
}

BOOST_AUTO_TEST_CASE(a_type_with_its_own_conversion_says_its_schema)
{
    BOOST_TEST(weft::json_schema_of<bill>().at("properties").at("sum").at("type") == "string");
}

BOOST_AUTO_TEST_CASE(what_the_schema_accepts_the_reader_reads)
{
    const weft::json_schema compiled{json::value(weft::json_schema_of<request>())};
    const json::value good = json::parse(
        R"({"where":{"city":"Rome","height":null},"more":[{"city":"Oslo"}],"counts":{"a":1},"tags":["x"],)"
        R"("in":"kelvin","out":null,"home":null,"exact":true,"level":255,"at":[1,2.5],"anything":null,"members":{}})");
    BOOST_TEST(weft::text_of(compiled.mistakes(good)) == "");
    BOOST_CHECK_NO_THROW((void)weft::from_json<request>(good));
    json::value bad = good;
    bad.as_object()["level"] = 256;
    BOOST_TEST(!compiled.accepts(bad));
    bad = good;
    bad.as_object()["in"] = "rankine";
    BOOST_TEST(!compiled.accepts(bad));
    bad = good;
    bad.as_object()["where"].as_object()["town"] = "x";
    BOOST_TEST(weft::text_of(compiled.mistakes(bad)).find("$.where") == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
