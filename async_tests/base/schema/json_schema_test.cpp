#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json_schema.hpp>

#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

using weft::json_schema;
using weft::parse_json;

namespace {

json_schema schema(std::string_view text) { return json_schema{parse_json(text)}; }

/** All mistakes as one text; empty if the value is accepted, which `accepts` must say too. */
std::string mistakes(std::string_view of, std::string_view value)
{
    const json_schema compiled = schema(of);
    const std::string text = weft::text_of(compiled.mistakes(parse_json(value)));
    BOOST_TEST(compiled.accepts(parse_json(value)) == text.empty());
    return text;
}

/** Where a schema is wrong, and why. */
std::string refusal(std::string_view of)
{
    try {
        (void)schema(of);
    } catch (const weft::error& e) {
        BOOST_TEST((e.code() == weft::errc::unexpected_json));
        return e.where() + " " + e.detail();
    }
    return {};
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_SUITE(json_schema_test)

BOOST_AUTO_TEST_CASE(a_mistake_says_where_what_was_expected_and_what_was_found)
{
    const std::string_view person = R"({"type": "object", "required": ["city"], "additionalProperties": false,
        "properties": {"city": {"type": "string", "minLength": 2}, "age": {"type": "integer", "minimum": 0},
                       "mood": {"enum": ["good", "bad"]}, "tags": {"items": {"type": ["string", "null"]}}}})";
    BOOST_TEST(mistakes(person, R"({"city": "Rome", "age": 3.0, "mood": "good", "tags": ["a", null]})") == "");
    BOOST_TEST(mistakes(person, R"({"citty": "Rome"})") ==
               "$: lacks the member 'city'; $: has the unknown member 'citty' (did you mean 'city'?)");
    BOOST_TEST(mistakes(person, R"({"city": "R", "age": "x", "mood": "so", "tags": ["a", 1]})") ==
               "$.city: needs at least 2 characters, has 1; $.age: expected an integer, got the string 'x'; "
               "$.mood: is none of 'good', 'bad': got the string 'so'; "
               "$.tags[1]: expected null or a string, got the integer 1");
    BOOST_TEST(mistakes(person, R"({"city": "Rome", "age": -1})") == "$.age: must be at least 0, got -1");
    BOOST_TEST(mistakes(person, "[1]") == "$: expected an object, got an array of 1 item");
}

BOOST_AUTO_TEST_CASE(alternatives_say_why_each_does_not_fit)
{
    const std::string_view maybe = R"({"anyOf": [{"type": "string"}, {"type": "null"}]})";
    BOOST_TEST(mistakes(maybe, "null") == "");
    BOOST_TEST(mistakes(maybe, "3") ==
               "$: fits none of 2 alternatives: expected a string, got the integer 3; "
               "expected null, got the integer 3");
    const std::string_view one = R"({"oneOf": [{"minimum": 3}, {"maximum": 4}, false]})";
    BOOST_TEST(mistakes(one, "5") == "");
    BOOST_TEST(mistakes(one, "3") ==
               "$: fits more than one of 3 alternatives, number 1 and number 2, and must fit exactly one");
    BOOST_TEST(mistakes(R"({"oneOf": [{"required": ["a"]}]})", "{}") == "$: lacks the member 'a'");
    BOOST_TEST(mistakes(R"({"if": {"required": ["a"]}, "then": {"required": ["b"]}})", R"({"a": 1})") ==
               "$: lacks the member 'b'");
    BOOST_TEST(has(mistakes(R"({"not": {"type": "string"}})", "\"x\""), "forbidden"));
}

