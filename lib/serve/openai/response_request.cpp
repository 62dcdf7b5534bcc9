#include "response_request.hpp"

#include "openai_error.hpp"
#include "serve/wire/body_fields.hpp"

#include <array>
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

struct known_type {
    std::string_view name;
    bool (*fits)(const value& given);
    std::string_view expected;
};

bool is_text(const value& given) { return given.is_string(); }
bool is_number(const value& given) { return given.is_number(); }
bool is_count(const value& given) { return given.is_int64() && given.get_int64() >= 0; }
bool is_flag(const value& given) { return given.is_bool(); }
bool is_object(const value& given) { return given.is_object(); }
bool is_choice(const value& given) { return given.is_string() || given.is_object(); }

constexpr std::array<known_type, 17> repeated{{
    {"instructions", is_text, "a string"},
    {"max_output_tokens", is_count, "a number of tokens"},
    {"max_tool_calls", is_count, "a number"},
    {"parallel_tool_calls", is_flag, "true or false"},
    {"previous_response_id", is_text, "a string"},
    {"prompt_cache_key", is_text, "a string"},
    {"safety_identifier", is_text, "a string"},
    {"service_tier", is_text, "a string"},
    {"temperature", is_number, "a number"},
    {"tool_choice", is_choice, "a string or an object"},
    {"top_logprobs", is_count, "a number"},
    {"top_p", is_number, "a number"},
    {"presence_penalty", is_number, "a number"},
    {"frequency_penalty", is_number, "a number"},
    {"truncation", is_text, "a string"},
    {"user", is_text, "a string"},
    {"store", is_flag, "true or false"},
}};

/** Members of an object over those of another one. */
void lay_over(object& under, const object& over)
{
    for (const auto& [name, given] : over)
        if (!given.is_null()) under[name] = given;
}

void repeat(object& echo, const object& body)
{
    for (const known_type& each : repeated) {
        const value* const given = find_member(body, each.name);
        if (!given) continue;
        if (!each.fits(*given))
            refuse_parameter(each.name, "expected " + std::string{each.expected}, "invalid_type");
        echo[each.name] = *given;
    }
    // The response says which one it was, not how it was chosen.
    if (echo.at("service_tier") == "auto") echo["service_tier"] = "default";
    for (const std::string_view name : {std::string_view{"reasoning"}, std::string_view{"text"}}) {
        const value* const given = find_member(body, name);
        if (!given) continue;
        if (!is_object(*given)) refuse_parameter(name, "expected an object", "invalid_type");
        lay_over(echo.at(name).get_object(), given->get_object());
    }
    if (const object* const format = object_member(echo.at("text").get_object(), "format"))
        if (!format->if_contains("type")) refuse_parameter("text.format.type", "is required");
}

/** A tool of the client, with all members that clients expect in the response. */
object read_tool(const value& given, const std::string& place)
{
    if (!given.is_object()) refuse_parameter(place, "expected an object", "invalid_type");
    const object& from = given.get_object();
    const value* const type = find_member(from, "type");
    // Passed over, a search that the client counts on would not take place.
    if (!type || *type != "function")
        refuse_parameter(place + ".type", "only functions are supported; a graph has its own tools",
                         "unsupported_value");
    const value* const name = find_member(from, "name");
    if (!name || !name->is_string() || name->get_string().empty())
        refuse_parameter(place + ".name", "is required", "missing_required_parameter");
    object tool;
    tool["type"] = "function";
    tool["name"] = *name;
    const value* const description = find_member(from, "description");
    // Clients with strict schemas want the members, also where they are null.
    tool["description"] = description && description->is_string() ? *description : value(nullptr);
    const value* const parameters = find_member(from, "parameters");
    if (parameters && !parameters->is_object())
        refuse_parameter(place + ".parameters", "expected a JSON Schema", "invalid_type");
    tool["parameters"] = parameters ? *parameters : value(nullptr);
    const value* const strict = find_member(from, "strict");
    tool["strict"] = strict && strict->is_bool() ? *strict : value(nullptr);
    return tool;
}

array read_tools(const object& body)
{
    array tools;
    const value* const given = find_member(body, "tools");
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
    const value* const given = find_member(body, "conversation");
    if (!given) return {};
    const value* id = given;
    if (given->is_object()) id = find_member(given->get_object(), "id");
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
    if (find_member(body, "prompt"))
        refuse_parameter("prompt", "the server has no prompts: its models are graphs", "unsupported_parameter");
    const bool says_something = !request.input.messages.empty() || !request.instructions.empty();
    if (!says_something && request.previous.empty() && request.conversation.empty())
        refuse_parameter("input", "is required", "missing_required_parameter");
}

}  // namespace

object read_openai_metadata(const object& body)
{
    const value* const given = find_member(body, "metadata");
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
    response_request request;
    const value* const model = find_member(body, "model");
    if (!model || !model->is_string() || model->get_string().empty())
        refuse_parameter("model", "is required: the name of a graph", "missing_required_parameter");
    request.model = model->get_string();
    request.echo = defaults();
    request.echo["model"] = request.model;
    repeat(request.echo, body);
    request.tools = read_tools(body);
    request.sent_tools = sent_tools_of(body);
    request.echo["tools"] = request.tools;
    request.echo["metadata"] = read_openai_metadata(body);
    if (const value* const text = find_member(body, "instructions")) request.instructions = text->get_string();
    if (const value* const text = find_member(body, "previous_response_id")) request.previous = text->get_string();
    request.conversation = conversation_in(body);
    request.store = request.echo.at("store").get_bool();
    for (const auto& [name, flag] : {std::pair{"background", &request.background}, {"stream", &request.stream}}) {
        const value* const given = find_member(body, name);
        if (given && !given->is_bool()) refuse_parameter(name, "expected true or false", "invalid_type");
        if (given) *flag = given->get_bool();
    }
    request.echo["background"] = request.background;
    if (const value* const input = body.if_contains("input")) request.input = read_response_input(*input, open);
    check_together(request, body);
    return request;
}

}  // namespace weft::serve_detail
