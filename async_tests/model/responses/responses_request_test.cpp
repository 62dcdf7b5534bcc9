#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include "model/responses/responses_provider.hpp"

#include <boost/json/serialize.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(responses_request_test)

using weft::chat_request;
using weft::errc;
using weft::message;
using weft::model_detail::responses_request_body;
using weft::responses_settings;
namespace json = boost::json;

namespace {

chat_request hello()
{
    chat_request request;
    request.user("Say hello");
    return request;
}

std::string member(const chat_request& request, std::string_view name, const responses_settings& settings = {})
{
    const json::object all =
        weft::parse_json(responses_request_body(request, settings, "gpt-x")).as_object();
    const json::value* found = all.if_contains(name);
    return found ? json::serialize(*found) : "";
}

std::string input(const weft::list<message>& conversation, const responses_settings& settings = {})
{
    return member(chat_request{conversation}, "input", settings);
}

weft::tool_spec weather()
{
    weft::tool_spec spec;
    spec.name = "get_weather";
    spec.description = "The weather now";
    spec.parameters = weft::parse_json(R"({"type":"object","properties":{"city":{"type":"string"}}})");
    return spec;
}

/** A turn with reasoning, a text and a call, as the provider sent it. */
message thought(std::string_view encrypted)
{
    message m = message::assistant("I look.");
    m.content.insert(m.content.begin(), weft::reasoning_part{"Hm.", {}});
    m.tool_calls = {{"call_a", "f", "{}", weft::tool_input::json, nullptr}};
    json::object fields;
    fields.emplace("output", weft::parse_json(
        R"([{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":")" + std::string{encrypted} + R"("},)"
        R"({"id":"m_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"I look."}]},)"
        R"({"id":"fc_1","type":"function_call","call_id":"call_a","name":"f","arguments":"{}"}])"));
    m.provider = weft::provider_data{"openai-responses", "gpt-x", fields};
    return m;
}

constexpr std::string_view neutral =
    R"([{"type":"message","role":"assistant","content":"I look."},)"
    R"({"type":"function_call","call_id":"call_a","name":"f","arguments":"{}"}])";

}  // namespace

BOOST_AUTO_TEST_CASE(a_plain_request)
{
    BOOST_TEST(responses_request_body(hello(), {}, "gpt-x") ==
               R"({"model":"gpt-x","stream":true,"store":false,)"
               R"("input":[{"type":"message","role":"user","content":"Say hello"}],)"
               R"("include":["reasoning.encrypted_content"]})");
}

BOOST_AUTO_TEST_CASE(everything_that_can_be_asked)
{
    chat_request request;
    request.system("Be brief.").user("Weather?").tool(weather());
    request.model = "gpt-y";
    request.tool_choice.how = weft::tool_choice::mode::required;
    request.parallel_tool_calls = false;
    request.output = weft::output_schema{"answer", "An answer", weft::parse_json(R"({"type":"object"})"), true};
    request.reasoning_effort = "low";
    request.output_max = weft::tokens{100};
    request.temperature = 0.5;
    request.top_p = 0.9;
    request.seed = 7;
    request.extra_body = {{"truncation", "auto"}};
    responses_settings settings;
    settings.store = true;
    settings.include = {"message.output_text.logprobs"};
    settings.reasoning_summary = "auto";
    settings.metadata = {{"team", "blue"}};
    settings.extra_body = {{"service_tier", "flex"}, {"truncation", "disabled"}};
    BOOST_TEST(responses_request_body(request, settings, "gpt-x") ==
               R"({"model":"gpt-y","stream":true,"store":true,"instructions":"Be brief.",)"
               R"("input":[{"type":"message","role":"user","content":"Weather?"}],)"
               R"("include":["message.output_text.logprobs"],)"
               R"("tools":[{"type":"function","name":"get_weather","description":"The weather now",)"
               R"("parameters":{"type":"object","properties":{"city":{"type":"string"}}},"strict":false}],)"
               R"("tool_choice":"required","parallel_tool_calls":false,)"
               R"("text":{"format":{"type":"json_schema","name":"answer","description":"An answer",)"
               R"("schema":{"type":"object"},"strict":true}},)"
               R"("reasoning":{"effort":"low","summary":"auto"},)"
               R"("max_output_tokens":100,"temperature":5E-1,"top_p":9E-1,"metadata":{"team":"blue"},)"
               R"("service_tier":"flex","truncation":"auto"})");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_asked_is_refused)
{
    const auto names = [](std::string_view what) {
        return [what](const weft::error& e) { return e.code() == errc::invalid_configuration && e.where() == what; };
    };
    BOOST_CHECK_EXCEPTION((void)responses_request_body(chat_request{}, {}, "m"), weft::error,
                          names("chat_request.messages"));
    BOOST_CHECK_EXCEPTION((void)responses_request_body(hello(), {}, ""), weft::error,
                          names("chat_request.model"));
    chat_request stopped = hello();
    stopped.stop = {"END"};
    BOOST_CHECK_EXCEPTION((void)responses_request_body(stopped, {}, "m"), weft::error,
                          names("chat_request.stop"));
}

