#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include "model/gemini/gemini_provider.hpp"

#include <boost/json/serialize.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(gemini_request_test)

using weft::chat_request;
using weft::errc;
using weft::gemini_settings;
using weft::message;
using weft::model_detail::gemini_request_body;
namespace json = boost::json;

namespace {

chat_request hello()
{
    chat_request request;
    request.user("Say hello");
    return request;
}

json::object body(const chat_request& request, const gemini_settings& settings = {})
{
    return weft::parse_json(gemini_request_body(request, settings, "model-x")).as_object();
}

/** A member of the body as text; empty if it is not there. */
std::string member(const chat_request& request, std::string_view name, const gemini_settings& settings = {})
{
    const json::object all = body(request, settings);
    const json::value* found = all.if_contains(name);
    return found ? json::serialize(*found) : "";
}

std::string contents(const weft::list<message>& conversation, const gemini_settings& settings = {})
{
    return member(chat_request{conversation}, "contents", settings);
}

message with_calls(std::vector<weft::tool_call> calls, std::string_view parts = {})
{
    message m;
    m.role = weft::role::assistant;
    m.tool_calls = std::move(calls);
    if (parts.empty()) return m;
    m.provider = weft::provider_data{"gemini", "model-x",
                                     weft::parse_json(R"({"parts":)" + std::string{parts} + "}")};
    return m;
}

weft::tool_call call_of(std::string id, std::string name, std::string arguments)
{
    return {std::move(id), std::move(name), std::move(arguments), weft::tool_input::json, nullptr};
}

/** The calls of the transcript, as a reply of it has them. */
message added()
{
    return with_calls({call_of("m1", "add", R"({"x":1})"), call_of("m2", "add", R"({"x":2})")},
                      R"([{"call":"m1","has_id":false,"thoughtSignature":"CiQC"},{"call":"m2","has_id":false}])");
}

chat_request with_tool(std::string_view schema =
                           R"({"type":"object","properties":{"city":{"type":"string"}},"required":["city"]})")
{
    chat_request request = hello();
    weft::tool_spec spec;
    spec.name = "get_weather";
    spec.description = "The weather now";
    spec.parameters = weft::parse_json(schema);
    request.tool(spec);
    return request;
}

auto refuses(std::string_view where)
{
    return [where](const weft::error& e) { return e.code() == errc::invalid_configuration && e.where() == where; };
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_transcript_of_a_request_with_thoughts)
{
    gemini_settings settings;
    settings.includes_thoughts = true;
    BOOST_TEST(gemini_request_body(hello(), settings, "gemini-x") ==
               R"({"contents":[{"role":"user","parts":[{"text":"Say hello"}]}],)"
               R"("generationConfig":{"thinkingConfig":{"includeThoughts":true}}})");
    BOOST_TEST(gemini_request_body(hello(), {}, "gemini-x") ==
               R"({"contents":[{"role":"user","parts":[{"text":"Say hello"}]}]})");
}

BOOST_AUTO_TEST_CASE(the_transcript_of_tool_results)
{
    BOOST_TEST(contents({message::user("Add."), added(), message::tool_result("m1", "2"),
                         message::tool_result("m2", "3")}) ==
               R"([{"role":"user","parts":[{"text":"Add."}]},)"
               R"({"role":"model","parts":[{"functionCall":{"name":"add","args":{"x":1}},"thoughtSignature":"CiQC"},)"
               R"({"functionCall":{"name":"add","args":{"x":2}}}]},)"
               R"({"role":"user","parts":[{"functionResponse":{"name":"add","response":{"output":2}}},)"
               R"({"functionResponse":{"name":"add","response":{"output":3}}}]}])");
}

BOOST_AUTO_TEST_CASE(the_example_of_a_whole_request)
{
    chat_request request = with_tool();
    request.messages = {message::system("Be short."), message::user("Weather in Köln?")};
    request.temperature = 0.5;
    request.output_max = weft::tokens{1024};
    gemini_settings settings;
    settings.includes_thoughts = true;
    settings.thinking_budget = -1;
    settings.safety = {{"HARM_CATEGORY_HATE_SPEECH", "BLOCK_ONLY_HIGH"}};
    const json::value expected = weft::parse_json(
        R"({"systemInstruction":{"parts":[{"text":"Be short."}]},)"
        R"("contents":[{"role":"user","parts":[{"text":"Weather in Köln?"}]}],)"
        R"("tools":[{"functionDeclarations":[{"name":"get_weather","description":"The weather now",)"
        R"("parametersJsonSchema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]}],)"
        R"("generationConfig":{"temperature":0.5,"maxOutputTokens":1024,)"
        R"("thinkingConfig":{"includeThoughts":true,"thinkingBudget":-1}},)"
        R"("safetySettings":[{"category":"HARM_CATEGORY_HATE_SPEECH","threshold":"BLOCK_ONLY_HIGH"}]})");
    BOOST_TEST((json::value(body(request, settings)) == expected));
}

