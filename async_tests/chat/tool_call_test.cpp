#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/chat/tool_call.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>
#include <boost/json/value_to.hpp>

BOOST_AUTO_TEST_SUITE(tool_call_test)

using weft::errc;
using weft::tool_call;

namespace {

tool_call call_with(std::string arguments)
{
    tool_call call;
    call.id = "call_a";
    call.name = "add";
    call.arguments = std::move(arguments);
    return call;
}

auto is(errc code, std::string_view text)
{
    return [code, text](const weft::error& e) {
        return e.code() == code && std::string_view{e.what()}.find(text) != std::string_view::npos;
    };
}

}  // namespace

BOOST_AUTO_TEST_CASE(arguments_are_read_as_an_object)
{
    BOOST_TEST(weft::parse_arguments(call_with(R"( {"x":1} )")).at("x").as_int64() == 1);
}

BOOST_AUTO_TEST_CASE(arguments_that_were_encoded_twice_are_read_once_more)
{
    BOOST_TEST(weft::parse_arguments(call_with(R"("{\"x\":1}")")).at("x").as_int64() == 1);
}

BOOST_AUTO_TEST_CASE(arguments_that_were_encoded_three_times_are_refused)
{
    BOOST_CHECK_EXCEPTION((void)weft::parse_arguments(call_with(R"("\"{}\"")")), weft::error,
                          is(errc::unexpected_json, "arguments of add"));
}

BOOST_AUTO_TEST_CASE(cut_arguments_are_refused_with_the_place)
{
    BOOST_CHECK_EXCEPTION((void)weft::parse_arguments(call_with(R"({"amount":10)")), weft::error,
                          is(errc::invalid_json, "arguments of add: the text is not JSON: line 1, column 13"));
}

BOOST_AUTO_TEST_CASE(arguments_that_are_no_object_are_refused)
{
    for (const char* text : {"[1]", "3", "null", "true"})
        BOOST_CHECK_EXCEPTION((void)weft::parse_arguments(call_with(text)), weft::error,
                              is(errc::unexpected_json, "expected an object"));
}

BOOST_AUTO_TEST_CASE(arguments_nested_without_end_are_refused)
{
    BOOST_CHECK_EXCEPTION((void)weft::parse_arguments(call_with(std::string(100'000, '['))), weft::error,
                          is(errc::invalid_json, "nested deeper"));
}

BOOST_AUTO_TEST_CASE(json_keeps_wrong_arguments_as_they_are)
{
    const tool_call call = call_with("{\"x\":");
    BOOST_TEST(boost::json::serialize(weft::to_json(call)) == R"({"id":"call_a","name":"add","arguments":"{\"x\":"})");
    BOOST_TEST((weft::from_json<tool_call>(weft::to_json(call)) == call));
}

BOOST_AUTO_TEST_CASE(json_reads_back_as_it_was)
{
    tool_call call = call_with("free words");
    call.input = weft::tool_input::text;
    call.extra = weft::parse_json(R"({"google":{"thought_signature":"abc"}})");
    BOOST_TEST((weft::from_json<tool_call>(weft::to_json(call)) == call));
    BOOST_TEST((boost::json::value_to<tool_call>(boost::json::value_from(call)) == call));
}

BOOST_AUTO_TEST_CASE(mistakes_in_json_are_named)
{
    const auto read = [](std::string_view text) { return weft::from_json<tool_call>(weft::parse_json(text)); };
    BOOST_CHECK_EXCEPTION(read(R"({"id":"a","arguments":"{}"})"), weft::error, is(errc::unexpected_json, "\"name\""));
    BOOST_CHECK_EXCEPTION(read(R"({"id":7,"name":"f","arguments":"{}"})"), weft::error,
                          is(errc::unexpected_json, "$.id"));
    BOOST_CHECK_EXCEPTION(read(R"({"id":"a","name":"f","arguments":"{}","input":"voice"})"), weft::error,
                          is(errc::unexpected_json, "$.input"));
}

BOOST_AUTO_TEST_SUITE_END()
