#include "completion_request.hpp"

#include "openai_error.hpp"
#include "response_request.hpp"
#include "serve/order/sent_tools.hpp"
#include "serve/wire/body_fields.hpp"

#include <array>

namespace weft::serve_detail {

namespace {

using boost::json::object;
using boost::json::value;

constexpr std::size_t tools_max = 128;

/** `null` counts as left out, as in all bodies. */
bool flag_of(const object& from, std::string_view name, std::string_view place)
{
    const value* const given = find_member(from, name);
    if (given && !given->is_bool()) refuse_parameter(place, "expected true or false", "invalid_type");
    return given && given->get_bool();
}

/** To pass over these would give an answer that means something else. */
void refuse_what_graphs_have_not(const object& body)
{
    // One answer in the place of several would pass for all of them.
    const value* const count = find_member(body, "n");
    if (count && (!count->is_int64() || count->get_int64() != 1))
        refuse_parameter("n", "a graph gives one answer: expected 1", "unsupported_value");
    if (flag_of(body, "logprobs", "logprobs"))
        refuse_parameter("logprobs", "graphs have no probabilities of tokens", "unsupported_value");
    const value* const top = find_member(body, "top_logprobs");
    if (top && *top != 0)
        refuse_parameter("top_logprobs", "graphs have no probabilities of tokens", "unsupported_value");
    for (const std::string_view name : {"functions", "function_call", "audio"})
        if (find_member(body, name))
            refuse_parameter(name, name == "audio" ? "graphs answer with text" : "use tools in its place",
                             "unsupported_parameter");
}

void read_tools(completion_request& request, const object& body)
{
    const value* const given = find_member(body, "tools");
    if (!given) return;
    if (!given->is_array()) refuse_parameter("tools", "expected a list", "invalid_type");
    if (given->get_array().size() > tools_max)
        refuse_parameter("tools", "there are more than " + std::to_string(tools_max));
    for (std::size_t i = 0; i < given->get_array().size(); ++i) {
        const std::string place = "tools[" + std::to_string(i) + "]";
        const value& one = given->get_array()[i];
        const value* const function = one.is_object() ? find_member(one.get_object(), "function") : nullptr;
        if (!function || !function->is_object())
            refuse_parameter(place + ".function", "expected an object: only functions are supported");
        const value* const name = find_member(function->get_object(), "name");
        if (!name || !name->is_string() || name->get_string().empty())
            refuse_parameter(place + ".function.name", "is required", "missing_required_parameter");
        // As in Responses, so that a graph reads one form.
        object tool;
        tool["type"] = "function";
        tool["name"] = *name;
        for (const std::string_view member : {"description", "parameters", "strict"})
            if (const value* const more = find_member(function->get_object(), member)) tool[member] = *more;
        request.tools.push_back(std::move(tool));
    }
}

}  // namespace

completion_request read_completion_request(const object& body)
{
    completion_request request;
    const value* const model = find_member(body, "model");
    if (!model || !model->is_string() || model->get_string().empty())
        refuse_parameter("model", "is required: the name of a graph", "missing_required_parameter");
    request.model = model->get_string();
    const value* const messages = find_member(body, "messages");
    if (!messages) refuse_parameter("messages", "is required", "missing_required_parameter");
    refuse_what_graphs_have_not(body);
    request.stream = flag_of(body, "stream", "stream");
    if (const value* const options = find_member(body, "stream_options")) {
        if (!options->is_object()) refuse_parameter("stream_options", "expected an object", "invalid_type");
        // As OpenAI has it: a client that forgot to stream learns it here.
        if (!request.stream) refuse_parameter("stream_options", "is only allowed with stream");
        request.includes_usage = flag_of(options->get_object(), "include_usage", "stream_options.include_usage");
    }
    read_tools(request, body);
    request.sent_tools = sent_tools_of(body);
    request.metadata = read_openai_metadata(body);
    if (const value* const thread = request.metadata.if_contains("thread_id"))
        request.thread = thread->get_string();
    // Last, because it is the longest: a small mistake is found before a long history is read.
    request.input = read_chat_messages(*messages);
    return request;
}

}  // namespace weft::serve_detail