BOOST_AUTO_TEST_CASE(results_stand_in_the_order_of_the_calls)
{
    const std::string written = contents({message::user("a"), added(), message::tool_error("m2", "no clock"),
                                          message::tool_result("m1", "12.50"), message::user("and?")});
    BOOST_TEST(written.ends_with(
        R"({"role":"user","parts":[{"functionResponse":{"name":"add","response":{"output":"12.50"}}},)"
        R"({"functionResponse":{"name":"add","response":{"error":"no clock"}}}]},)"
        R"({"role":"user","parts":[{"text":"and?"}]}])"));
}

BOOST_AUTO_TEST_CASE(a_result_that_is_json_goes_as_it_is)
{
    const auto output = [](std::string text) {
        const std::string all =
            contents({message::user("a"), added(), message::tool_result("m1", std::move(text))});
        const json::value written = weft::parse_json(all);
        return json::serialize(written.at(2).at("parts").at(0).at("functionResponse").at("response"));
    };
    BOOST_TEST(output(R"({"t":[1,2]})") == R"({"output":{"t":[1,2]}})");
    BOOST_TEST(output("rain") == R"({"output":"rain"})");
    BOOST_TEST(output("") == R"({"output":""})");
    BOOST_TEST(output("true") == R"({"output":true})");
    BOOST_TEST(output("007") == R"({"output":"007"})");
}

BOOST_AUTO_TEST_CASE(ids_go_back_if_the_provider_gave_them)
{
    const message m = with_calls({call_of("g1", "f", "{}"), call_of("m2", "g", "{}")},
                                 R"([{"call":"g1","has_id":true},{"call":"m2","has_id":false}])");
    BOOST_TEST(contents({message::user("a"), m, message::tool_result("g1", "x"), message::tool_result("m2", "y")}) ==
               R"([{"role":"user","parts":[{"text":"a"}]},)"
               R"({"role":"model","parts":[{"functionCall":{"id":"g1","name":"f","args":{}}},)"
               R"({"functionCall":{"name":"g","args":{}}}]},)"
               R"({"role":"user","parts":[{"functionResponse":{"id":"g1","name":"f","response":{"output":"x"}}},)"
               R"({"functionResponse":{"name":"g","response":{"output":"y"}}}]}])");
}

BOOST_AUTO_TEST_CASE(what_the_model_wrote_goes_back_to_it_only)
{
    message m = message::assistant("Hello");
    m.content.insert(m.content.begin(), weft::reasoning_part{"hm", ""});
    m.provider = weft::provider_data{
        "gemini", "model-x",
        weft::parse_json(R"({"parts":[{"text":"hm","thought":true},{"text":"Hello","thoughtSignature":"s"}]})")};
    BOOST_TEST(contents({message::user("a"), m}).ends_with(
        R"("parts":[{"text":"hm","thought":true},{"text":"Hello","thoughtSignature":"s"}]}])"));
    const std::string neutral = R"({"role":"model","parts":[{"text":"Hello"}]}])";
    chat_request other{{message::user("a"), m}};
    other.model = "model-y";
    BOOST_TEST(member(other, "contents").ends_with(neutral));
    m.provider->provider = "vertex";
    BOOST_TEST(contents({message::user("a"), m}).ends_with(neutral));
}

