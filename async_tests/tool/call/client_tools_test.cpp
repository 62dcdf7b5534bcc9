#include <weft/tool/call/client_tools.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/tool/call/client_call.hpp>

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <string>

using weft::client_tools;
using weft::client_tools_offer;

BOOST_AUTO_TEST_SUITE(client_tools_test)

namespace {

client_tools read(std::string_view text) { return weft::from_json<client_tools>(weft::parse_json(text)); }

/** Where the mistake is, and what. */
std::string fault_in(std::string_view text)
{
    try {
        (void)read(text);
    } catch (const weft::error& e) {
        return e.where() + ": " + e.detail();
    }
    return "none";
}

void check_fault(std::string_view text, std::string_view place, std::string_view part)
{
    const std::string fault = fault_in(text);
    BOOST_TEST(fault.starts_with(std::string{place} + ": "), fault);
    BOOST_TEST(fault.find(part) != std::string::npos, fault);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_forms_of_all_protocols_are_read)
{
    const client_tools read_tools = read(R"({"tools": [
        {"type": "function", "function": {"name": "a", "description": "A.", "parameters": {"type": "object"}}},
        {"type": "function", "name": "b", "strict": true, "parameters": {"type": "object", "properties": {}}},
        {"name": "c", "description": "C.", "inputSchema": {"type": "object"}},
        {"name": "d"}]})");
    BOOST_TEST_REQUIRE(read_tools.tools.size() == 4u);
    BOOST_TEST(read_tools.tools[0].name == "a");
    BOOST_TEST(read_tools.tools[0].description == "A.");
    BOOST_TEST(read_tools.tools[1].strict);
    BOOST_TEST(boost::json::serialize(read_tools.tools[2].parameters) == R"({"type":"object"})");
    BOOST_TEST(read_tools.tools[3].parameters.is_null());
    BOOST_TEST((read_tools.choice == weft::tool_choice{}));
    BOOST_TEST(read(R"([{"name": "a"}])").tools.size() == 1u);
}

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back)
{
    for (const std::string_view choice : {R"("auto")", R"("none")", R"("required")", R"({"name": "a"})",
                                          R"({"type": "function", "function": {"name": "a"}})"}) {
        const client_tools given = read(R"({"tools": [{"name": "a", "description": "A.", "strict": true,
            "parameters": {"type": "object"}}], "parallel_tool_calls": false, "tool_choice": )" + std::string{choice} +
                                        "}");
        BOOST_TEST((weft::from_json<client_tools>(weft::to_json(given)) == given), choice);
        BOOST_TEST((given.in_parallel == false));
    }
}

BOOST_AUTO_TEST_CASE(mistakes_say_their_place)
{
    check_fault("7", "$", "expected a list of tools");
    check_fault(R"({"tools": 7})", "$.tools", "expected a list");
    check_fault(R"({"tools": [7]})", "$.tools[0]", "expected an object");
    check_fault(R"({"tools": [{"type": "web_search"}]})", "$.tools[0].type", "'web_search' is not supported");
    check_fault(R"({"tools": [{"type": "function", "function": 1}]})", "$.tools[0].function", "expected an object");
    check_fault(R"({"tools": [{"type": "function", "function": {}}]})", "$.tools[0].function.name", "is required");
    check_fault(R"({"tools": [{"name": "a b"}]})", "$.tools[0].name", "1 to 64 letters");
    check_fault(R"({"tools": [{"name": "a"}, {"name": "a"}]})", "$.tools[1]", "choose another name");
    check_fault(R"({"tools": [{"name": "a", "parameters": {"type": "array"}}]})", "$.tools[0].parameters.type",
                "arguments are an object");
    check_fault(R"({"tools": [{"name": "a", "parameters": {"type": "object", "properties": {"x": {"type": "no"}}}}]})",
                "$.tools[0].parameters.properties.x.type", "");
    check_fault(R"({"tools": [{"name": "a"}], "tool_choice": "b"})", "$.tool_choice", "expected auto");
    check_fault(R"({"tools": [{"name": "a"}], "tool_choice": {"name": "b"}})", "$.tool_choice", "none of the tools");
    check_fault(R"({"tools": [{"name": "a"}], "parallel_tool_calls": 1})", "$.parallel_tool_calls", "true or false");
}

BOOST_AUTO_TEST_CASE(too_many_and_too_long_tools_are_refused)
{
    boost::json::array many;
    for (std::size_t i = 0; i <= client_tools::count_max; ++i)
        many.push_back(boost::json::object{{"name", "t" + std::to_string(i)}});
    check_fault(boost::json::serialize(many), "$", "expected at most 128");
    many.pop_back();
    BOOST_TEST(fault_in(boost::json::serialize(many)) == "none");
    const boost::json::object tool{{"name", "a"}, {"description", std::string(client_tools::bytes_max, 'x')}};
    check_fault(boost::json::serialize(boost::json::array{tool}), "$", "bytes of JSON");
}

BOOST_AUTO_TEST_CASE(an_offer_is_a_flag_or_names)
{
    const auto offer = [](std::string_view text) {
        return weft::from_json<client_tools_offer>(weft::parse_json(text));
    };
    BOOST_TEST(offer("true").has("anything"));
    BOOST_TEST(offer("false").is_none());
    BOOST_TEST(offer(R"(["a", "b"])").has("b"));
    BOOST_TEST(!offer(R"(["a", "b"])").has("c"));
    BOOST_TEST(boost::json::serialize(weft::to_json(offer(R"(["a"])"))) == R"(["a"])");
    BOOST_TEST(boost::json::serialize(weft::to_json(offer("true"))) == "true");
    BOOST_CHECK_THROW((void)offer(R"([1])"), weft::error);
    BOOST_CHECK_THROW((void)offer(R"("a")"), weft::error);
}

BOOST_AUTO_TEST_CASE(a_question_about_a_call_gives_the_call)
{
    const auto in = [](std::string_view text) { return weft::client_call_in(weft::parse_json(text)); };
    const auto call = in(R"({"type": "tool_call", "id": "c1", "name": "a", "args": {"x": 1}})");
    BOOST_TEST_REQUIRE(call.has_value());
    BOOST_TEST(call->id == "c1");
    BOOST_TEST(call->arguments == R"({"x":1})");
    BOOST_TEST(!in(R"({"tool": "a", "arguments": {}})"));
    BOOST_TEST(!in(R"({"type": "tool_call", "id": "", "name": "a", "args": {}})"));
    BOOST_TEST(!in("null"));
}

BOOST_AUTO_TEST_SUITE_END()
