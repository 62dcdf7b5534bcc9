#include "response_request.hpp"

#include "openai_error.hpp"
#include "request_fields.hpp"

#include <weft/base/json/json_peek.hpp>

#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::size_t pairs_max = 16;
constexpr std::size_t pair_name_max = 64;
constexpr std::size_t pair_text_max = 512;
constexpr std::size_t response_tools_max = 128;

/** Members that a response repeats as they are, with what stands there if the request has none. */
object defaults()
{
    object echo;
    echo["instructions"] = nullptr;
    echo["max_output_tokens"] = nullptr;
    echo["max_tool_calls"] = nullptr;
    echo["parallel_tool_calls"] = true;
    echo["previous_response_id"] = nullptr;
    echo["prompt_cache_key"] = nullptr;
    echo["reasoning"] = object{{"effort", nullptr}, {"summary", nullptr}};
    echo["safety_identifier"] = nullptr;
    echo["service_tier"] = "default";
    echo["temperature"] = 1.0;
    echo["text"] = object{{"format", object{{"type", "text"}}}, {"verbosity", "medium"}};
    echo["tool_choice"] = "auto";
    echo["tools"] = array{};
    echo["top_logprobs"] = 0;
    echo["top_p"] = 1.0;
    echo["presence_penalty"] = 0.0;
    echo["frequency_penalty"] = 0.0;
    echo["truncation"] = "disabled";
    echo["user"] = nullptr;
    echo["metadata"] = object{};
    echo["store"] = true;
    echo["background"] = false;
    return echo;
}

/** Members of an object over those of another one. */
void lay_over(object& under, const object& over)
{
    for (const auto& [name, given] : over)
        if (!given.is_null()) under[name] = given;
}

void repeat(object& echo, const object& body)
{
    const response_request_fields& fields = fields_of<response_request_fields>();
    for (const field* const each : fields.repeated)
        if (const value* const given = each->fitting_in(body)) echo[each->name()] = *given;
    const value& choice = echo.at("tool_choice");
    if (!choice.is_string() && !choice.is_object())
        fields.tool_choice.refuse("expected a string or an object", field_fault::type);
    // The response says which one it was, not how it was chosen.
    if (echo.at("service_tier") == "auto") echo["service_tier"] = "default";
    for (const object_field* const each : {&fields.reasoning, &fields.text})
        if (const object* const given = each->in(body)) lay_over(echo.at(each->name()).get_object(), *given);
    const object* const format = fields.in_text.format.in(echo.at("text").get_object());
    if (format) (void)fields.in_text.in_format.type.in(*format);
}

/** A tool of the client, with all members that clients expect in the response. */
object read_tool(const value& given, const std::string& place)
{
    if (!given.is_object()) refuse_parameter(place, "expected an object", "invalid_type");
    const object& from = given.get_object();
    const value* const type = peek_member(from, "type");
    // Passed over, a search that the client counts on would not take place.
    if (!type || *type != "function")
        refuse_parameter(place + ".type", "only functions are supported; a graph has its own tools",
                         "unsupported_value");
    const value* const name = peek_member(from, "name");
    if (!name || !name->is_string() || name->get_string().empty())
        refuse_parameter(place + ".name", "is required", "missing_required_parameter");
    object tool;
    tool["type"] = "function";
    tool["name"] = *name;
    const value* const description = peek_member(from, "description");
    // Clients with strict schemas want the members, also where they are null.
    tool["description"] = description && description->is_string() ? *description : value(nullptr);
    const value* const parameters = peek_member(from, "parameters");
    if (parameters && !parameters->is_object())
        refuse_parameter(place + ".parameters", "expected a JSON Schema", "invalid_type");
    tool["parameters"] = parameters ? *parameters : value(nullptr);
    const value* const strict = peek_member(from, "strict");
    tool["strict"] = strict && strict->is_bool() ? *strict : value(nullptr);
    return tool;
}

array read_tools(const object& body)
{
    array tools;
    const value* const given = fields_of<response_request_fields>().tools.in(body);
    if (!given) return tools;
    if (!given->is_array()) refuse_parameter("tools", "expected a list", "invalid_type");
    if (given->get_array().size() > response_tools_max)
        refuse_parameter("tools", "there are more than " + std::to_string(response_tools_max));
    for (std::size_t i = 0; i < given->get_array().size(); ++i)
        tools.push_back(read_tool(given->get_array()[i], "tools[" + std::to_string(i) + "]"));
    return tools;
}

/** A conversation is named by its id, or by an object with it. */
std::string conversation_in(const object& body)
{
    const value* const given = fields_of<response_request_fields>().conversation.in(body);
    if (!given) return {};
    const value* id = given;
    if (given->is_object()) id = peek_member(given->get_object(), "id");
    if (!id || !id->is_string() || id->get_string().empty())
        refuse_parameter("conversation", "expected the id of a conversation", "invalid_type");
    return std::string{id->get_string()};
}

void check_together(const response_request& request, const object& body)
{
    if (!request.previous.empty() && !request.conversation.empty())
        refuse_parameter("previous_response_id", "cannot be used together with conversation",
                         "mutually_exclusive_parameters");
    // It could not be found again.
    if (request.background && !request.store)
        refuse_parameter("background", "a response in the background must be stored");
    if (!request.conversation.empty() && !request.store)
        refuse_parameter("store", "a response of a conversation is stored with it");
    if (fields_of<response_request_fields>().prompt.in(body))
        refuse_parameter("prompt", "the server has no prompts: its models are graphs", "unsupported_parameter");
    const bool says_something = !request.input.messages.empty() || !request.instructions.empty();
    if (!says_something && request.previous.empty() && request.conversation.empty())
        refuse_parameter("input", "is required", "missing_required_parameter");
}

}  // namespace

object read_openai_metadata(const value_field& from, const object& body)
{
    const value* const given = from.in(body);
    if (!given) return {};
    if (!given->is_object()) refuse_parameter("metadata", "expected an object", "invalid_type");
    if (given->get_object().size() > pairs_max)
        refuse_parameter("metadata", "expected at most " + std::to_string(pairs_max) + " pairs");
    for (const auto& [name, text] : given->get_object()) {
        if (!text.is_string()) refuse_parameter("metadata", "expected texts as values", "invalid_type");
        if (name.size() > pair_name_max || text.get_string().size() > pair_text_max)
            refuse_parameter("metadata", "a name has at most 64 characters, a value 512");
    }
    return given->get_object();
}

object default_response_echo(std::string_view model)
{
    object echo = defaults();
    echo["model"] = model;
    return echo;
}

response_request read_response_request(const object& body, const compaction_opener& open)
{
    const response_request_fields& fields = fields_of<response_request_fields>();
    response_request request;
    request.model = fields.model.needed_in(body);
    request.echo = defaults();
    request.echo["model"] = request.model;
    repeat(request.echo, body);
    request.tools = read_tools(body);
    request.sent_tools = sent_tools_of(body);
    request.echo["tools"] = request.tools;
    request.echo["metadata"] = read_openai_metadata(fields.metadata, body);
    request.instructions = fields.instructions.text_or_empty(body);
    request.previous = fields.previous.text_or_empty(body);
    request.conversation = conversation_in(body);
    request.store = request.echo.at("store").get_bool();
    request.background = fields.background.is_set(body);
    request.stream = fields.stream.is_set(body);
    request.echo["background"] = request.background;
    if (const value* const input = fields.input.in(body)) request.input = read_response_input(*input, open);
    check_together(request, body);
    return request;
}

}  // namespace weft::serve_detail
