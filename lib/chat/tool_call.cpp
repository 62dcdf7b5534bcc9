#include <weft/chat/tool_call.hpp>

#include <weft/base/error.hpp>

#include "json_fields.hpp"
#include "tool_input.hpp"

#include <utility>

namespace weft {

namespace json = boost::json;

namespace {

json::value parse_text(const tool_call& call, std::string_view text)
{
    try {
        return parse_json(text);
    } catch (const error& e) {
        throw error{e.code(), "arguments of " + call.name, e.where() + ": " + e.detail()};
    }
}

}  // namespace

json::object parse_arguments(const tool_call& call)
{
    // Some models write the object as JSON inside of a JSON string.
    json::value arguments = parse_text(call, call.arguments);
    if (const json::string* inner = arguments.if_string())
        arguments = parse_text(call, std::string{inner->data(), inner->size()});
    if (!arguments.is_object())
        throw error{errc::unexpected_json, "arguments of " + call.name, "expected an object"};
    return std::move(arguments.get_object());
}

namespace chat_detail {

// Arguments are JSON by default, which is left out: conversations of before read and look the same.
void put_input(json::object& out, tool_input input)
{
    if (input == tool_input::text) out.emplace("input", "text");
}

tool_input read_input(const json_fields& fields)
{
    const json::value* member = fields.find("input");
    if (!member) return tool_input::json;
    constexpr const char* names[] = {"json", "text"};
    const json_path path{fields.path(), "input"};
    return static_cast<tool_input>(json_detail::read_name(*member, path, names));
}

}  // namespace chat_detail

void tag_invoke(json::value_from_tag, json::value& out, const tool_call& in)
{
    json::object fields(out.storage());
    fields.emplace("id", in.id);
    fields.emplace("name", in.name);
    fields.emplace("arguments", in.arguments);
    chat_detail::put_input(fields, in.input);
    if (!in.extra.is_null()) fields.emplace("extra", in.extra);
    out = std::move(fields);
}

tool_call tag_invoke(json::value_to_tag<tool_call>, const json::value& in)
{
    const json_path whole;
    const chat_detail::json_fields fields{in, whole};
    tool_call result;
    result.id = fields.get<std::string>("id");
    result.name = fields.get<std::string>("name");
    result.arguments = fields.get<std::string>("arguments");
    result.input = chat_detail::read_input(fields);
    result.extra = fields.get_or_default<json::value>("extra");
    return result;
}

}  // namespace weft
