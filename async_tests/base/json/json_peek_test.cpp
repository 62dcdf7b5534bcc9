#include <weft/base/json/json_peek.hpp>

#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

namespace weft {

namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(json_peek_test)

json::object object_of(std::string_view text) { return json::parse(text).get_object(); }

BOOST_AUTO_TEST_CASE(what_is_missing_null_or_of_another_type_is_not_given)
{
    const json::object in = object_of(R"({"null":null,"text":"t","list":[1],"object":{"a":1},"flag":true})");
    BOOST_TEST(!peek_member(in, "none"));
    BOOST_TEST(!peek_member(in, "null"));
    BOOST_TEST(peek_member(in, "text"));
    BOOST_TEST(peek_text(in, "text") == "t");
    for (const char* name : {"none", "null", "list", "object", "flag"}) {
        BOOST_TEST(peek_text(in, name).empty(), name);
        BOOST_TEST(!peek_count(in, name), name);
        BOOST_TEST(!peek_number(in, name), name);
    }
    BOOST_TEST(peek_text(nullptr).empty());
    BOOST_TEST(peek_object(in, "object")->size() == 1U);
    BOOST_TEST(peek_array(in, "list")->size() == 1U);
    for (const char* name : {"none", "null", "text"}) {
        BOOST_TEST(!peek_object(in, name), name);
        BOOST_TEST(!peek_array(in, name), name);
        BOOST_TEST(peek_flag(in, name, true), name);
        BOOST_TEST(!peek_flag(in, name, false), name);
    }
    BOOST_TEST(peek_flag(in, "flag", false));
}

BOOST_AUTO_TEST_CASE(a_count_is_whole_and_not_negative_however_it_is_written)
{
    const json::object in = object_of(
        R"({"a":3,"b":3.0,"c":-1,"d":2.5,"e":1e300,"f":18446744073709551615,"g":-0.0,"h":9223372036854775807})");
    BOOST_TEST(peek_count(in, "a").value() == 3);
    BOOST_TEST(peek_count(in, "b").value() == 3);
    for (const char* name : {"c", "d", "e", "f"}) BOOST_TEST(!peek_count(in, name), name);
    BOOST_TEST(peek_count(in, "g").value() == 0);
    BOOST_TEST(peek_count(in, "h").value() == INT64_MAX);
}

BOOST_AUTO_TEST_CASE(a_whole_number_may_be_negative_but_not_beyond_what_a_double_holds_exactly)
{
    const json::object in = object_of(R"({"a":-3.0,"b":9007199254740993,"c":1e17,"d":0.5,"e":"1"})");
    BOOST_TEST(peek_whole(in.at("a")).value() == -3);
    BOOST_TEST(peek_whole(in.at("b")).value() == 9007199254740993);
    for (const char* name : {"c", "d", "e"}) BOOST_TEST(!peek_whole(in.at(name)), name);
}

BOOST_AUTO_TEST_CASE(a_number_is_a_double_whatever_it_is_written_as)
{
    const json::object in = object_of(R"({"a":-3,"b":18446744073709551615,"c":0.5})");
    BOOST_TEST(peek_number(in, "a").value() == -3.0);
    BOOST_TEST(peek_number(in, "b").value() == 18446744073709551615.0);
    BOOST_TEST(peek_number(in, "c").value() == 0.5);
}

BOOST_AUTO_TEST_CASE(a_count_that_is_not_given_leaves_the_one_before)
{
    const json::object in = object_of(R"({"a":3,"b":null})");
    std::optional<std::int64_t> count = 7;
    replace_count(count, in, "b");
    BOOST_TEST(count.value() == 7);
    replace_count(count, in, "a");
    BOOST_TEST(count.value() == 3);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace weft
