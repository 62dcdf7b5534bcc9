#include "message_wire.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

struct name_pair {
    std::string_view ours;
    std::string_view theirs;
};
constexpr std::array<name_pair, 4> types{
    {{"user", "human"}, {"assistant", "ai"}, {"system", "system"}, {"tool", "tool"}}};

std::string_view text_at(const object& from, std::string_view name)
{
    const value* const found = from.if_contains(name);
    return found && found->is_string() ? std::string_view{found->get_string()} : std::string_view{};
}

[[noreturn]] void refuse_message(std::string_view where, std::string_view why)
{
    throw error{errc::unexpected_json, std::string{where}, std::string{why}};
}

std::string data_url(std::string_view media_type, std::string_view base64)
{
    std::string url{"data:"};
    url.append(media_type).append(";base64,").append(base64);
    return url;
}

/** Parts of a content, which LangChain's clients know as blocks. */
value content_to_langchain(const value& content)
{
    if (!content.is_array()) return content;
    array blocks;
    for (const value& part : content.get_array()) {
        const object& from = part.get_object();
        object block;
        const std::string_view type = text_at(from, "type");
        if (type == "text" || type == "refusal") {
            block = {{"type", "text"}, {"text", text_at(from, "text")}};
        } else if (type == "reasoning") {
            block = {{"type", "reasoning"}, {"reasoning", text_at(from, "text")}};
        } else {
            std::string url{text_at(from, "url")};
            // Clients know no bytes beside a URL: these are one that holds them.
            if (url.empty()) url = data_url(text_at(from, "media_type"), text_at(from, "data"));
            block = {{"type", "image_url"}, {"image_url", object{{"url", url}}}};
        }
        blocks.push_back(std::move(block));
    }
    return blocks;
}

value content_from_langchain(const value& content, std::string_view where)
{
    if (content.is_string()) return content;
    if (content.is_null()) return "";
    if (!content.is_array()) refuse_message(where, "content: expected a text or a list of blocks");
    array parts;
    for (const value& block : content.get_array()) {
        if (block.is_string()) {
            parts.push_back(object{{"type", "text"}, {"text", block}});
            continue;
        }
        if (!block.is_object()) refuse_message(where, "content: expected blocks that are objects");
        const object& from = block.get_object();
        const std::string_view type = text_at(from, "type");
        if (type == "text") {
            parts.push_back(object{{"type", "text"}, {"text", text_at(from, "text")}});
        } else if (type == "reasoning") {
            parts.push_back(object{{"type", "reasoning"}, {"text", text_at(from, "reasoning")}});
        } else if (type == "image_url" || type == "image") {
            const value* const image = from.if_contains("image_url");
            std::string_view url = text_at(from, "url");
            if (image) url = image->is_object() ? text_at(image->get_object(), "url") : text_at(from, "image_url");
            parts.push_back(object{{"type", "image"}, {"url", url}});
        } else {
            refuse_message(where, "content: a block of the type '" + std::string{type} +
                                      "' is none of text, reasoning, image_url");
        }
    }
    return parts;
}

array calls_to_langchain(const value& calls)
{
    array result;
    for (const value& call : calls.get_array()) {
        const object& from = call.get_object();
        // The arguments are the model's words, which need not be JSON.
        value args = object{};
        try {
            args = parse_json(text_at(from, "arguments"));
        } catch (const error&) {
            args = object{{"__raw__", text_at(from, "arguments")}};
        }
        result.push_back(object{{"name", text_at(from, "name")},
                                {"args", args},
                                {"id", text_at(from, "id")},
                                {"type", "tool_call"}});
    }
    return result;
}

array calls_from_langchain(const value& calls, std::string_view where)
{
    if (!calls.is_array()) refuse_message(where, "tool_calls: expected a list");
    array result;
    for (const value& call : calls.get_array()) {
        if (!call.is_object()) refuse_message(where, "tool_calls: expected objects");
        const object& from = call.get_object();
        const value* const args = from.if_contains("args");
        result.push_back(object{{"id", text_at(from, "id")},
                                {"name", text_at(from, "name")},
                                {"arguments", args ? boost::json::serialize(*args) : std::string{"{}"}}});
    }
    return result;
}

std::string_view role_of(std::string_view type, std::string_view where)
{
    for (const name_pair& pair : types)
        if (type == pair.ours || type == pair.theirs) return pair.ours;
    if (type == "AIMessageChunk" || type == "AIMessage") return "assistant";
    if (type == "HumanMessage" || type == "HumanMessageChunk") return "user";
    refuse_message(where, "'" + std::string{type} + "' is no type of a message: human, ai, system or tool");
}

}  // namespace

object message_to_langchain(const object& message, std::string_view id)
{
    const std::string_view role = text_at(message, "role");
    std::string_view type = role;
    for (const name_pair& pair : types)
        if (role == pair.ours) type = pair.theirs;
    const std::string_view own = text_at(message, "id");
    object result{{"id", own.empty() ? id : own}, {"type", type}};
    const value* const content = message.if_contains("content");
    result["content"] = content ? content_to_langchain(*content) : value("");
    // Readers of the SDKs look into these without asking whether they are there.
    result["additional_kwargs"] = object{};
    result["response_metadata"] = object{};
    const std::string_view name = text_at(message, "name");
    result["name"] = name.empty() ? value(nullptr) : value(name);
    if (role == "assistant") {
        const value* const calls = message.if_contains("tool_calls");
        result["tool_calls"] = calls ? calls_to_langchain(*calls) : array{};
        result["invalid_tool_calls"] = array{};
    } else if (role == "tool") {
        result["tool_call_id"] = text_at(message, "tool_call_id");
        result["status"] = message.contains("is_error") ? "error" : "success";
    }
    return result;
}

object message_from_langchain(const value& message, std::string_view where)
{
    // The short forms that LangChain's own `add_messages` takes.
    if (message.is_string()) return {{"role", "user"}, {"content", message}};
    if (message.is_array() && message.get_array().size() == 2 && message.get_array()[0].is_string()) {
        const array& pair = message.get_array();
        return {{"role", role_of(pair[0].get_string(), where)}, {"content", content_from_langchain(pair[1], where)}};
    }
    if (!message.is_object()) refuse_message(where, "expected a message: an object with type and content");
    const object& from = message.get_object();
    // The SDKs send `type`, programs that know OpenAI's form send `role`.
    const std::string_view role = text_at(from, "role");
    object result{{"role", role_of(role.empty() ? text_at(from, "type") : role, where)}};
    const value* const content = from.if_contains("content");
    result["content"] = content ? content_from_langchain(*content, where) : value("");
    const value* const calls = from.if_contains("tool_calls");
    if (calls && calls->is_array() && !calls->get_array().empty())
        result["tool_calls"] = calls_from_langchain(*calls, where);
    for (const char* const field : {"tool_call_id", "name", "id"})
        if (!text_at(from, field).empty()) result[field] = text_at(from, field);
    if (text_at(from, "status") == "error") result["is_error"] = true;
    return result;
}

}  // namespace weft::serve_detail