BOOST_AUTO_TEST_CASE(numbers_are_compared_exactly)
{
    BOOST_TEST(mistakes(R"({"maximum": 9007199254740993})", "9007199254740993") == "");
    BOOST_TEST(mistakes(R"({"maximum": 9007199254740992.0})", "9007199254740993") != "");
    BOOST_TEST(mistakes(R"({"minimum": 18446744073709551615})", "1.8446744073709552e19") == "");
    BOOST_TEST(mistakes(R"({"exclusiveMinimum": -9223372036854775808})", "-9223372036854775808.0") != "");
    BOOST_TEST(mistakes(R"({"exclusiveMaximum": 3})", "2.9999999999999996") == "");
    BOOST_TEST(mistakes(R"({"multipleOf": 0.1})", "0.3") == "");
    BOOST_TEST(mistakes(R"({"multipleOf": 0.01})", "4.35") == "");
    BOOST_TEST(mistakes(R"({"multipleOf": 0.01})", "4.355") == "$: must be a multiple of 1E-2, got 4.355E0");
    BOOST_TEST(mistakes(R"({"multipleOf": 18446744073709551615})", "18446744073709551615") == "");
    BOOST_TEST(mistakes(R"({"multipleOf": 18446744073709551557})", "18446744073709551615") != "");
    BOOST_TEST(mistakes(R"({"multipleOf": 7})", "-49") == "");
    BOOST_TEST(mistakes(R"({"const": 1})", "1.0") == "");
    BOOST_TEST(mistakes(R"({"uniqueItems": true})", "[1, 2, 1.0]") ==
               "$[2]: is the same as item 0, and the items must differ: got the number 1E0");
    BOOST_TEST(mistakes(R"({"uniqueItems": true})", R"([{"a": 1, "b": 2}, {"b": 2, "a": 1}])") != "");
    BOOST_TEST(mistakes(R"({"uniqueItems": true})", R"([true, 1, "1", [1], {"1": 1}, null, 0, false])") == "");
}

