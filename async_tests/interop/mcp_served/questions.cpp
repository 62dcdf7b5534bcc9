#include "everything.hpp"

#include <weft/base/json.hpp>

#include <boost/json/serialize.hpp>

namespace {

using boost::json::object;
using weft::mcp_call_result;
using weft::mcp_server_context;
using weft::task;

object parsed(std::string_view text) { return weft::parse_json(text).as_object(); }

object form(std::string_view member, std::string_view type)
{
    object schema{{"type", "object"}, {"required", boost::json::array(1, boost::json::value(member))}};
    schema["properties"] = object{{member, object{{"type", type}}}};
    return schema;
}

std::string content_text(const object& said, std::string_view member)
{
    const auto* const content = said.if_contains("content");
    const auto* const given = content && content->is_object() ? content->get_object().if_contains(member) : nullptr;
    return given && given->is_string() ? std::string{given->get_string()} : std::string{"nothing"};
}

task<mcp_call_result> ask_name(mcp_server_context& context, object)
{
    const object said = co_await context.elicit("What is your name?", form("name", "string"), "user_name");
    co_return mcp_call_result::of_text("Hello, " + content_text(said, "name") + "!");
}

constexpr const char* capital_question = R"({"messages": [{"role": "user",
    "content": {"type": "text", "text": "What is the capital of France?"}}], "maxTokens": 100})";

task<mcp_call_result> ask_model(mcp_server_context& context, object)
{
    const object said = co_await context.ask("sampling/createMessage", parsed(capital_question), "capital_question");
    co_return mcp_call_result::of_text(boost::json::serialize(said.at("content")));
}

task<mcp_call_result> ask_roots(mcp_server_context& context, object)
{
    const object said = co_await context.ask("roots/list", object{}, "client_roots");
    co_return mcp_call_result::of_text(boost::json::serialize(said.at("roots")));
}

task<mcp_call_result> confirm(mcp_server_context& context, object)
{
    const object said = co_await context.elicit("Please confirm", form("ok", "boolean"), "confirm");
    co_return mcp_call_result::of_text("state-ok: " + std::string{said.at("action").as_string()});
}

task<mcp_call_result> ask_three_things(mcp_server_context& context, object)
{
    object questions;
    questions["user_name"] = object{{"method", "elicitation/create"},
                                    {"params", object{{"message", "What is your name?"},
                                                      {"requestedSchema", form("name", "string")}}}};
    questions["greeting"] = object{{"method", "sampling/createMessage"}, {"params", parsed(R"({"messages": [
        {"role": "user", "content": {"type": "text", "text": "Generate a greeting"}}], "maxTokens": 50})")}};
    questions["client_roots"] = object{{"method", "roots/list"}, {"params", object{}}};
    const object said = co_await context.ask_all(std::move(questions));
    co_return mcp_call_result::of_text(boost::json::serialize(said));
}

task<mcp_call_result> ask_twice(mcp_server_context& context, object)
{
    const object first = co_await context.elicit("Step 1: What is your name?", form("name", "string"), "step1");
    const object second =
        co_await context.elicit("Step 2: What is your favorite color?", form("color", "string"), "step2");
    co_return mcp_call_result::of_text(content_text(first, "name") + " likes " + content_text(second, "color"));
}

/** Asks for whatever the client can answer. */
task<mcp_call_result> ask_what_it_can(mcp_server_context& context, object)
{
    object questions;
    if (context.client().samples())
        questions["model"] = object{{"method", "sampling/createMessage"}, {"params", parsed(capital_question)}};
    if (context.client().elicits()) {
        object params{{"message", "Well?"}, {"requestedSchema", form("x", "string")}};
        questions["person"] = object{{"method", "elicitation/create"}, {"params", std::move(params)}};
    }
    const object said = co_await context.ask_all(std::move(questions));
    co_return mcp_call_result::of_text(boost::json::serialize(said));
}

task<weft::mcp_prompt_text> ask_for_prompt(mcp_server_context& context, object)
{
    const object said =
        co_await context.elicit("What context should the prompt use?", form("context", "string"), "user_context");
    weft::mcp_prompt_text prompt;
    prompt.messages.push_back({"user", text_content("In the context of " + content_text(said, "context"))});
    co_return prompt;
}

}  // namespace

void add_questions(weft::mcp_server& server)
{
    const std::string begin = "test_input_required_result_";
    server.add_tool(tool_named(begin + "elicitation", "Asks a person"), ask_name);
    server.add_tool(tool_named(begin + "sampling", "Asks a model"), ask_model);
    server.add_tool(tool_named(begin + "list_roots", "Asks for roots"), ask_roots);
    server.add_tool(tool_named(begin + "request_state", "Asks, and knows its question again"), confirm);
    server.add_tool(tool_named(begin + "tampered_state", "The same"), confirm);
    server.add_tool(tool_named(begin + "multiple_inputs", "Asks three things at once"), ask_three_things);
    server.add_tool(tool_named(begin + "multi_round", "Asks two things, one after the other"), ask_twice);
    server.add_tool(tool_named(begin + "capabilities", "Asks what the client can answer"), ask_what_it_can);
    server.add_tool(tool_named("test_missing_capability", "Asks the client's model"), ask_model);
    weft::mcp_prompt prompt;
    prompt.name = begin + "prompt";
    prompt.description = "Asks before it says anything";
    server.add_prompt(std::move(prompt), ask_for_prompt);
}
