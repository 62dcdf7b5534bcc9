#include "scripted_reply_json.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace weft::testing {

namespace {

namespace json = boost::json;

// Pieces are put together as text: a whole document for each token would hide how they are cut.
std::string in_quotes(std::string_view text) { return json::serialize(json::string_view{text}); }

json::object usage_object(const weft::usage& count)
{
    return {{"prompt_tokens", count.input.count()},
            {"completion_tokens", count.output.count()},
            {"total_tokens", count.total().count()},
            {"prompt_tokens_details", {{"cached_tokens", count.cached.count()}}},
            {"completion_tokens_details", {{"reasoning_tokens", count.reasoning.count()}}}};
}

json::value finish_value(const scripted_reply_content& parts)
{
    if (parts.fault == scripted_fault::end) return nullptr;
    if (parts.finish_reason) return json::value(*parts.finish_reason);
    return parts.tool_calls.empty() ? "stop" : "tool_calls";
}

json::object message_of(const scripted_reply_content& parts)
{
    std::string text;
    for (const std::string& piece : parts.pieces) text += piece;
    json::object message{{"role", "assistant"}, {"content", nullptr}, {"refusal", nullptr}};
    if (!text.empty() || parts.tool_calls.empty()) message["content"] = text;
    if (parts.tool_calls.empty()) return message;
    json::array& calls = message["tool_calls"].emplace_array();
    for (const scripted_tool_call& call : parts.tool_calls) {
        json::object function{{"name", call.name}, {"arguments", call.arguments}};
        calls.push_back(
            json::object{{"id", call.id}, {"type", "function"}, {"function", std::move(function)}});
    }
    return message;
}

}  // namespace

std::string error_document(std::string_view message, std::string_view type, int code)
{
    return "{\"error\":{\"message\":" + in_quotes(message) + ",\"type\":" + in_quotes(type) +
           ",\"param\":null,\"code\":" + std::to_string(code) + "}}";
}

// Clients go by the type as well as by the status, and real endpoints send both.
std::string_view error_type_of(int status) noexcept
{
    switch (status) {
    case 401: return "authentication_error";
    case 403: return "permission_error";
    case 404: return "not_found_error";
    case 429: return "rate_limit_error";
    case 503: return "service_unavailable_error";
    default: return status >= 500 ? "server_error" : "invalid_request_error";
    }
}

// The name comes once and the arguments behind it in pieces, as OpenAI streams them.
std::string tool_call_head(std::size_t index, const scripted_tool_call& call)
{
    return "{\"index\":" + std::to_string(index) + ",\"id\":" + in_quotes(call.id) +
           ",\"type\":\"function\",\"function\":{\"name\":" + in_quotes(call.name) +
           ",\"arguments\":\"\"}}";
}

std::string tool_call_arguments(std::size_t index, std::string_view piece)
{
    return "{\"index\":" + std::to_string(index) +
           ",\"function\":{\"arguments\":" + in_quotes(piece) + "}}";
}

chat_chunks::chat_chunks(const chat_naming& naming, bool with_usage)
    : head_{"data: {\"id\":" + in_quotes(naming.id) +
            ",\"object\":\"chat.completion.chunk\",\"created\":" + std::to_string(naming.created) +
            ",\"model\":" + in_quotes(naming.model) + ",\"choices\":["},
      tail_{with_usage ? "],\"usage\":null}\n\n" : "]}\n\n"}
{
}

std::string chat_chunks::opening(bool has_text) const
{
    return event(has_text ? R"({"role":"assistant","content":"","refusal":null})"
                          : R"({"role":"assistant","content":null})",
                 "null");
}

std::string chat_chunks::text(std::string_view piece) const
{
    return event("{\"content\":" + in_quotes(piece) + "}", "null");
}

std::string chat_chunks::tool_call(std::string_view part) const
{
    return event("{\"tool_calls\":[" + std::string{part} + "]}", "null");
}

std::string chat_chunks::finish(std::string_view reason) const
{
    return event("{}", in_quotes(reason));
}

// Behind the last choice and with none of its own: clients that read only choices pass over it.
std::string chat_chunks::usage(const weft::usage& count) const
{
    return head_ + "],\"usage\":" + json::serialize(usage_object(count)) + "}\n\n";
}

std::string chat_chunks::event(std::string_view delta, std::string_view finish) const
{
    std::string event;
    event.reserve(head_.size() + delta.size() + finish.size() + tail_.size() + 64);
    event.append(head_).append("{\"index\":0,\"delta\":").append(delta);
    event.append(",\"logprobs\":null,\"finish_reason\":").append(finish).append("}").append(tail_);
    return event;
}

std::string chat_document(const chat_naming& naming, const scripted_reply_content& parts,
                          const weft::usage& count)
{
    json::object choice{{"index", 0},
                        {"message", message_of(parts)},
                        {"logprobs", nullptr},
                        {"finish_reason", finish_value(parts)}};
    json::array choices;
    choices.push_back(std::move(choice));
    const json::object document{{"id", naming.id},
                                {"object", "chat.completion"},
                                {"created", naming.created},
                                {"model", naming.model},
                                {"choices", std::move(choices)},
                                {"usage", usage_object(count)}};
    return json::serialize(document);
}

}  // namespace weft::testing