BOOST_AUTO_TEST_CASE(texts_are_measured_and_matched_in_code_points)
{
    BOOST_TEST(mistakes(R"({"maxLength": 2})", R"("é𝄞")") == "");
    BOOST_TEST(mistakes(R"({"pattern": "^.$"})", R"("𝄞")") == "");
    BOOST_TEST(mistakes(R"({"pattern": "^[а-я]+$"})", R"("мир")") == "");
    BOOST_TEST(mistakes(R"({"pattern": "^\\u00e9\\u{1D11E}$"})", R"("é𝄞")") == "");
    BOOST_TEST(mistakes(R"({"pattern": "^a$"})", R"("x\na\ny")") != "");
    BOOST_TEST(mistakes(R"({"pattern": "^a.b$"})", R"("a\nb")") != "");
    BOOST_TEST(mistakes(R"({"pattern": "^[[a]$"})", R"("[")") == "");
    BOOST_TEST(mistakes(R"({"pattern": "^(?<y>\\d{4})-(?:0[1-9]|1[0-2])(?!x)$"})", R"("2024-11")") == "");
    BOOST_TEST(mistakes(R"({"pattern": "^\\d+$"})", R"("12x")") ==
               "$: does not match the pattern '^\\d+$', got the string '12x'");
}

BOOST_AUTO_TEST_CASE(patterns_that_mean_something_else_elsewhere_are_refused)
{
    BOOST_TEST(has(refusal(R"({"pattern": "("})"), "$.pattern in a JSON Schema: is no regular expression: "));
    for (const std::string_view pattern : {R"(\\p{L})", R"(\\Aa\\z)", R"(\\Qa\\E)", "(?R)", "(?i)a", "(*FAIL)", "[]a]",
                                           R"(\\uD83D\\uDE00)", R"(\\u12)", R"(\\u{110000})", R"(\\<a)"})
        BOOST_TEST(refusal(R"({"pattern": ")" + std::string{pattern} + R"("})") != "", pattern);
    BOOST_TEST(has(refusal(R"({"patternProperties": {"[": true}})"), R"($.patternProperties["["])"));
}

BOOST_AUTO_TEST_CASE(a_pattern_ends_whatever_the_text)
{
    const std::string many(100'000, 'a');
    for (const std::string_view pattern : {"^(a+)+$", "^(a|aa)+$", "^(a|b)*c", "((a*)*)*$x", "(.*)(.*)(.*)(.*)x"}) {
        const json_schema compiled = schema(R"({"pattern": ")" + std::string{pattern} + R"("})");
        const auto found = compiled.mistakes(boost::json::value(many + "!"));
        BOOST_REQUIRE(found.size() == 1U);
        BOOST_TEST(!compiled.accepts(boost::json::value(many + "!")));
    }
    BOOST_TEST(has(mistakes(R"({"not": {"pattern": "^(a+)+$"}})", '"' + std::string(60, 'a') + "!\""),
                   "$: could not be checked to the end"));
    BOOST_TEST(schema(R"({"pattern": "^[a-z]+$"})").accepts(boost::json::value(many)));
}

BOOST_AUTO_TEST_CASE(references_reach_any_part_of_the_document)
{
    const std::string_view tree = R"({"$ref": "#/$defs/a~1b%20c", "$defs": {"a/b c": {"type": "object",
        "properties": {"next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}, "required": ["next"]}}})";
    BOOST_TEST(mistakes(tree, R"({"next": {"next": null}})") == "");
    BOOST_TEST(has(mistakes(tree, R"({"next": {"next": 1}})"), "$.next.next: fits none of 2 alternatives"));
    BOOST_TEST(mistakes(R"({"properties": {"a": {"type": "string"}, "b": {"$ref": "#/properties/a"}}})",
                        R"({"b": 1})") == "$.b: expected a string, got the integer 1");
    BOOST_TEST(mistakes(R"({"allOf": [{"minimum": 1}, {"$ref": "#/allOf/0"}]})", "0") ==
               "$: must be at least 1, got 0");
    BOOST_TEST(mistakes(R"({"$id": "urn:x", "$ref": "urn:x#/$defs/a", "$defs": {"a": {"type": "null"}}})", "1") != "");
}

BOOST_AUTO_TEST_CASE(a_reference_that_cannot_be_followed_is_refused)
{
    BOOST_TEST(refusal(R"({"properties": {"a": {"$ref": "#/$defs/x"}}})") ==
               "$ in a JSON Schema: has no '$defs', which the $ref '#/$defs/x' at $.properties.a[\"$ref\"] refers to");
    BOOST_TEST(has(refusal(R"({"$ref": "other.json#/a"})"), "another document, 'other.json'"));
    BOOST_TEST(has(refusal(R"({"$ref": "#name"})"), "an anchor, 'name'"));
    BOOST_TEST(has(refusal(R"({"allOf": [true], "$ref": "#/allOf/01"})"), "has no '01'"));
    BOOST_TEST(has(refusal(R"({"$defs": {"a": 3}, "$ref": "#/$defs/a"})"), R"($["$defs"].a)"));
    for (const std::string_view endless : {R"({"$ref": "#"})", R"({"anyOf": [{"type": "null"}, {"$ref": "#"}]})",
                                           R"({"$defs": {"a": {"not": {"$ref": "#/$defs/b"}},
                                                         "b": {"allOf": [{"$ref": "#/$defs/a"}]}}})"})
        BOOST_TEST(has(refusal(endless), "refers to itself without end"), endless);
}

BOOST_AUTO_TEST_CASE(what_nothing_would_check_is_refused)
{
    BOOST_TEST(has(refusal(R"({"properties": {"a": {"unevaluatedProperties": false}}})"),
                   "$.properties.a.unevaluatedProperties in a JSON Schema: is a keyword that is not supported"));
    for (const std::string_view keyword : {R"("$dynamicRef": "#a")", R"("$recursiveRef": "#")",
                                           R"("unevaluatedItems": false)"})
        BOOST_TEST(refusal("{" + std::string{keyword} + "}") != "");
    BOOST_TEST(has(refusal(R"({"items": {"$id": "http://x/y"}})"), "a name of its own"));
}

BOOST_AUTO_TEST_CASE(a_schema_of_wrong_shape_is_refused_at_its_place)
{
    const std::vector<std::pair<std::string_view, std::string_view>> cases{
        {R"([])", "$ in a JSON Schema: is no schema"},
        {R"({"type": "strin"})", "$.type in a JSON Schema: there is no type 'strin' (did you mean 'string'?)"},
        {R"({"type": []})", "$.type"},
        {R"({"type": ["null", 3]})", "$.type[1]"},
        {R"({"properties": []})", "$.properties in a JSON Schema: expected an object, got an array of 0 items"},
        {R"({"properties": {"a": "string"}})", "$.properties.a in a JSON Schema: is no schema"},
        {R"({"required": "a"})", "$.required"},
        {R"({"required": [1]})", "$.required[0]"},
        {R"({"enum": "a"})", "$.enum"},
        {R"({"anyOf": []})", "$.anyOf in a JSON Schema: has no alternatives"},
        {R"({"minimum": "1"})", "$.minimum"},
        {R"({"exclusiveMinimum": true})", "$.exclusiveMinimum in a JSON Schema: expected a number, got true"},
        {R"({"multipleOf": 0})", "$.multipleOf"},
        {R"({"minItems": -1})", "$.minItems"},
        {R"({"minItems": 1.5})", "$.minItems"},
        {R"({"uniqueItems": "yes"})", "$.uniqueItems"},
        {R"({"dependentRequired": {"a": {}}})", "$.dependentRequired.a"},
        {R"({"$defs": {"unused": {"pattern": 3}}})", R"($["$defs"].unused.pattern)"},
        {R"({"type": "string", "nullable": "yes"})", "$.nullable"},
    };
    for (const auto& [text, begin] : cases)
        BOOST_TEST(refusal(text).starts_with(begin), text << " gives: " << refusal(text));
}

BOOST_AUTO_TEST_CASE(older_forms_are_understood)
{
    BOOST_TEST(mistakes(R"({"type": "string", "nullable": true})", "null") == "");
    BOOST_TEST(mistakes(R"({"type": "string", "nullable": false})", "null") != "");
    const std::string_view pair = R"({"items": [{"type": "string"}, {"type": "number"}], "additionalItems": false})";
    BOOST_TEST(mistakes(pair, R"(["a", 1])") == "");
    BOOST_TEST(mistakes(pair, R"(["a", 1, 2])") == "$[2]: must not be there: the schema allows no value");
    BOOST_TEST(mistakes(R"({"additionalItems": false})", "[1]") == "");
    BOOST_TEST(mistakes(R"({"dependencies": {"a": ["b"], "c": {"required": ["d"]}}})", R"({"a": 1, "c": 1})") ==
               "$: lacks the member 'b', which 'a' needs; $: lacks the member 'd'");
    BOOST_TEST(mistakes(R"({"definitions": {"a": {"type": "null"}}, "$ref": "#/definitions/a"})", "1") != "");
    BOOST_TEST(mistakes(R"({"format": "email", "title": 3, "x-own": [], "default": 1})", R"("no")") == "");
}

BOOST_AUTO_TEST_CASE(a_large_schema_is_refused_and_a_long_check_ends)
{
    boost::json::value deep = true;
    for (int i = 0; i < 100; ++i) deep = boost::json::object{{"not", deep}};
    BOOST_CHECK_THROW((json_schema{deep}), weft::error);
    BOOST_CHECK_THROW((json_schema(parse_json(R"({"enum": [1, 2, 3]})"), {.values_max = 3})), weft::error);
    BOOST_CHECK_THROW((json_schema(parse_json(R"({"pattern": "abc"})"), {.pattern_bytes_max = 2})), weft::error);

    const json_schema bounded(parse_json(R"({"items": {"type": "integer"}})"), {.steps_max = 10});
    BOOST_TEST(bounded.accepts(parse_json("[1, 2, 3]")));
    const boost::json::value long_list = boost::json::array(20, 1);
    BOOST_TEST(!bounded.accepts(long_list));
    BOOST_TEST(weft::text_of(bounded.mistakes(long_list)) ==
               "$: could not be checked to the end: it would take more steps than a check may take");

    boost::json::value chain = nullptr;
    for (int i = 0; i < 2000; ++i) chain = boost::json::array{chain};
    BOOST_TEST(has(weft::text_of(schema(R"({"items": {"$ref": "#"}})").mistakes(chain)), "nested deeper"));
    BOOST_TEST(has(weft::text_of(schema(R"({"uniqueItems": true})").mistakes(boost::json::array{chain, 1})), "deeper"));
}

BOOST_AUTO_TEST_CASE(no_more_mistakes_than_asked_for_and_none_twice)
{
    const json_schema compiled = schema(R"({"items": {"type": "string"}})");
    BOOST_TEST(compiled.mistakes(boost::json::array(50, 1)).size() == 20U);
    BOOST_TEST(compiled.mistakes(boost::json::array(50, 1), 3).size() == 3U);
    BOOST_TEST(compiled.mistakes(boost::json::array(50, 1), 0).size() == 1U);
    BOOST_TEST(schema(R"({"allOf": [{"type": "null"}, {"type": "null"}]})").mistakes(1).size() == 1U);
}

BOOST_AUTO_TEST_CASE(long_values_are_cut_between_code_points)
{
    std::string text = "x";
    for (int i = 0; i < 100; ++i) text += "é";
    const std::string shown = weft::text_of(schema(R"({"type": "null"})").mistakes(boost::json::value(text)));
    BOOST_TEST(shown.size() < 120U);
    BOOST_TEST(has(shown, "é…'"));
}

BOOST_AUTO_TEST_CASE(a_schema_read_inside_a_document_names_places_of_that_document)
{
    const weft::json_path whole;
    const weft::json_path at{whole, "city"};
    std::vector<std::string> told;
    const auto tell = [&](const weft::json_path& where, const std::string& text) {
        told.push_back(where.text() + " " + text);
    };
    BOOST_TEST(!json_schema::read(parse_json(R"({"$ref": "#/$defs/a", "$defs": {"a": {"type": 3}}})"), at, tell));
    BOOST_REQUIRE(told.size() == 1U);
    BOOST_TEST(told[0] == "$.city[\"$defs\"].a.type expected a string, got the integer 3");
    const auto made = json_schema::read(parse_json(R"({"type": "null"})"), at, tell);
    BOOST_REQUIRE(made);
    BOOST_TEST(told.size() == 1U);
    BOOST_TEST(made->document() == parse_json(R"({"type": "null"})"));
    BOOST_TEST(weft::text_of(made->mistakes(1)) == "$: expected null, got the integer 1");
}

BOOST_AUTO_TEST_CASE(all_mistakes_of_a_schema_are_told_at_once)
{
    BOOST_TEST(refusal(R"({"type": "texts", "required": 3, "properties": {"a": 1, "b": {"minimum": "x"}},
                           "items": {"$ref": "#/$defs/none"}})") ==
               refusal(R"({"type": "texts"})") +
                   "; $.required: expected an array, got the integer 3; "
                   "$.properties.a: is no schema: give an object, true or false; "
                   "$.properties.b.minimum: expected a number, got the string 'x'; "
                   "$: has no '$defs', which the $ref '#/$defs/none' at $.items[\"$ref\"] refers to");
    std::vector<std::string> told;
    const weft::json_path whole;
    const auto tell = [&](const weft::json_path&, std::string text) { told.push_back(std::move(text)); };
    BOOST_TEST(!json_schema::read(boost::json::object{{"allOf", boost::json::array(500, 1)}}, whole, tell));
    BOOST_TEST(told.size() == 100U);
}

BOOST_AUTO_TEST_CASE(several_threads_check_at_once)
{
    const json_schema shared = schema(R"({"items": {"pattern": "^a+$", "minLength": 1}, "uniqueItems": true})");
    const boost::json::value good = parse_json(R"(["a", "aa", "aaa"])");
    std::atomic<int> accepted = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&accepted, &good, copy = shared] {
            for (int k = 0; k < 200; ++k) accepted += copy.accepts(good) ? 1 : 0;
        });
    threads.clear();
    BOOST_TEST(accepted == 800);
}

BOOST_AUTO_TEST_SUITE_END()