BOOST_AUTO_TEST_CASE(calls_that_are_no_longer_in_the_message_do_not_go_back)
{
    message m = added();
    m.tool_calls.erase(m.tool_calls.begin());
    m.tool_calls.push_back(call_of("m3", "new", "{}"));
    BOOST_TEST(contents({message::user("a"), m}).ends_with(
        R"("parts":[{"functionCall":{"name":"add","args":{"x":2}}},{"functionCall":{"name":"new","args":{}}}]}])"));
}

BOOST_AUTO_TEST_CASE(calls_of_another_model_get_the_signature_that_is_set_for_them)
{
    gemini_settings settings;
    settings.foreign_signature = "none";
    const message m = with_calls({call_of("t1", "f", "{}"), call_of("t2", "g", "{\"x\":")});
    BOOST_TEST(contents({message::user("a"), m}, settings).ends_with(
        R"("parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"none"},)"
        R"({"functionCall":{"name":"g","args":{"invalid_json":"{\"x\":"}}}]}])"));
}

BOOST_AUTO_TEST_CASE(a_result_needs_a_call_or_a_name)
{
    message named = message::tool_result("gone", "x");
    BOOST_CHECK_EXCEPTION((void)contents({message::user("a"), named}), weft::error,
                          refuses("chat_request.messages"));
    named.name = "f";
    BOOST_TEST(contents({message::user("a"), named}).ends_with(
        R"({"functionResponse":{"name":"f","response":{"output":"x"}}}]}])"));
}

