#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include "model/anthropic/anthropic_provider.hpp"

#include <boost/json/serialize.hpp>

#include <functional>
#include <string>

BOOST_AUTO_TEST_SUITE(anthropic_request_test)

using weft::anthropic_settings;
using weft::chat_request;
using weft::errc;
using weft::message;
using weft::model_detail::anthropic_request_body;
using weft::tokens;
namespace json = boost::json;
using thinking_mode = weft::anthropic_thinking::mode;

namespace {

chat_request hello()
{
    chat_request request;
    request.user("Say hello");
    return request;
}

json::object body(const chat_request& request, const anthropic_settings& settings = {})
{
    return weft::parse_json(anthropic_request_body(request, settings, "model-x")).as_object();
}

/** A member of the body as text; empty if it is not there. */
std::string member(const chat_request& request, std::string_view name, const anthropic_settings& settings = {})
{
    const json::object all = body(request, settings);
    const json::value* found = all.if_contains(name);
    return found ? json::serialize(*found) : "";
}

std::string messages(const weft::list<message>& conversation, const anthropic_settings& settings = {})
{
    return member(chat_request{conversation}, "messages", settings);
}

message assistant_with_calls()
{
    message m = message::assistant("Let me add.");
    m.tool_calls = {{"toolu_a", "add", R"({"x":1,"y":2})", weft::tool_input::json, nullptr},
                    {"toolu_b", "now", "{}", weft::tool_input::json, nullptr}};
    return m;
}

message thinking_message(std::string model)
{
    message m;
    m.role = weft::role::assistant;
    m.content = {weft::reasoning_part{"A greeting.", "EqQB"}, weft::text_part{"Hello!"}};
    m.provider = weft::provider_data{"anthropic", std::move(model), json::object{}};
    return m;
}

chat_request with_tool()
{
    chat_request request = hello();
    weft::tool_spec spec;
    spec.name = "get_weather";
    spec.description = "The weather now";
    spec.parameters = weft::parse_json(R"({"type":"object","properties":{"city":{"type":"string"}}})");
    request.tool(spec);
    return request;
}

anthropic_settings thinking(thinking_mode how, std::int64_t budget = 0)
{
    anthropic_settings settings;
    settings.thinking.how = how;
    settings.thinking.budget = tokens{budget};
    return settings;
}

auto refuses(std::string_view where)
{
    return [where](const weft::error& e) { return e.code() == errc::invalid_configuration && e.where() == where; };
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_transcript_of_a_request_with_thinking)
{
    chat_request request;
    request.system("Be short.").user("Say hello");
    anthropic_settings settings = thinking(thinking_mode::budget, 1024);
    settings.cache.system = true;
    request.output_max = tokens{2048};
    BOOST_TEST(anthropic_request_body(request, settings, "claude-x") ==
               R"({"model":"claude-x","max_tokens":2048,"stream":true,"system":[{"type":"text","text":"Be short.",)"
               R"("cache_control":{"type":"ephemeral"}}],"thinking":{"type":"enabled","budget_tokens":1024},)"
               R"("messages":[{"role":"user","content":"Say hello"}]})");
}

BOOST_AUTO_TEST_CASE(the_transcript_of_tool_results)
{
    const std::string written = messages({message::user("Add."), assistant_with_calls(),
                                          message::tool_result("toolu_a", "3"),
                                          message::tool_error("toolu_b", "clock unavailable")});
    BOOST_TEST(written ==
               R"([{"role":"user","content":"Add."},)"
               R"({"role":"assistant","content":[{"type":"text","text":"Let me add."},)"
               R"({"type":"tool_use","id":"toolu_a","name":"add","input":{"x":1,"y":2}},)"
               R"({"type":"tool_use","id":"toolu_b","name":"now","input":{}}]},)"
               R"({"role":"user","content":[)"
               R"({"type":"tool_result","tool_use_id":"toolu_a","content":"3"},)"
               R"({"type":"tool_result","tool_use_id":"toolu_b","content":"clock unavailable","is_error":true}]}])");
}

BOOST_AUTO_TEST_CASE(results_come_first_and_turns_in_a_row_are_one)
{
    const std::string written =
        messages({message::user("a"), message::user("b"), assistant_with_calls(), message::user("quickly"),
                  message::tool_result("toolu_a", "3"), message::tool_result("toolu_b", "now"), message::user("and?"),
                  message::assistant("c"), message::assistant("d")});
    BOOST_TEST(written ==
               R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},)"
               R"({"role":"assistant","content":[{"type":"text","text":"Let me add."},)"
               R"({"type":"tool_use","id":"toolu_a","name":"add","input":{"x":1,"y":2}},)"
               R"({"type":"tool_use","id":"toolu_b","name":"now","input":{}}]},)"
               R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_a","content":"3"},)"
               R"({"type":"tool_result","tool_use_id":"toolu_b","content":"now"},)"
               R"({"type":"text","text":"quickly"},{"type":"text","text":"and?"}]},)"
               R"({"role":"assistant","content":[{"type":"text","text":"c"},{"type":"text","text":"d"}]}])");
}

