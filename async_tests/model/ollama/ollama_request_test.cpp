#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include "model/ollama/ollama_provider.hpp"

#include <boost/json/serialize.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(ollama_request_test)

using weft::chat_request;
using weft::errc;
using weft::message;
using weft::model_detail::ollama_request_body;
using weft::ollama_settings;
namespace json = boost::json;

namespace {

chat_request hello()
{
    chat_request request;
    request.user("Say hello");
    return request;
}

std::string member(const chat_request& request, std::string_view name, const ollama_settings& settings = {})
{
    const json::object all = weft::parse_json(ollama_request_body(request, settings, "m")).as_object();
    const json::value* found = all.if_contains(name);
    return found ? json::serialize(*found) : "";
}

std::string messages(const weft::list<message>& conversation)
{
    return member(chat_request{conversation}, "messages");
}

weft::tool_spec tool_named(std::string name)
{
    weft::tool_spec spec;
    spec.name = std::move(name);
    return spec;
}

auto names(std::string_view what)
{
    return [what](const weft::error& e) { return e.code() == errc::invalid_configuration && e.where() == what; };
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_plain_request)
{
    BOOST_TEST(ollama_request_body(hello(), {}, "m") ==
               R"({"model":"m","stream":true,"messages":[{"role":"user","content":"Say hello"}]})");
}

BOOST_AUTO_TEST_CASE(everything_that_can_be_asked)
{
    chat_request request;
    request.system("Be brief.").user("Weather?");
    weft::tool_spec spec = tool_named("get_weather");
    spec.description = "The weather now";
    spec.parameters = weft::parse_json(R"({"type":"object"})");
    request.tool(spec);
    request.model = "n";
    request.output = weft::output_schema{"answer", "", weft::parse_json(R"({"type":"object"})"), true};
    request.reasoning_effort = "high";
    request.output_max = weft::tokens{100};
    request.temperature = 0.5;
    request.top_p = 0.9;
    request.seed = 7;
    request.stop = {"END"};
    request.extra_body = {{"options", {{"num_ctx", 9}}}, {"truncate", false}};
    ollama_settings settings;
    settings.context_max = weft::tokens{4096};
    settings.keep_alive = "5m";
    settings.options = {{"top_k", 40}, {"seed", 1}};
    settings.extra_body = {{"shift", true}};
    BOOST_TEST(ollama_request_body(request, settings, "m") ==
               R"({"model":"n","stream":true,"messages":[{"role":"system","content":"Be brief."},)"
               R"({"role":"user","content":"Weather?"}],)"
               R"("tools":[{"type":"function","function":{"name":"get_weather","description":"The weather now",)"
               R"("parameters":{"type":"object"}}}],"format":{"type":"object"},"think":"high",)"
               R"("options":{"top_k":40,"seed":7,"num_ctx":9,"num_predict":100,"temperature":5E-1,"top_p":9E-1,)"
               R"("stop":["END"]},"keep_alive":"5m","shift":true,"truncate":false})");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_asked_is_refused)
{
    BOOST_CHECK_EXCEPTION((void)ollama_request_body(chat_request{}, {}, "m"), weft::error,
                          names("chat_request.messages"));
    BOOST_CHECK_EXCEPTION((void)ollama_request_body(hello(), {}, ""), weft::error, names("chat_request.model"));
    chat_request free_text = hello();
    free_text.tool(tool_named("sh"));
    weft::tool_spec text = tool_named("sh");
    text.input = weft::tool_input::text;
    chat_request with_text = hello();
    with_text.tool(text);
    BOOST_CHECK_EXCEPTION((void)ollama_request_body(with_text, {}, "m"), weft::error,
                          names("chat_request.tools"));
    message picture = message::user("?");
    picture.content.emplace_back(weft::image_part{.url = "https://x/a.png"});
    BOOST_CHECK_EXCEPTION((void)messages({picture}), weft::error, names("chat_request.messages"));
}

BOOST_AUTO_TEST_CASE(pictures_are_bare_base64)
{
    message m = message::user("What is this?");
    m.content.emplace_back(weft::image_part{.data = weft::image_data{"image/png", "aGk="}});
    m.content.emplace_back(weft::image_part{.url = "data:image/png;base64,Ynll"});
    BOOST_TEST(messages({m}) == R"([{"role":"user","content":"What is this?","images":["aGk=","Ynll"]}])");
}

BOOST_AUTO_TEST_CASE(a_tool_turn)
{
    message call = message::assistant("");
    call.tool_calls = {{"c1", "add", R"({"x":1})", weft::tool_input::json, nullptr},
                       {"c2", "add", "broken", weft::tool_input::json, nullptr},
                       {"c3", "sh", "ls", weft::tool_input::text, nullptr}};
    BOOST_TEST(messages({call, message::tool_result("c1", "2"), message::tool_result("?", "3")}) ==
               R"([{"role":"assistant","content":"","tool_calls":[)"
               R"({"id":"c1","function":{"name":"add","arguments":{"x":1}}},)"
               R"({"id":"c2","function":{"name":"add","arguments":{}}},)"
               R"({"id":"c3","function":{"name":"sh","arguments":{"input":"ls"}}}]},)"
               R"({"role":"tool","content":"2","tool_name":"add","tool_call_id":"c1"},)"
               R"({"role":"tool","content":"3","tool_call_id":"?"}])");
}

BOOST_AUTO_TEST_CASE(reasoning_goes_back_to_the_model_that_reasoned_only)
{
    message m = message::assistant("42");
    m.content.insert(m.content.begin(), weft::reasoning_part{"Hm.", {}});
    constexpr std::string_view plain = R"([{"role":"assistant","content":"42"}])";
    BOOST_TEST(messages({m}) == plain);
    m.provider = weft::provider_data{"ollama", "m", json::object{}};
    BOOST_TEST(messages({m}) == R"([{"role":"assistant","content":"42","thinking":"Hm."}])");
    m.provider->model = "other";
    BOOST_TEST(messages({m}) == plain);
}

BOOST_AUTO_TEST_CASE(the_choice_of_tools_is_made_by_what_is_sent)
{
    chat_request request = hello();
    request.tool(tool_named("f")).tool(tool_named("g"));
    const auto sent = [](std::string name) {
        return R"({"type":"function","function":{"name":")" + name +
               R"(","parameters":{"type":"object","properties":{}}}})";
    };
    const std::string f = sent("f");
    const std::string g = sent("g");
    BOOST_TEST(member(request, "tools") == "[" + f + "," + g + "]");
    request.tool_choice = {weft::tool_choice::mode::named, "g"};
    BOOST_TEST(member(request, "tools") == "[" + g + "]");
    request.tool_choice = {weft::tool_choice::mode::none, ""};
    BOOST_TEST(member(request, "tools") == "");
}

BOOST_AUTO_TEST_CASE(thinking_format_and_keep_alive)
{
    chat_request request = hello();
    request.output = weft::output_schema{};
    BOOST_TEST(member(request, "format") == "\"json\"");
    for (const auto& [effort, think] :
         {std::pair{"none", "false"}, {"false", "false"}, {"true", "true"}, {"low", "\"low\""}}) {
        request.reasoning_effort = effort;
        BOOST_TEST(member(request, "think") == think);
    }
    for (const auto& [text, sent] : {std::pair{"-1", "-1"}, {"0", "0"}, {"1h", "\"1h\""}, {"", ""}}) {
        ollama_settings settings;
        settings.keep_alive = text;
        BOOST_TEST(member(request, "keep_alive", settings) == sent);
    }
}

BOOST_AUTO_TEST_SUITE_END()
