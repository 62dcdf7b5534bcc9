#include "agent/turns.hpp"

#include "agent/node/turn_calls.hpp"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(turn_calls_test)

namespace {

using weft::calls_in_text;

/** `name(arguments)` of each call, then the text that is left. */
std::string found(std::string_view text)
{
    const calls_in_text result = weft::find_calls_in_text(text, weft_tests::turn_tools());
    std::string told;
    for (const weft::tool_call& call : result.calls) told += call.name + "(" + call.arguments + ") ";
    return told + "'" + result.text + "'";
}

std::string ids_of(const weft::message& said)
{
    std::string text;
    for (const weft::tool_call& call : said.tool_calls) text += call.id + " ";
    return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(calls_in_tags_are_found_and_taken_out)
{
    BOOST_TEST(found(R"(Let me see. <tool_call>{"name":"look","arguments":{"x":1}}</tool_call>)") ==
               R"(look({"x":1}) 'Let me see. ')");
    BOOST_TEST(found("<tool_call>\n{\"name\":\"look\",\"arguments\":{\"x\":1}}\n</tool_call> and "
                     "<tool_call>{\"name\":\"rest\"}</tool_call>") == R"(look({"x":1}) rest({}) ' and ')");
    BOOST_TEST(found(R"(<function_call>[{"tool":"look","args":{"x":1}},{"tool":"look","args":"{\"x\":2}"}])"
                     R"(</function_call>)") == R"(look({"x":1}) look({"x":2}) '')");
}

BOOST_AUTO_TEST_CASE(calls_in_fences_lists_and_bare_json_are_found)
{
    BOOST_TEST(found("```json\n{\"name\": \"look\", \"parameters\": {\"x\": 1}}\n```") == R"(look({"x":1}) '')");
    BOOST_TEST(found(R"({"type":"function","function":{"name":"look","arguments":{"x":1}}})") ==
               R"(look({"x":1}) '')");
    BOOST_TEST(found(R"(Well. [TOOL_CALLS] [{"name":"look","arguments":{"x":1}}])") == R"(look({"x":1}) 'Well. ')");
}

BOOST_AUTO_TEST_CASE(what_is_no_call_stays_text)
{
    for (const std::string text :
         {"Plain words.", R"(<tool_call>{"name":"look","arguments":{"x":1})", "<tool_call>look</tool_call>",
          R"(<tool_call>{"name":"unknown","arguments":{}}</tool_call>)", R"({"name":"look"})",
          R"({"name":"Ann","arguments":{"x":1}})", "```json\n{\"name\": \"look\"}\n```", "[]", "[TOOL_CALLS] []", ""})
        BOOST_TEST(found(text) == "'" + text + "'");
    std::string many = "[";
    for (int i = 0; i < 46; ++i) many += R"({"name":"look","arguments":{}},)";
    many.back() = ']';
    BOOST_TEST(found(many) == "'" + many + "'");
    BOOST_TEST(weft::find_calls_in_text(R"({"name":"look","arguments":{}})", weft::tool_set{}).calls.empty());
}

BOOST_AUTO_TEST_CASE(calls_are_distinct_and_have_ids)
{
    weft::message said = weft::message::assistant("x");
    said.tool_calls = {{.id = "a", .name = "look"}, {.id = "a", .name = "rest"}, {.name = "look"}, {.name = "look"}};
    said.provider = weft::provider_data{};
    const std::optional<weft::message> proper = weft::with_proper_calls(said, weft_tests::turn_tools(), "p-");
    BOOST_REQUIRE(proper.has_value());
    BOOST_TEST(ids_of(*proper) == "a p-1 p-2 ");
    BOOST_TEST(proper->tool_calls.front().name == "look");
    BOOST_TEST(!proper->provider);
    BOOST_TEST(!weft::with_proper_calls(*proper, weft_tests::turn_tools(), "p-").has_value());
}

BOOST_AUTO_TEST_CASE(a_message_with_calls_in_its_text_gets_them)
{
    const std::string text = R"(Let me see. <tool_call>{"name":"look","arguments":{"x":1}}</tool_call>)";
    const auto proper =
        weft::with_proper_calls(weft::message::assistant(text), weft_tests::turn_tools(), "call-4-");
    BOOST_REQUIRE(proper.has_value());
    BOOST_TEST(proper->text() == "Let me see.");
    BOOST_TEST(ids_of(*proper) == "call-4-1 ");
    BOOST_TEST(!weft::with_proper_calls(weft::message::assistant("Plain."), weft_tests::turn_tools(), "p").has_value());
}

BOOST_AUTO_TEST_SUITE_END()
