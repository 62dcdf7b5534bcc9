#include "everything.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/json.hpp>

#include <boost/json/serialize.hpp>

#include <stdexcept>

namespace {

using boost::json::object;
using weft::mcp_call_result;
using weft::mcp_server_context;
using weft::task;
using namespace std::chrono_literals;

task<mcp_call_result> with_logging(mcp_server_context& context, object)
{
    for (const char* const line : {"Tool execution started", "Tool processing data", "Tool execution completed"}) {
        context.log("info", line);
        co_await weft::sleep_for(50ms);
    }
    co_return mcp_call_result::of_text("logged three lines");
}

task<mcp_call_result> with_progress(mcp_server_context& context, object)
{
    for (const int done : {0, 50, 100}) {
        context.progress(done, 100, "at " + std::to_string(done));
        co_await weft::sleep_for(50ms);
    }
    co_return mcp_call_result::of_text("done in three steps");
}

task<mcp_call_result> fail(mcp_server_context&, object)
{
    throw std::runtime_error{"This tool intentionally returns an error for testing"};
    co_return mcp_call_result{};
}

task<mcp_call_result> reconnect(mcp_server_context& context, object)
{
    co_await weft::sleep_for(50ms);
    context.close_connection();
    co_await weft::sleep_for(200ms);
    co_return mcp_call_result::of_text("Reconnection test completed successfully");
}

task<mcp_call_result> sleep_long(mcp_server_context& context, object)
{
    context.progress(1, std::nullopt, "asleep");
    co_await weft::sleep_for(60s);
    co_return mcp_call_result::of_text("awake");
}

task<mcp_call_result> tell_change(weft::mcp_server& server, weft::mcp_list which)
{
    server.tell_list_changed(which);
    co_return mcp_call_result::of_text("told");
}

/** In the modern era nothing but the result asks. */
task<mcp_call_result> elicit_in_stream(mcp_server_context& context, object)
{
    context.progress(1, std::nullopt, "about to ask");
    co_await weft::sleep_for(200ms);
    const boost::json::value read = weft::parse_json(R"({"type": "object", "properties": {"x": {"type": "string"}}})");
    const object schema = read.as_object();
    const object said = co_await context.elicit("Well?", schema, "well");
    co_return mcp_call_result::of_text(std::string{said.at("action").as_string()});
}

task<mcp_call_result> sample(mcp_server_context& context, object given)
{
    object words{{"type", "text"}, {"text", given.at("prompt")}};
    object message{{"role", "user"}, {"content", std::move(words)}};
    object params{{"messages", boost::json::array(1, boost::json::value(message))}, {"maxTokens", 100}};
    const object said = co_await context.ask("sampling/createMessage", std::move(params));
    const boost::json::value& content = said.at("content");
    const object& first = content.is_array() ? content.as_array().at(0).as_object() : content.as_object();
    co_return mcp_call_result::of_text("LLM response: " + std::string{first.at("text").as_string()});
}

std::string outcome_text(const char* begin, const object& said)
{
    const boost::json::value* const content = said.if_contains("content");
    return std::string{begin} + "action=" + std::string{said.at("action").as_string()} +
           ", content=" + (content ? boost::json::serialize(*content) : std::string{"{}"});
}

task<mcp_call_result> elicit(mcp_server_context& context, object given)
{
    const object schema = weft::parse_json(R"({"type": "object", "required": ["username", "email"], "properties": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"}}})").as_object();
    const object said = co_await context.elicit(std::string{given.at("message").as_string()}, schema);
    co_return mcp_call_result::of_text(outcome_text("User response: ", said));
}

task<mcp_call_result> elicit_defaults(mcp_server_context& context, object)
{
    const object schema = weft::parse_json(R"({"type": "object", "required": [], "properties": {
        "name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5}, "verified": {"type": "boolean", "default": true},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"}}})").as_object();
    const object said = co_await context.elicit("Please look at the defaults", schema);
    co_return mcp_call_result::of_text(outcome_text("Elicitation completed: ", said));
}

task<mcp_call_result> elicit_enums(mcp_server_context& context, object)
{
    const object schema = weft::parse_json(R"({"type": "object", "properties": {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"},
            {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}]},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"},
            {"const": "value2", "title": "Second Choice"}, {"const": "value3", "title": "Third Choice"}]}}}})")
                              .as_object();
    const object said = co_await context.elicit("Please choose", schema);
    co_return mcp_call_result::of_text(outcome_text("Elicitation completed: ", said));
}

}  // namespace

void add_conversations(weft::mcp_server& server)
{
    constexpr const char* prompt_schema =
        R"({"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]})";
    constexpr const char* message_schema =
        R"({"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]})";
    server.add_tool(tool_named("test_tool_with_logging", "Logs while it runs"), with_logging);
    server.add_tool(tool_named("test_logging_tool", "Logs while it runs"), with_logging);
    server.add_tool(tool_named("test_streaming_elicitation", "Asks after a while"), elicit_in_stream);
    server.add_tool(tool_named("test_trigger_tool_change", "Tells that tools changed"),
                    [&server](mcp_server_context&, object) { return tell_change(server, weft::mcp_list::tools); });
    server.add_tool(tool_named("test_trigger_prompt_change", "Tells that prompts changed"),
                    [&server](mcp_server_context&, object) { return tell_change(server, weft::mcp_list::prompts); });
    server.add_tool(tool_named("test_tool_with_progress", "Tells its progress"), with_progress);
    server.add_tool(tool_named("test_error_handling", "Always fails"), fail);
    server.add_tool(tool_named("test_reconnection", "Closes its stream before it answers"), reconnect);
    server.add_tool(tool_named("sleep", "Takes a minute"), sleep_long);
    server.add_tool(tool_named("test_sampling", "Asks the client's model", prompt_schema), sample);
    server.add_tool(tool_named("test_elicitation", "Asks a person", message_schema), elicit);
    server.add_tool(tool_named("test_elicitation_sep1034_defaults", "Asks with defaults"), elicit_defaults);
    server.add_tool(tool_named("test_elicitation_sep1330_enums", "Asks for choices"), elicit_enums);
}