BOOST_AUTO_TEST_CASE(system_messages_in_front_are_instructions)
{
    chat_request request;
    request.system("One.").system("Two.").user("Hi").system("Three.");
    BOOST_TEST(member(request, "instructions") == R"("One.\n\nTwo.")");
    BOOST_TEST(member(request, "input") == R"([{"type":"message","role":"user","content":"Hi"},)"
                                           R"({"type":"message","role":"system","content":"Three."}])");
    chat_request alone;
    alone.system("One.");
    BOOST_TEST(member(alone, "instructions") == "");
    BOOST_TEST(member(alone, "input") == R"([{"type":"message","role":"system","content":"One."}])");
}

BOOST_AUTO_TEST_CASE(a_tool_turn_in_the_neutral_form)
{
    message call = message::assistant("");
    call.content.clear();
    call.tool_calls = {{"call_a", "add", R"({"x":1})", weft::tool_input::json, nullptr},
                       {"call_b", "sh", "ls", weft::tool_input::text, nullptr}};
    BOOST_TEST(input({call, message::tool_result("call_a", "2"), message::tool_result("call_b", "a.txt")}) ==
               R"([{"type":"function_call","call_id":"call_a","name":"add","arguments":"{\"x\":1}"},)"
               R"({"type":"custom_tool_call","call_id":"call_b","name":"sh","input":"ls"},)"
               R"({"type":"function_call_output","call_id":"call_a","output":"2"},)"
               R"({"type":"custom_tool_call_output","call_id":"call_b","output":"a.txt"}])");
}

BOOST_AUTO_TEST_CASE(pictures_and_refusals_are_parts)
{
    message m = message::user("What is this?");
    m.content.emplace_back(weft::image_part{.url = "https://x/a.png", .detail = "low"});
    m.content.emplace_back(weft::image_part{.data = weft::image_data{"image/png", "aGk="}});
    BOOST_TEST(input({m}) ==
               R"([{"type":"message","role":"user","content":[{"type":"input_text","text":"What is this?"},)"
               R"({"type":"input_image","image_url":"https://x/a.png","detail":"low"},)"
               R"({"type":"input_image","image_url":"data:image/png;base64,aGk="}]}])");
    message refusal = message::assistant("Well.");
    refusal.content.emplace_back(weft::refusal_part{"No."});
    BOOST_TEST(input({refusal}) ==
               R"([{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Well."},)"
               R"({"type":"refusal","refusal":"No."}]}])");
    message shown = message::tool_result("c", "See:");
    shown.content.emplace_back(weft::image_part{.url = "https://x/a.png"});
    BOOST_TEST(input({shown}) ==
               R"([{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"See:"},)"
               R"({"type":"input_image","image_url":"https://x/a.png"}]}])");
}

