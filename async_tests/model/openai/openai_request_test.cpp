#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include "model/openai/openai_provider.hpp"

#include <boost/json/serialize.hpp>

#include <set>
#include <string>

BOOST_AUTO_TEST_SUITE(openai_request_test)

using weft::chat_request;
using weft::errc;
using weft::message;
using weft::model_detail::openai_request_body;
using weft::openai_profile;
namespace json = boost::json;
namespace profiles = weft::openai_profiles;

namespace {

json::object body(const chat_request& request, const openai_profile& profile = {})
{
    return weft::parse_json(openai_request_body(request, profile, "gpt-x")).as_object();
}

chat_request hello()
{
    chat_request request;
    request.user("Say hello");
    return request;
}

/** A member of the body as text; empty if it is not there. */
std::string member(const chat_request& request, std::string_view name, const openai_profile& profile = {})
{
    const json::object all = body(request, profile);
    const json::value* found = all.if_contains(name);
    return found ? json::serialize(*found) : "";
}

std::string messages(const weft::list<message>& conversation, const openai_profile& profile = {})
{
    return member(chat_request{conversation}, "messages", profile);
}

message with_call(std::string id, std::string arguments)
{
    message m;
    m.role = weft::role::assistant;
    m.tool_calls = {{std::move(id), "f", std::move(arguments), weft::tool_input::json, nullptr}};
    return m;
}

chat_request with_tool()
{
    chat_request request = hello();
    weft::tool_spec spec;
    spec.name = "get_weather";
    spec.description = "The weather now";
    spec.parameters = weft::parse_json(R"({"type":"object","properties":{"city":{"type":"string"}}})");
    spec.strict = true;
    request.tool(spec);
    return request;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_transcript_of_a_normal_request)
{
    BOOST_TEST(openai_request_body(hello(), {}, "gpt-x") ==
               R"({"model":"gpt-x","stream":true,"stream_options":{"include_usage":true},)"
               R"("messages":[{"role":"user","content":"Say hello"}]})");
}

BOOST_AUTO_TEST_CASE(the_request_may_name_another_model)
{
    chat_request request = hello();
    request.model = "gpt-y";
    BOOST_TEST(member(request, "model") == "\"gpt-y\"");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_asked_is_refused)
{
    const auto names = [](std::string_view what) {
        return [what](const weft::error& e) { return e.code() == errc::invalid_configuration && e.where() == what; };
    };
    BOOST_CHECK_EXCEPTION((void)openai_request_body(chat_request{}, {}, "m"), weft::error,
                          names("chat_request.messages"));
    BOOST_CHECK_EXCEPTION((void)openai_request_body(hello(), {}, ""), weft::error, names("chat_request.model"));
}

BOOST_AUTO_TEST_CASE(the_transcript_of_a_tool_turn)
{
    const weft::list<message> conversation{with_call("call_a", R"({"city":"Köln"})"),
                                           message::tool_result("call_a", R"({"temp_c":11})")};
    BOOST_TEST(messages(conversation) ==
               R"([{"role":"assistant","content":null,"tool_calls":[{"id":"call_a","type":"function",)"
               R"("function":{"name":"f","arguments":"{\"city\":\"Köln\"}"}}]},)"
               R"({"role":"tool","content":"{\"temp_c\":11}","tool_call_id":"call_a"}])");
}

BOOST_AUTO_TEST_CASE(roles_and_names)
{
    message ann = message::user("hi");
    ann.name = "ann";
    BOOST_TEST(messages({message::system("be brief"), ann, message::assistant("yes")}) ==
               R"([{"role":"system","content":"be brief"},{"role":"user","content":"hi","name":"ann"},)"
               R"({"role":"assistant","content":"yes"}])");
    openai_profile newer;
    newer.system_role = "developer";
    BOOST_TEST(messages({message::system("s")}, newer) == R"([{"role":"developer","content":"s"}])");
}

BOOST_AUTO_TEST_CASE(images_and_several_texts_are_parts)
{
    message m = message::user("What is this?");
    m.content.emplace_back(weft::image_part{.url = "https://x/a.png", .detail = "low"});
    m.content.emplace_back(weft::image_part{.data = weft::image_data{"image/png", "aGk="}});
    BOOST_TEST(messages({m}) ==
               R"([{"role":"user","content":[{"type":"text","text":"What is this?"},)"
               R"({"type":"image_url","image_url":{"url":"https://x/a.png","detail":"low"}},)"
               R"({"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]}])");
    message picture_only;
    picture_only.content.emplace_back(weft::image_part{.url = "https://x/a.png"});
    BOOST_TEST(messages({picture_only}) ==
               R"([{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://x/a.png"}}]}])");
    BOOST_TEST(messages({message{}}) == R"([{"role":"user","content":""}])");
}

