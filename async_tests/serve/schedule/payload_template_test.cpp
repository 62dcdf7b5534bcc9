#include <boost/test/unit_test.hpp>

#include "serve/schedule/payload_template.hpp"

#include <weft/base/json.hpp>

#include <boost/json/serialize.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(payload_template_test)

std::string filled(std::string_view pattern, std::string_view payload)
{
    return boost::json::serialize(
        weft::serve_detail::filled_input(weft::parse_json(pattern).as_object(), weft::parse_json(payload)));
}

BOOST_AUTO_TEST_CASE(references_stand_for_what_came)
{
    const char* const payload = R"({"order":{"id":7,"note":"soon"},"a":[1]})";
    BOOST_TEST(filled(R"({"text":"$payload.order.note","n":"$payload.order.id"})", payload) ==
               R"({"text":"soon","n":7})");
    BOOST_TEST(filled(R"({"all":"$payload","list":["$payload.a","x",1,null]})", R"({"a":[1]})") ==
               R"({"all":{"a":[1]},"list":[[1],"x",1,null]})");
    BOOST_TEST(filled("{}", payload) == R"({"order":{"id":7,"note":"soon"},"a":[1]})");
    BOOST_TEST(filled("{}", "[1]") == "{}");
}

BOOST_AUTO_TEST_CASE(what_is_not_there_is_left_out)
{
    BOOST_TEST(filled(R"({"a":"$payload.x","b":"$payload.y.z.","c":{"d":"$payload.x.y"},"e":["$payload.x"]})",
                      R"({"y":1})") == R"({"c":{},"e":[]})");
}

BOOST_AUTO_TEST_CASE(other_texts_stay_as_they_are)
{
    BOOST_TEST(filled(R"({"a":"$$payload","b":"$payloads","c":"to $payload","d":"$"})", "{}") ==
               R"({"a":"$payload","b":"$payloads","c":"to $payload","d":"$"})");
    // A payload that looks like a reference leads nowhere.
    BOOST_TEST(filled(R"({"a":"$payload.x"})", R"({"x":"$payload.secret","secret":1})") ==
               R"({"a":"$payload.secret"})");
}

BOOST_AUTO_TEST_SUITE_END()
