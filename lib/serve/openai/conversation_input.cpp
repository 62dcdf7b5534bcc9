#include "conversation_input.hpp"

#include "openai_error.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::size_t items_max = 10'000;

std::string item_place(std::string_view list, std::size_t index)
{
    return std::string{list}.append("[").append(std::to_string(index)).append("]");
}

std::string below(std::string_view place, std::string_view member)
{
    return std::string{place}.append(".").append(member);
}

const value* present(const object& from, std::string_view name)
{
    const value* const found = from.if_contains(name);
    return found && !found->is_null() ? found : nullptr;
}

std::string_view text_of_member(const object& from, std::string_view name, std::string_view place)
{
    const value* const found = present(from, name);
    if (!found) return {};
    if (!found->is_string()) refuse_parameter(below(place, name), "expected a string", "invalid_type");
    return found->get_string();
}

std::string_view required_member(const object& from, std::string_view name, std::string_view place)
{
    const std::string_view text = text_of_member(from, name, place);
    if (text.empty()) refuse_parameter(below(place, name), "is required", "missing_required_parameter");
    return text;
}

object image_block(const object& part, std::string_view place)
{
    const value* const image = present(part, "image_url");
    std::string_view url;
    if (image && image->is_object()) url = required_member(image->get_object(), "url", below(place, "image_url"));
    else url = required_member(part, "image_url", place);
    object block;
    block["type"] = "image_url";
    block["image_url"] = object{{"url", url}};
    return block;
}

object part_block(const value& part, std::string_view place)
{
    if (!part.is_object()) refuse_parameter(place, "expected an object", "invalid_type");
    const object& from = part.get_object();
    const std::string_view type = required_member(from, "type", place);
    object block;
    block["type"] = "text";
    if (type == "text" || type == "input_text" || type == "output_text") {
        block["text"] = text_of_member(from, "text", place);
        return block;
    }
    if (type == "refusal") {
        block["text"] = text_of_member(from, "refusal", place);
        return block;
    }
    if (type == "image_url" || type == "input_image") return image_block(from, place);
    refuse_parameter(below(place, "type"), "'" + std::string{type} + "' is not supported; give text or images",
                     "unsupported_value");
}

/** Content as blocks of LangChain; one text stays a text. */
value content_blocks(const value* content, std::string_view place)
{
    if (!content) return "";
    if (content->is_string()) return *content;
    if (!content->is_array()) refuse_parameter(place, "expected a text or a list of parts", "invalid_type");
    array blocks;
    const array& parts = content->get_array();
    for (std::size_t i = 0; i < parts.size(); ++i) blocks.push_back(part_block(parts[i], item_place(place, i)));
    // Most clients send one part: in the state it is a plain text, as other protocols write it.
    if (blocks.size() == 1 && blocks[0].at("type") == "text") return value(blocks[0].at("text"));
    return value(std::move(blocks));
}

/** The text of a tool's output, which may come in parts. */
std::string output_text_of(const value* content, std::string_view place)
{
    const value blocks = content_blocks(content, place);
    if (blocks.is_string()) return std::string{blocks.get_string()};
    std::string text;
    for (const value& block : blocks.get_array())
        if (block.at("type") == "text") text.append(block.at("text").as_string());
    return text;
}

/** Arguments are a text with JSON; what is none stays a text. */
value arguments_of(std::string_view text)
{
    if (text.empty()) return object{};
    try {
        return parse_json(text);
    } catch (const error&) {
        return value(text);
    }
}

object call_of(std::string_view id, std::string_view name, std::string_view arguments)
{
    object call;
    call["id"] = id;
    call["name"] = name;
    call["args"] = arguments_of(arguments);
    return call;
}

array calls_of_message(const object& from, std::string_view place)
{
    array calls;
    const value* const given = present(from, "tool_calls");
    if (!given) return calls;
    if (!given->is_array()) refuse_parameter(below(place, "tool_calls"), "expected a list", "invalid_type");
    for (std::size_t i = 0; i < given->get_array().size(); ++i) {
        const std::string at = item_place(below(place, "tool_calls"), i);
        const value& call = given->get_array()[i];
        if (!call.is_object()) refuse_parameter(at, "expected an object", "invalid_type");
        const value* const function = present(call.get_object(), "function");
        if (!function || !function->is_object())
            refuse_parameter(below(at, "function"), "expected an object", "invalid_type");
        const std::string_view id = required_member(call.get_object(), "id", at);
        const std::string_view name = required_member(function->get_object(), "name", below(at, "function"));
        calls.push_back(
            call_of(id, name, text_of_member(function->get_object(), "arguments", below(at, "function"))));
    }
    return calls;
}

/** A role as ours; empty: it is none of those that both protocols have. */
std::string_view common_role(std::string_view role) noexcept
{
    // The newer name of the same role.
    if (role == "developer") return "system";
    return role == "system" || role == "user" || role == "assistant" ? role : std::string_view{};
}