BOOST_AUTO_TEST_CASE(an_assistant_without_text)
{
    BOOST_TEST(messages({with_call("a", "{}")}, profiles::compatible()).find(R"("content":"")") != std::string::npos);
    message refusal;
    refusal.role = weft::role::assistant;
    refusal.content.emplace_back(weft::refusal_part{"no"});
    BOOST_TEST(messages({refusal}) == R"([{"role":"assistant","content":null,"refusal":"no"}])");
    message silent;
    silent.role = weft::role::assistant;
    BOOST_TEST(messages({silent}) == R"([{"role":"assistant","content":""}])");
}

BOOST_AUTO_TEST_CASE(reasoning_goes_back_only_where_it_is_wanted)
{
    message m = message::assistant("42");
    m.content.insert(m.content.begin(), weft::reasoning_part{"hm", ""});
    BOOST_TEST(messages({m}) == R"([{"role":"assistant","content":"42"}])");
    openai_profile wants = profiles::deepseek();
    wants.echoes_reasoning = true;
    BOOST_TEST(messages({m}, wants) == R"([{"role":"assistant","content":"42","reasoning_content":"hm"}])");
}

BOOST_AUTO_TEST_CASE(provider_data_goes_back_to_its_provider_and_model_only)
{
    message m = message::assistant("42");
    m.provider = weft::provider_data{"openrouter", "gpt-x", weft::parse_json(R"({"reasoning_details":[{"index":0}]})")};
    const std::string plain = R"([{"role":"assistant","content":"42"}])";
    BOOST_TEST(messages({m}, profiles::openrouter()) ==
               R"([{"role":"assistant","content":"42","reasoning_details":[{"index":0}]}])");
    BOOST_TEST(messages({m}) == plain);
    m.provider->model = "gpt-y";
    BOOST_TEST(messages({m}, profiles::openrouter()) == plain);
}

BOOST_AUTO_TEST_CASE(arguments_go_back_as_they_came_unless_the_server_would_break)
{
    const auto arguments = [](std::string text, const openai_profile& profile) {
        const json::object all = body(chat_request{weft::list<message>{with_call("a", std::move(text))}}, profile);
        return std::string{all.at("messages").at(0).at("tool_calls").at(0).at("function").at("arguments").as_string()};
    };
    BOOST_TEST(arguments("{x=1", profiles::openai()) == "{x=1");
    BOOST_TEST(arguments("{x=1", profiles::llama_cpp()) == "{}");
    BOOST_TEST(arguments(R"({"x":1})", profiles::llama_cpp()) == R"({"x":1})");
}

