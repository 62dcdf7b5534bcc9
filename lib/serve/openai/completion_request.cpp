#include "completion_request.hpp"

#include "openai_error.hpp"
#include "request_fields.hpp"
#include "response_request.hpp"
#include "serve/order/sent_tools.hpp"

#include <weft/base/json/json_peek.hpp>

namespace weft::serve_detail {

namespace {

using boost::json::object;
using boost::json::value;

constexpr std::size_t tools_max = 128;

/** To pass over these would give an answer that means something else. */
void refuse_what_graphs_have_not(const object& body)
{
    const completion_fields& fields = fields_of<completion_fields>();
    // One answer in the place of several would pass for all of them.
    const value* const count = fields.count.in(body);
    if (count && *count != 1)
        refuse_parameter("n", "a graph gives one answer: expected 1", "unsupported_value");
    const value* const likely = fields.logprobs.in(body);
    const value* const top = fields.top_logprobs.in(body);
    if ((likely && *likely != false) || (top && *top != 0))
        refuse_parameter(likely && *likely != false ? "logprobs" : "top_logprobs",
                         "graphs have no probabilities of tokens", "unsupported_value");
    for (const value_field* const none : {&fields.functions, &fields.function_call, &fields.audio})
        if (none->in(body))
            refuse_parameter(none->name(), none == &fields.audio ? "graphs answer with text" : "use tools in its place",
                             "unsupported_parameter");
}

void read_tools(completion_request& request, const object& body)
{
    const value* const given = fields_of<completion_fields>().tools.in(body);
    if (!given) return;
    if (!given->is_array()) refuse_parameter("tools", "expected a list", "invalid_type");
    if (given->get_array().size() > tools_max)
        refuse_parameter("tools", "there are more than " + std::to_string(tools_max));
    for (std::size_t i = 0; i < given->get_array().size(); ++i) {
        const std::string place = "tools[" + std::to_string(i) + "]";
        const value& one = given->get_array()[i];
        const value* const function = one.is_object() ? peek_member(one.get_object(), "function") : nullptr;
        if (!function || !function->is_object())
            refuse_parameter(place + ".function", "expected an object: only functions are supported");
        const value* const name = peek_member(function->get_object(), "name");
        if (!name || !name->is_string() || name->get_string().empty())
            refuse_parameter(place + ".function.name", "is required", "missing_required_parameter");
        // As in Responses, so that a graph reads one form.
        object tool;
        tool["type"] = "function";
        tool["name"] = *name;
        for (const std::string_view member : {"description", "parameters", "strict"})
            if (const value* const more = peek_member(function->get_object(), member)) tool[member] = *more;
        request.tools.push_back(std::move(tool));
    }
}

}  // namespace

completion_request read_completion_request(const object& body)
{
    const completion_fields& fields = fields_of<completion_fields>();
    completion_request request;
    request.model = fields.model.needed_in(body);
    const value* const messages = fields.messages.in(body);
    refuse_what_graphs_have_not(body);
    request.stream = fields.stream.is_set(body);
    if (const object* const options = fields.options.in(body)) {
        request.includes_usage = fields.in_options.includes_usage.is_set(*options);
        // As OpenAI has it: a client that forgot to stream learns it here.
        if (!request.stream) refuse_parameter("stream_options", "is only allowed with stream");
    }
    read_tools(request, body);
    request.sent_tools = sent_tools_of(body);
    request.metadata = read_openai_metadata(fields.metadata, body);
    if (const value* const thread = request.metadata.if_contains("thread_id"))
        request.thread = thread->get_string();
    // Last, because it is the longest: a small mistake is found before a long history is read.
    request.input = read_chat_messages(*messages);
    return request;
}

}  // namespace weft::serve_detail