BOOST_AUTO_TEST_CASE(empty_texts_are_left_out)
{
    message padded = message::user("");
    padded.content.emplace_back(weft::text_part{"x"});
    BOOST_TEST(messages({message::user("a"), message::assistant(""), padded}) ==
               R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"x"}]}])");
    BOOST_TEST(messages({message::user("a"), message::tool_result("t", "")}) ==
               R"([{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"},{"type":"text","text":"a"}]}])");
    chat_request request = hello();
    request.system("");
    BOOST_TEST(member(request, "system") == "");
}

BOOST_AUTO_TEST_CASE(system_messages_stand_together_before_the_conversation)
{
    chat_request request;
    request.system("Be short.").user("a").system("Be kind.");
    BOOST_TEST(member(request, "system") ==
               R"([{"type":"text","text":"Be short."},{"type":"text","text":"Be kind."}])");
    BOOST_TEST(member(request, "messages") == R"([{"role":"user","content":"a"}])");
    chat_request one = hello();
    one.system("Be short.");
    BOOST_TEST(member(one, "system") == R"("Be short.")");
}

BOOST_AUTO_TEST_CASE(pictures_go_by_value_or_by_address)
{
    message m = message::user("Look:");
    m.content.emplace_back(weft::image_part{.data = weft::image_data{"image/png", "aGk="}});
    m.content.emplace_back(weft::image_part{.url = "https://x/y.png", .detail = "low"});
    BOOST_TEST(messages({m}) ==
               R"([{"role":"user","content":[{"type":"text","text":"Look:"},)"
               R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}},)"
               R"({"type":"image","source":{"type":"url","url":"https://x/y.png"}}]}])");
    message result = message::tool_result("t", "seen");
    result.content.emplace_back(weft::image_part{.url = "https://x/y.png"});
    BOOST_TEST(messages({message::user("a"), assistant_with_calls(), result}).find(
                   R"("content":[{"type":"text","text":"seen"},{"type":"image",)") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(thinking_goes_back_to_the_model_that_wrote_it_only)
{
    BOOST_TEST(messages({message::user("a"), thinking_message("model-x"), message::user("b")}) ==
               R"([{"role":"user","content":"a"},{"role":"assistant","content":[)"
               R"({"type":"thinking","thinking":"A greeting.","signature":"EqQB"},{"type":"text","text":"Hello!"}]},)"
               R"({"role":"user","content":"b"}])");
    const std::string without = R"([{"role":"user","content":"a"},{"role":"assistant","content":"Hello!"}])";
    BOOST_TEST(messages({message::user("a"), thinking_message("model-y")}) == without);
    message foreign = thinking_message("model-x");
    foreign.provider->provider = "openrouter";
    BOOST_TEST(messages({message::user("a"), foreign}) == without);
    message unsigned_thought = thinking_message("model-x");
    std::get<weft::reasoning_part>(unsigned_thought.content.front()).signature.clear();
    BOOST_TEST(messages({message::user("a"), unsigned_thought}) == without);
    chat_request other{{message::user("a"), thinking_message("model-x")}};
    other.model = "model-z";
    BOOST_TEST(member(other, "messages") == without);
}

BOOST_AUTO_TEST_CASE(what_has_no_neutral_form_goes_back_as_it_came)
{
    message m = assistant_with_calls();
    m.provider = weft::provider_data{
        "anthropic", "model-x",
        weft::parse_json(R"({"content":[{"type":"redacted_thinking","data":"Em=="},{"type":"tool_use","id":"gone"},)"
                         R"({"type":"tool_use","id":"toolu_a"},{"type":"text","text":"Let me add."}]})")};
    BOOST_TEST(messages({message::user("a"), m}) ==
               R"([{"role":"user","content":"a"},{"role":"assistant","content":[)"
               R"({"type":"redacted_thinking","data":"Em=="},)"
               R"({"type":"tool_use","id":"toolu_a","name":"add","input":{"x":1,"y":2}},)"
               R"({"type":"text","text":"Let me add."},)"
               R"({"type":"tool_use","id":"toolu_b","name":"now","input":{}}]}])");
}

BOOST_AUTO_TEST_CASE(broken_arguments_and_foreign_ids_are_made_fit)
{
    message m;
    m.role = weft::role::assistant;
    m.tool_calls = {{"call|1", "f", "{\"x\":", weft::tool_input::json, nullptr}};
    const json::value written =
        weft::parse_json(messages({message::user("a"), m, message::tool_result("call|1", "ok")}));
    const json::object& call = written.at(1).at("content").at(0).as_object();
    BOOST_TEST(json::serialize(call.at("input")) == R"({"INVALID_JSON":"{\"x\":"})");
    const std::string id{call.at("id").as_string()};
    BOOST_TEST(id.starts_with("call_"));
    BOOST_TEST(id.find('|') == std::string::npos);
    BOOST_TEST(std::string{written.at(2).at("content").at(0).at("tool_use_id").as_string()} == id);
}

BOOST_AUTO_TEST_CASE(tools_are_written_with_their_schema)
{
    BOOST_TEST(member(with_tool(), "tools") ==
               R"([{"name":"get_weather","description":"The weather now",)"
               R"("input_schema":{"type":"object","properties":{"city":{"type":"string"}}}}])");
    BOOST_TEST(member(with_tool(), "tool_choice") == "");
    chat_request bare = hello();
    bare.tool({.name = "now", .strict = true});
    BOOST_TEST(member(bare, "tools") ==
               R"([{"name":"now","input_schema":{"type":"object","properties":{}},"strict":true}])");
    anthropic_settings settings;
    settings.server_tools = {{{"type", "web_search_20250305"}, {"name", "web_search"}}};
    settings.cache.tools = true;
    BOOST_TEST(member(hello(), "tools", settings) ==
               R"([{"type":"web_search_20250305","name":"web_search","cache_control":{"type":"ephemeral"}}])");
    BOOST_TEST(body(with_tool(), settings).at("tools").as_array().size() == 2);
    BOOST_TEST(body(with_tool(), settings).at("tools").at(1).as_object().contains("cache_control"));
    chat_request words = hello();
    words.tool({.name = "say", .input = weft::tool_input::text});
    BOOST_CHECK_EXCEPTION(body(words), weft::error, refuses("tool say"));
}

BOOST_AUTO_TEST_CASE(the_choice_of_tools_is_spelled_as_the_provider_does)
{
    const auto choice = [](weft::tool_choice how, std::optional<bool> parallel = {}) {
        chat_request request = with_tool();
        request.tool_choice = std::move(how);
        request.parallel_tool_calls = parallel;
        return member(request, "tool_choice");
    };
    using mode = weft::tool_choice::mode;
    BOOST_TEST(choice({mode::automatic, ""}) == "");
    BOOST_TEST(choice({mode::automatic, ""}, true) == "");
    BOOST_TEST(choice({mode::automatic, ""}, false) == R"({"type":"auto","disable_parallel_tool_use":true})");
    BOOST_TEST(choice({mode::none, ""}, false) == R"({"type":"none"})");
    BOOST_TEST(choice({mode::required, ""}) == R"({"type":"any"})");
    BOOST_TEST(choice({mode::named, "get_weather"}, false) ==
               R"({"type":"tool","name":"get_weather","disable_parallel_tool_use":true})");
    chat_request none = hello();
    none.tool_choice.how = mode::required;
    BOOST_TEST(member(none, "tool_choice") == "");
}

BOOST_AUTO_TEST_CASE(thinking_is_asked_for_in_each_way)
{
    BOOST_TEST(member(hello(), "thinking") == "");
    BOOST_TEST(member(hello(), "max_tokens") == "8192");
    BOOST_TEST(member(hello(), "thinking", thinking(thinking_mode::off)) == R"({"type":"disabled"})");
    anthropic_settings adaptive = thinking(thinking_mode::adaptive);
    adaptive.thinking.display = "omitted";
    BOOST_TEST(member(hello(), "thinking", adaptive) == R"({"type":"adaptive","display":"omitted"})");
    BOOST_TEST(member(hello(), "max_tokens", thinking(thinking_mode::budget, 2000)) == "10192");
    BOOST_CHECK_EXCEPTION(body(hello(), thinking(thinking_mode::budget, 1023)), weft::error,
                          refuses("anthropic_settings.thinking.budget"));
    chat_request small = hello();
    small.output_max = tokens{2000};
    BOOST_CHECK_EXCEPTION(body(small, thinking(thinking_mode::budget, 2000)), weft::error,
                          refuses("chat_request.output_max"));
}

BOOST_AUTO_TEST_CASE(a_request_that_is_too_short_to_think_is_sent_without_thinking)
{
    chat_request judge = hello();
    judge.output_max = tokens{500};
    judge.temperature = 0.5;
    BOOST_TEST(member(judge, "thinking", thinking(thinking_mode::budget, 2000)) == R"({"type":"disabled"})");
    BOOST_TEST(member(judge, "max_tokens", thinking(thinking_mode::budget, 2000)) == "500");
    BOOST_TEST(member(judge, "temperature", thinking(thinking_mode::budget, 2000)) == "5E-1");
    BOOST_TEST(member(judge, "thinking", thinking(thinking_mode::adaptive)) == R"({"type":"adaptive"})");
    judge.output_max = tokens{1025};
    BOOST_TEST(member(judge, "thinking", thinking(thinking_mode::budget, 1024)) ==
               R"({"type":"enabled","budget_tokens":1024})");
}

BOOST_AUTO_TEST_CASE(what_the_provider_refuses_beside_thinking_is_left_out)
{
    chat_request request = with_tool();
    request.temperature = 0.5;
    request.top_p = 0.75;
    BOOST_TEST(member(request, "temperature") == "5E-1");
    BOOST_TEST(member(request, "top_p") == "7.5E-1");
    BOOST_TEST(member(request, "temperature", thinking(thinking_mode::adaptive)) == "");
    anthropic_settings newer;
    newer.takes_sampling = false;
    BOOST_TEST(member(request, "top_p", newer) == "");

    request.tool_choice.how = weft::tool_choice::mode::required;
    BOOST_TEST(member(request, "thinking", thinking(thinking_mode::budget, 1024)) == R"({"type":"disabled"})");
    BOOST_TEST(member(request, "max_tokens", thinking(thinking_mode::budget, 1024)) == "8192");
    BOOST_TEST(member(request, "temperature", thinking(thinking_mode::budget, 1024)) == "5E-1");
}

BOOST_AUTO_TEST_CASE(marks_for_the_cache_are_where_they_are_wanted)
{
    anthropic_settings settings;
    settings.cache = {.tools = true, .system = true, .messages = 2, .ttl = "1h"};
    chat_request request = with_tool();
    request.system("s").add(message::assistant("b")).user("c");
    const json::object all = body(request, settings);
    const std::string mark = R"("cache_control":{"type":"ephemeral","ttl":"1h"})";
    BOOST_TEST(json::serialize(all.at("messages")) ==
               R"([{"role":"user","content":"Say hello"},)"
               R"({"role":"assistant","content":[{"type":"text","text":"b",)" + mark + R"(}]},)"
               R"({"role":"user","content":[{"type":"text","text":"c",)" + mark + "}]}]");
    BOOST_TEST(json::serialize(all.at("system")) == R"([{"type":"text","text":"s",)" + mark + "}]");
    BOOST_TEST(json::serialize(all.at("tools")).find(mark) != std::string::npos);

    settings.cache = {.tools = false, .system = false, .messages = 4, .ttl = {}};
    message thought;
    thought.role = weft::role::assistant;
    thought.content = {weft::reasoning_part{"hm", "s"}};
    thought.provider = weft::provider_data{"anthropic", "model-x", json::object{}};
    const std::string written = messages({message::user("a"), thought}, settings);
    BOOST_TEST(written.find(R"("signature":"s"}]}])") != std::string::npos);
    settings.cache.system = true;
    BOOST_CHECK_EXCEPTION(body(hello(), settings), weft::error, refuses("anthropic_settings.cache"));
}

BOOST_AUTO_TEST_CASE(the_rest_of_a_request_finds_its_place)
{
    chat_request request = hello();
    request.stop = {"END", "\n\n"};
    request.reasoning_effort = "low";
    request.output.emplace();
    request.output->schema = weft::parse_json(R"({"type":"object"})");
    request.labels = {{"tenant", "t-7"}, {"other", "x"}};
    request.seed = 7;
    anthropic_settings settings;
    settings.user_label = "tenant";
    settings.extra_body = {{"service_tier", "auto"}, {"max_tokens", 5}};
    request.extra_body = {{"max_tokens", 6}};
    const json::object all = body(request, settings);
    BOOST_TEST(json::serialize(all.at("stop_sequences")) == R"(["END","\n\n"])");
    BOOST_TEST(json::serialize(all.at("output_config")) ==
               R"({"effort":"low","format":{"type":"json_schema","schema":{"type":"object"}}})");
    BOOST_TEST(json::serialize(all.at("metadata")) == R"({"user_id":"t-7"})");
    BOOST_TEST(json::serialize(all.at("service_tier")) == R"("auto")");
    BOOST_TEST(json::serialize(all.at("max_tokens")) == "6");
    BOOST_TEST(!all.contains("seed"));
    BOOST_TEST(member(request, "metadata") == "");
    request.output->schema = nullptr;
    BOOST_TEST(member(request, "output_config") == R"({"effort":"low"})");
}

BOOST_AUTO_TEST_CASE(what_is_not_utf_8_is_repaired)
{
    BOOST_TEST(messages({message::user("a\xff")}) == "[{\"role\":\"user\",\"content\":\"a\uFFFD\"}]");
}

BOOST_AUTO_TEST_CASE(a_request_needs_a_model_and_a_conversation)
{
    BOOST_CHECK_EXCEPTION((void)anthropic_request_body(hello(), {}, ""), weft::error,
                          refuses("chat_request.model"));
    chat_request only_system;
    only_system.system("s").user("");
    for (const chat_request& request : {chat_request{}, only_system})
        BOOST_CHECK_EXCEPTION(body(request), weft::error, refuses("chat_request.messages"));
}

BOOST_AUTO_TEST_SUITE_END()