BOOST_AUTO_TEST_CASE(tool_calls_carry_what_the_provider_wants_back)
{
    message m = with_call("a", "{}");
    m.tool_calls[0].extra = weft::parse_json(R"({"google":{"thought_signature":"s"}})");
    BOOST_TEST(messages({m}).find(R"("extra_content":{"google":{"thought_signature":"s"}})") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(custom_tools_take_text)
{
    message m = with_call("a", "ls");
    m.tool_calls[0].input = weft::tool_input::text;
    BOOST_TEST(messages({m}).find(R"({"id":"a","type":"custom","custom":{"name":"f","input":"ls"}})") !=
               std::string::npos);
    chat_request request = hello();
    weft::tool_spec spec;
    spec.name = "sh";
    spec.description = "d";
    spec.input = weft::tool_input::text;
    request.tool(spec);
    BOOST_TEST(member(request, "tools") == R"([{"type":"custom","custom":{"name":"sh","description":"d"}}])");
}

BOOST_AUTO_TEST_CASE(tool_ids_are_translated_the_same_way_each_time)
{
    const weft::list<message> conversation{with_call("call_a", "{}"), message::tool_result("call_a", "x"),
                                           with_call("abc123XYZ", "{}"), with_call("call_b", "{}")};
    const json::array sent = body(chat_request{conversation}, profiles::mistral()).at("messages").as_array();
    const auto call_id = [&](std::size_t i) {
        return std::string{sent[i].at("tool_calls").at(0).at("id").as_string()};
    };
    BOOST_TEST(call_id(0).size() == 9);
    BOOST_TEST(call_id(0).find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") ==
               std::string::npos);
    BOOST_TEST(call_id(0) == std::string{sent[1].at("tool_call_id").as_string()});
    BOOST_TEST(call_id(2) == "abc123XYZ");
    BOOST_TEST(call_id(3) != call_id(0));
    // Checkpoints outlive a build: the translation must not change.
    BOOST_TEST(call_id(0) == "7y2dNDNJZ");
}

BOOST_AUTO_TEST_CASE(tools_and_choices)
{
    chat_request request = with_tool();
    BOOST_TEST(member(request, "tools") ==
               R"([{"type":"function","function":{"name":"get_weather","description":"The weather now",)"
               R"("parameters":{"type":"object","properties":{"city":{"type":"string"}}},"strict":true}}])");
    BOOST_TEST(member(request, "tools", profiles::compatible()).find("strict") == std::string::npos);
    BOOST_TEST(member(request, "tool_choice") == "");

    request.tool_choice.how = weft::tool_choice::mode::none;
    BOOST_TEST(member(request, "tool_choice") == "\"none\"");
    request.tool_choice.how = weft::tool_choice::mode::required;
    BOOST_TEST(member(request, "tool_choice") == "\"required\"");
    BOOST_TEST(member(request, "tool_choice", profiles::mistral()) == "\"any\"");
    BOOST_TEST(member(request, "tool_choice", profiles::ollama()) == "");
    openai_profile wordless;
    wordless.required_tools_word.clear();
    BOOST_TEST(member(request, "tool_choice", wordless) == "");
    request.tool_choice = {weft::tool_choice::mode::named, "get_weather"};
    BOOST_TEST(member(request, "tool_choice") == R"({"type":"function","function":{"name":"get_weather"}})");

    request.parallel_tool_calls = false;
    BOOST_TEST(member(request, "parallel_tool_calls") == "false");
    BOOST_TEST(member(request, "parallel_tool_calls", profiles::gemini()) == "");
}

BOOST_AUTO_TEST_CASE(choices_without_tools_are_not_sent)
{
    chat_request request = hello();
    request.tool_choice.how = weft::tool_choice::mode::required;
    request.parallel_tool_calls = true;
    for (const char* name : {"tools", "tool_choice", "parallel_tool_calls"}) BOOST_TEST(member(request, name) == "");
}

BOOST_AUTO_TEST_CASE(the_wanted_shape_as_far_as_the_server_understands_it)
{
    chat_request request = hello();
    BOOST_TEST(member(request, "response_format") == "");
    request.output.emplace();
    BOOST_TEST(member(request, "response_format") == R"({"type":"json_object"})");
    request.output->schema = weft::parse_json(R"({"type":"object"})");
    request.output->description = "d";
    BOOST_TEST(
        member(request, "response_format") ==
        R"({"type":"json_schema","json_schema":{"name":"answer","description":"d","schema":{"type":"object"},)"
        R"("strict":true}})");
    request.output->strict = false;
    BOOST_TEST(member(request, "response_format").find("strict") == std::string::npos);
    BOOST_TEST(member(request, "response_format", profiles::deepseek()) == R"({"type":"json_object"})");
    openai_profile none;
    none.response_format = weft::response_formats::none;
    BOOST_TEST(member(request, "response_format", none) == "");
}

BOOST_AUTO_TEST_CASE(sampling_and_limits)
{
    chat_request request = hello();
    request.temperature = 0.5;
    request.top_p = 1;
    request.seed = 7;
    request.output_max = weft::tokens{100};
    request.stop = {"END", "\n"};
    request.reasoning_effort = "low";
    BOOST_TEST(member(request, "temperature") == "5E-1");
    BOOST_TEST(body(request).at("top_p").as_double() == 1);
    openai_profile reasoning;
    reasoning.takes_sampling = false;
    BOOST_TEST(member(request, "temperature", reasoning) == "");
    BOOST_TEST(member(request, "top_p", reasoning) == "");
    BOOST_TEST(member(request, "seed", reasoning) == "7");
    BOOST_TEST(member(request, "seed") == "7");
    BOOST_TEST(member(request, "max_completion_tokens") == "100");
    BOOST_TEST(member(request, "max_tokens") == "");
    BOOST_TEST(member(request, "max_tokens", profiles::compatible()) == "100");
    BOOST_TEST(member(request, "stop") == R"(["END","\n"])");
    BOOST_TEST(member(request, "reasoning_effort") == "\"low\"");
}

BOOST_AUTO_TEST_CASE(nothing_is_sent_that_was_not_asked_for)
{
    std::set<std::string> names;
    for (const auto& m : body(hello())) names.emplace(m.key());
    BOOST_TEST((names == std::set<std::string>{"model", "stream", "stream_options", "messages"}));
    BOOST_TEST(member(hello(), "stream_options", profiles::mistral()) == "");
    chat_request labelled = hello();
    labelled.labels["tenant"] = "t-1";
    labelled.call_id = "c-1";
    BOOST_TEST(openai_request_body(labelled, {}, "m") == openai_request_body(hello(), {}, "m"));
}

BOOST_AUTO_TEST_CASE(extra_members_win_over_everything)
{
    openai_profile profile;
    profile.extra_body = {{"store", false}, {"top_k", 1}};
    chat_request request = hello();
    request.temperature = 0.5;
    request.extra_body = {{"top_k", 40}, {"temperature", 1}};
    BOOST_TEST(member(request, "store", profile) == "false");
    BOOST_TEST(member(request, "top_k", profile) == "40");
    BOOST_TEST(member(request, "temperature", profile) == "1");
}

BOOST_AUTO_TEST_CASE(text_that_is_not_utf8_is_repaired)
{
    const weft::list<message> conversation{message::user("a\xff" "b"), with_call("a", "\xc3"),
                                           message::tool_result("a", "\xe2\x82")};
    const std::string text = messages(conversation);
    BOOST_TEST(text.find("a\uFFFD" "b") != std::string::npos);
    BOOST_TEST(text.find(R"("arguments":")" "\uFFFD" "\"") != std::string::npos);
    BOOST_TEST(text.find(R"("content":")" "\uFFFD" "\"") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