BOOST_AUTO_TEST_CASE(reasoning_goes_back_to_the_model_that_reasoned)
{
    const message m = thought("AAA");
    BOOST_TEST(input({m}) == json::serialize(m.provider->fields.at("output")));
}

BOOST_AUTO_TEST_CASE(nobody_else_gets_the_reasoning)
{
    message other_provider = thought("AAA");
    other_provider.provider->provider = "openai";
    BOOST_TEST(input({other_provider}) == neutral);
    message other_model = thought("AAA");
    other_model.provider->model = "gpt-y";
    BOOST_TEST(input({other_model}) == neutral);
    message broken = thought("AAA");
    broken.provider->fields = "?";
    BOOST_TEST(input({broken}) == neutral);
}

BOOST_AUTO_TEST_CASE(reasoning_that_nobody_keeps_stays_behind_with_all_that_belongs_to_it)
{
    BOOST_TEST(input({thought("")}) == neutral);
    responses_settings stored;
    stored.store = true;
    BOOST_TEST(input({thought("")}, stored) != neutral);
}

BOOST_AUTO_TEST_CASE(a_message_that_was_changed_goes_as_it_is_now)
{
    message text = thought("AAA");
    std::get<weft::text_part>(text.content.back()).text = "I see.";
    BOOST_TEST(input({text}) == R"([{"type":"message","role":"assistant","content":"I see."},)"
                                R"({"type":"function_call","call_id":"call_a","name":"f","arguments":"{}"}])");
    message fewer = thought("AAA");
    fewer.tool_calls.clear();
    BOOST_TEST(input({fewer}) == R"([{"type":"message","role":"assistant","content":"I look."}])");
}

BOOST_AUTO_TEST_CASE(tools_and_their_choice)
{
    chat_request request = hello();
    weft::tool_spec strict = weather();
    strict.strict = true;
    strict.description.clear();
    weft::tool_spec nothing;
    nothing.name = "now";
    weft::tool_spec text;
    text.name = "sh";
    text.input = weft::tool_input::text;
    request.tool(strict).tool(nothing).tool(text);
    BOOST_TEST(member(request, "tools") ==
               R"([{"type":"function","name":"get_weather",)"
               R"("parameters":{"type":"object","properties":{"city":{"type":"string"}}},"strict":true},)"
               R"({"type":"function","name":"now",)"
               R"("parameters":{"type":"object","properties":{},"additionalProperties":false},"strict":false},)"
               R"({"type":"custom","name":"sh"}])");
    BOOST_TEST(member(request, "tool_choice") == "");
    request.tool_choice = {weft::tool_choice::mode::none, ""};
    BOOST_TEST(member(request, "tool_choice") == "\"none\"");
    request.tool_choice = {weft::tool_choice::mode::named, "now"};
    BOOST_TEST(member(request, "tool_choice") == R"({"type":"function","name":"now"})");
    request.tool_choice = {weft::tool_choice::mode::named, "sh"};
    BOOST_TEST(member(request, "tool_choice") == R"({"type":"custom","name":"sh"})");
    responses_settings plain;
    plain.takes_strict_tools = false;
    BOOST_TEST(member(request, "tools", plain).find("strict") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(any_json_object)
{
    chat_request request = hello();
    request.output = weft::output_schema{};
    BOOST_TEST(member(request, "text") == R"({"format":{"type":"json_object"}})");
}

BOOST_AUTO_TEST_CASE(text_that_is_not_utf_8_is_repaired)
{
    BOOST_TEST(input({message::user("a\xFFz")}) ==
               "[{\"type\":\"message\",\"role\":\"user\",\"content\":\"a\xEF\xBF\xBDz\"}]");
}

BOOST_AUTO_TEST_SUITE_END()