BOOST_AUTO_TEST_CASE(pictures_go_by_value_or_by_address)
{
    message m = message::user("Look:");
    m.content.emplace_back(weft::image_part{.data = weft::image_data{"image/png", "aGk="}});
    m.content.emplace_back(weft::image_part{"https://x/y.png", weft::image_data{"image/png", ""}, "low"});
    BOOST_TEST(contents({m}) ==
               R"([{"role":"user","parts":[{"text":"Look:"},{"inlineData":{"mimeType":"image/png","data":"aGk="}},)"
               R"({"fileData":{"mimeType":"image/png","fileUri":"https://x/y.png"}}]}])");
    message result = message::tool_result("m1", "seen");
    result.content.emplace_back(weft::image_part{.data = weft::image_data{"image/png", "aGk="}});
    BOOST_TEST(contents({message::user("a"), added(), result, message::tool_result("m2", "3")}).ends_with(
        R"({"functionResponse":{"name":"add","response":{"output":3}}},)"
        R"({"inlineData":{"mimeType":"image/png","data":"aGk="}}]}])"));
}

BOOST_AUTO_TEST_CASE(empty_texts_are_left_out)
{
    chat_request request{{message::user("a"), message::assistant(""), message::user("")}};
    request.system("");
    BOOST_TEST(member(request, "contents") == R"([{"role":"user","parts":[{"text":"a"}]}])");
    BOOST_TEST(member(request, "systemInstruction") == "");
    BOOST_CHECK_EXCEPTION(body(chat_request{}), weft::error, refuses("chat_request.messages"));
    chat_request only_system;
    only_system.system("s");
    BOOST_CHECK_EXCEPTION(body(only_system), weft::error, refuses("chat_request.messages"));
}

BOOST_AUTO_TEST_CASE(a_tool_without_arguments_has_no_schema)
{
    const std::string bare = R"([{"functionDeclarations":[{"name":"get_weather","description":"The weather now"}]}])";
    for (const char* schema : {"{}", R"({"type":"object"})", R"({"type":"object","properties":{}})", "null"})
        BOOST_TEST(member(with_tool(schema), "tools") == bare);
    BOOST_TEST(member(with_tool(R"({"$ref":"#/$defs/a","$defs":{}})"), "tools") != bare);
    chat_request words = hello();
    words.tool({.name = "say", .input = weft::tool_input::text});
    BOOST_CHECK_EXCEPTION(body(words), weft::error, refuses("tool say"));
    gemini_settings settings;
    settings.server_tools = {{{"googleSearch", json::object{}}}};
    BOOST_TEST(member(hello(), "tools", settings) == R"([{"googleSearch":{}}])");
}

BOOST_AUTO_TEST_CASE(the_choice_of_tools_is_spelled_as_the_provider_does)
{
    const auto choice = [](weft::tool_choice how) {
        chat_request request = with_tool();
        request.tool_choice = std::move(how);
        return member(request, "toolConfig");
    };
    using mode = weft::tool_choice::mode;
    BOOST_TEST(choice({mode::automatic, ""}) == "");
    BOOST_TEST(choice({mode::none, ""}) == R"({"functionCallingConfig":{"mode":"NONE"}})");
    BOOST_TEST(choice({mode::required, ""}) == R"({"functionCallingConfig":{"mode":"ANY"}})");
    BOOST_TEST(choice({mode::named, "get_weather"}) ==
               R"({"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["get_weather"]}})");
}

BOOST_AUTO_TEST_CASE(older_models_get_schemas_in_their_dialect)
{
    gemini_settings settings;
    settings.schemas = weft::gemini_schemas::openapi;
    chat_request request = with_tool(
        R"({"$schema":"x","type":"object","additionalProperties":false,"required":["a"],"properties":{)"
        R"("a":{"type":["string","null"],"minLength":1},"b":{"const":"x"},)"
        R"("c":{"type":"array","items":{"oneOf":[{"type":"integer"},{"type":"null"}]}}}})");
    request.output.emplace();
    request.output->schema = weft::parse_json(R"({"type":"object","properties":{"n":{"type":"number"}}})");
    const json::object all = body(request, settings);
    BOOST_TEST(json::serialize(all.at("tools").at(0).at("functionDeclarations").at(0).at("parameters")) ==
               R"({"type":"OBJECT","required":["a"],"properties":{)"
               R"("a":{"type":"STRING","nullable":true,"minLength":1},"b":{"enum":["x"]},)"
               R"("c":{"type":"ARRAY","items":{"nullable":true,"anyOf":[{"type":"INTEGER"}]}}}})");
    BOOST_TEST(json::serialize(all.at("generationConfig")) ==
               R"({"responseMimeType":"application/json",)"
               R"("responseSchema":{"type":"OBJECT","properties":{"n":{"type":"NUMBER"}}}})");
    BOOST_CHECK_EXCEPTION(body(with_tool(R"({"type":"object","properties":{"a":{"$ref":"#/a"}}})"), settings),
                          weft::error, refuses("gemini_settings.schemas"));
}

BOOST_AUTO_TEST_CASE(the_rest_of_a_request_finds_its_place)
{
    chat_request request = hello();
    request.top_p = 0.5;
    request.seed = 7;
    request.stop = {"END"};
    request.reasoning_effort = "low";
    request.output.emplace();
    gemini_settings settings;
    settings.thinking_budget = 100;
    settings.cached_content = "cachedContents/c1";
    settings.extra_body = {{"labels", {{"a", "b"}}}, {"serviceTier", "x"}};
    request.extra_body = {{"serviceTier", "y"}};
    const json::object all = body(request, settings);
    BOOST_TEST(json::serialize(all.at("generationConfig")) ==
               R"({"topP":5E-1,"seed":7,"stopSequences":["END"],"responseMimeType":"application/json",)"
               R"("thinkingConfig":{"thinkingLevel":"LOW"}})");
    BOOST_TEST(json::serialize(all.at("cachedContent")) == R"("cachedContents/c1")");
    BOOST_TEST(json::serialize(all.at("serviceTier")) == R"("y")");
    BOOST_TEST(all.contains("labels"));
    request.output->schema = weft::parse_json(R"({"type":"object"})");
    BOOST_TEST(member(request, "generationConfig").find(R"("responseJsonSchema":{"type":"object"})") !=
               std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