object chat_message(const value& given, std::string_view place)
{
    if (!given.is_object()) refuse_parameter(place, "expected an object", "invalid_type");
    const object& from = given.get_object();
    const std::string_view role = required_member(from, "role", place);
    object result;
    const std::string content_place = below(place, "content");
    if (role == "tool") {
        result["role"] = "tool";
        result["tool_call_id"] = required_member(from, "tool_call_id", place);
        result["content"] = output_text_of(present(from, "content"), content_place);
        return result;
    }
    const std::string_view ours = common_role(role);
    if (ours.empty())
        refuse_parameter(below(place, "role"),
                         "'" + std::string{role} + "': expected system, developer, user, assistant or tool");
    result["role"] = ours;
    result["content"] = content_blocks(present(from, "content"), content_place);
    if (const std::string_view name = text_of_member(from, "name", place); !name.empty()) result["name"] = name;
    if (ours == "assistant")
        if (array calls = calls_of_message(from, place); !calls.empty()) result["tool_calls"] = std::move(calls);
    // An assistant that only calls has none.
    if (ours == "user" && !present(from, "content"))
        refuse_parameter(content_place, "is required", "missing_required_parameter");
    return result;
}

void add_message(conversation_input& to, object message, std::string place)
{
    to.messages.push_back(std::move(message));
    to.places.push_back(std::move(place));
}

/** Calls that follow one another, or words of the assistant, are one message of it: their results come behind. */
void add_function_call(conversation_input& to, const object& item, std::string_view place)
{
    object call = call_of(required_member(item, "call_id", place), required_member(item, "name", place),
                          text_of_member(item, "arguments", place));
    // Behind a result the next call is another turn of the model.
    const bool joins = !to.messages.empty() && to.messages.back().at("role") == "assistant";
    if (!joins) {
        object message;
        message["role"] = "assistant";
        message["content"] = "";
        add_message(to, std::move(message), std::string{place});
    }
    value& calls = to.messages.back().get_object()["tool_calls"];
    if (!calls.is_array()) calls.emplace_array();
    calls.get_array().push_back(std::move(call));
}

void add_item(conversation_input& to, const value& given, std::string place, const compaction_opener& open)
{
    if (!given.is_object()) refuse_parameter(place, "expected an object", "invalid_type");
    const object& item = given.get_object();
    const std::string_view named = text_of_member(item, "type", place);
    // The short form has no type.
    const std::string_view type = named.empty() ? std::string_view{"message"} : named;
    if (type == "reasoning") return;  // graphs think anew
    if (type == "function_call") return add_function_call(to, item, place);
    object message;
    if (type == "compaction" || type == "compaction_summary") {
        for (value& kept : open(required_member(item, "encrypted_content", place), below(place, "encrypted_content")))
            add_message(to, std::move(kept.as_object()), place);
        return;
    }
    if (type == "function_call_output") {
        message["role"] = "tool";
        message["tool_call_id"] = required_member(item, "call_id", place);
        message["content"] = output_text_of(present(item, "output"), below(place, "output"));
    } else if (type == "message") {
        const std::string_view role = common_role(required_member(item, "role", place));
        if (role.empty())
            refuse_parameter(below(place, "role"), "expected user, assistant, system or developer");
        message["role"] = role;
        message["content"] = content_blocks(present(item, "content"), below(place, "content"));
    } else {
        refuse_parameter(below(place, "type"), "items of the type '" + std::string{type} + "' are not supported",
                         "unsupported_value");
    }
    add_message(to, std::move(message), std::move(place));
}

}  // namespace

std::string conversation_input::text() const
{
    for (std::size_t i = messages.size(); i-- > 0;) {
        const object& message = messages[i].get_object();
        if (message.at("role") != "user") continue;
        return output_text_of(&message.at("content"), "input");
    }
    return {};
}

conversation_input read_chat_messages(const value& messages)
{
    if (!messages.is_array()) refuse_parameter("messages", "expected a list", "invalid_type");
    const array& given = messages.get_array();
    if (given.empty()) refuse_parameter("messages", "expected at least one message");
    if (given.size() > items_max) refuse_parameter("messages", "there are more than " + std::to_string(items_max));
    conversation_input result;
    for (std::size_t i = 0; i < given.size(); ++i) {
        std::string place = item_place("messages", i);
        object message = chat_message(given[i], place);
        add_message(result, std::move(message), std::move(place));
    }
    return result;
}

conversation_input read_response_input(const value& input, const compaction_opener& open,
                                       std::string_view member)
{
    conversation_input result;
    if (input.is_null()) return result;
    if (input.is_string()) {
        object message;
        message["role"] = "user";
        message["content"] = input;
        add_message(result, std::move(message), std::string{member});
        return result;
    }
    if (!input.is_array()) refuse_parameter(member, "expected a text or a list of items", "invalid_type");
    const array& given = input.get_array();
    if (given.size() > items_max) refuse_parameter(member, "there are more than " + std::to_string(items_max));
    for (std::size_t i = 0; i < given.size(); ++i) add_item(result, given[i], item_place(member, i), open);
    return result;
}

}  // namespace weft::serve_detail
