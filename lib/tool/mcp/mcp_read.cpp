#include "mcp_read.hpp"

#include <weft/base/json/json_peek.hpp>
#include <weft/base/json/json_text.hpp>

#include "tool/rpc/mcp_text.hpp"

#include <algorithm>
#include <utility>

namespace weft::mcp_detail {

namespace {

using boost::json::object;
using boost::json::value;

constexpr std::size_t name_max = 256;
constexpr std::size_t uri_max = 8 * 1024;
constexpr std::size_t log_line_max = 4096;

bool is_tool_name(std::string_view name) noexcept
{
    const auto is_allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
               c == '-';
    };
    return !name.empty() && name.size() <= 128 && std::all_of(name.begin(), name.end(), is_allowed);
}

std::string short_text(const object& in, std::string_view name)
{
    return harmless_text(peek_text(in, name), name_max);
}

std::string uri_text(const object& in, std::string_view name)
{
    const std::string_view uri = peek_text(in, name);
    return uri.size() <= uri_max ? std::string{uri} : std::string{};
}

mcp_tool_hints read_hints(const object& tool)
{
    mcp_tool_hints hints;
    const object* in = peek_object(tool, "annotations");
    if (!in) return hints;
    hints.is_read_only = peek_flag(*in, "readOnlyHint", hints.is_read_only);
    hints.is_destructive = peek_flag(*in, "destructiveHint", hints.is_destructive);
    hints.is_idempotent = peek_flag(*in, "idempotentHint", hints.is_idempotent);
    hints.is_open_world = peek_flag(*in, "openWorldHint", hints.is_open_world);
    return hints;
}

std::string title_of(const object& in)
{
    std::string title = short_text(in, "title");
    const object* annotations = peek_object(in, "annotations");
    return title.empty() && annotations ? short_text(*annotations, "title") : title;
}

/** Whether the schemas of a tool may be kept; the one of its output is compiled. The input is checked by the server. */
bool take_schemas(const object& in, mcp_tool& tool, const mcp_limits& limits, std::string& why)
{
    const object* input = peek_object(in, "inputSchema");
    if (!input) return why = "it has no input schema", false;
    tool.input_schema = *input;
    if (to_json_text(tool.input_schema).size() > limits.schema_bytes_max)
        return why = "its input schema has more than " + std::to_string(limits.schema_bytes_max) + " bytes", false;
    std::optional<mcp_argument_headers> headers = mcp_argument_headers::read(tool.input_schema, why);
    if (!headers) return false;
    tool.headers = std::move(*headers);
    if (const object* output = peek_object(in, "outputSchema")) {
        tool.output_schema = *output;
        const json_path whole;
        const auto ignore = [](const json_path&, std::string) {};
        if (auto check = json_schema::read(tool.output_schema, whole, ignore, limits.schemas))
            tool.output_check = std::make_shared<const json_schema>(std::move(*check));
    }
    return true;
}

mcp_content read_embedded_resource(const object& in, mcp_content content)
{
    content.what = mcp_content::kind::resource;
    const object* resource = peek_object(in, "resource");
    if (!resource) return content;
    content.uri = uri_text(*resource, "uri");
    content.mime_type = short_text(*resource, "mimeType");
    content.text = peek_text(*resource, "text");
    content.data = peek_text(*resource, "blob");
    return content;
}

template <class Item>
std::optional<Item> refuse_item(const complaint_sink& complain, std::string why)
{
    complain(std::move(why));
    return std::nullopt;
}

}  // namespace

std::optional<mcp_tool> read_tool(const value& from, const mcp_limits& limits, const complaint_sink& complain)
{
    const object* in = from.if_object();
    const std::string_view name = in ? peek_text(*in, "name") : std::string_view{};
    if (!is_tool_name(name))
        return refuse_item<mcp_tool>(complain,
                                     "left out a tool without a valid name: '" + harmless_text(name, 100) + "'");
    mcp_tool tool;
    tool.name = name;
    tool.title = title_of(*in);
    tool.description = harmless_text(peek_text(*in, "description"), limits.description_bytes_max);
    tool.hints = read_hints(*in);
    std::string why;
    if (!take_schemas(*in, tool, limits, why))
        return refuse_item<mcp_tool>(complain, "left out the tool '" + tool.name + "': " + why);
    if (!tool.output_schema.is_null() && !tool.output_check)
        complain("results of the tool '" + tool.name + "' are not checked: its output schema cannot be used");
    return tool;
}

std::optional<mcp_resource> read_resource(const value& from, const mcp_limits& limits, const complaint_sink& complain)
{
    const object* in = from.if_object();
    mcp_resource resource;
    if (in) resource.uri = uri_text(*in, "uri");
    if (resource.uri.empty()) return refuse_item<mcp_resource>(complain, "left out a resource without an address");
    resource.name = short_text(*in, "name");
    resource.title = title_of(*in);
    resource.description = harmless_text(peek_text(*in, "description"), limits.description_bytes_max);
    resource.mime_type = short_text(*in, "mimeType");
    if (const value* size = peek_member(*in, "size"))
        if (const auto bytes = peek_whole(*size); bytes && *bytes >= 0)
            resource.size = static_cast<std::uint64_t>(*bytes);
    return resource;
}

std::optional<mcp_resource_template> read_resource_template(const value& from, const mcp_limits& limits,
                                                            const complaint_sink& complain)
{
    const object* in = from.if_object();
    mcp_resource_template family;
    if (in) family.uri_template = uri_text(*in, "uriTemplate");
    if (family.uri_template.empty())
        return refuse_item<mcp_resource_template>(complain, "left out a resource template without an address");
    family.name = short_text(*in, "name");
    family.title = title_of(*in);
    family.description = harmless_text(peek_text(*in, "description"), limits.description_bytes_max);
    family.mime_type = short_text(*in, "mimeType");
    return family;
}

std::optional<mcp_prompt> read_prompt(const value& from, const mcp_limits& limits, const complaint_sink& complain)
{
    const object* in = from.if_object();
    mcp_prompt prompt;
    if (in) prompt.name = peek_text(*in, "name");
    if (prompt.name.empty() || prompt.name.size() > name_max)
        return refuse_item<mcp_prompt>(complain, "left out a prompt without a usable name");
    prompt.title = title_of(*in);
    prompt.description = harmless_text(peek_text(*in, "description"), limits.description_bytes_max);
    const boost::json::array* arguments = peek_array(*in, "arguments");
    for (std::size_t i = 0; arguments && i < std::min<std::size_t>(arguments->size(), 100); ++i) {
        const object* argument = (*arguments)[i].if_object();
        if (!argument) continue;
        mcp_prompt_argument read;
        read.name = peek_text(*argument, "name");
        read.description = harmless_text(peek_text(*argument, "description"), limits.description_bytes_max);
        read.is_required = peek_flag(*argument, "required", false);
        prompt.arguments.push_back(std::move(read));
    }
    return prompt;
}

mcp_content read_content(const value& from)
{
    using kind = mcp_content::kind;
    mcp_content content;
    const object* in = from.if_object();
    const std::string_view type = in ? peek_text(*in, "type") : std::string_view{};
    if (type == "text") {
        content.what = kind::text;
        content.text = peek_text(*in, "text");
    } else if (type == "image" || type == "audio") {
        content.what = type == "image" ? kind::image : kind::audio;
        content.data = peek_text(*in, "data");
        content.mime_type = short_text(*in, "mimeType");
    } else if (type == "resource_link") {
        content.what = kind::resource_link;
        content.uri = uri_text(*in, "uri");
        content.name = short_text(*in, "name");
        content.mime_type = short_text(*in, "mimeType");
    } else if (type == "resource") {
        content = read_embedded_resource(*in, std::move(content));
    } else {
        content.raw = from;
    }
    return content;
}

mcp_call_result read_call_result(const object& from)
{
    mcp_call_result result;
    if (const boost::json::array* content = peek_array(from, "content"))
        for (const value& piece : *content) result.content.push_back(read_content(piece));
    if (const value* structured = peek_member(from, "structuredContent")) result.structured = *structured;
    result.is_error = peek_flag(from, "isError", false);
    if (const object* meta = peek_object(from, "_meta")) result.meta = *meta;
    return result;
}

std::vector<mcp_resource_content> read_resource_contents(const object& from)
{
    std::vector<mcp_resource_content> contents;
    const boost::json::array* given = peek_array(from, "contents");
    if (!given) return contents;
    for (const value& piece : *given) {
        const object* in = piece.if_object();
        if (!in) continue;
        mcp_resource_content read;
        read.uri = uri_text(*in, "uri");
        read.mime_type = short_text(*in, "mimeType");
        read.text = peek_text(*in, "text");
        read.blob = peek_text(*in, "blob");
        read.is_text = !in->contains("blob");
        contents.push_back(std::move(read));
    }
    return contents;
}

mcp_prompt_text read_prompt_text(const object& from, const mcp_limits& limits)
{
    mcp_prompt_text prompt;
    prompt.description = harmless_text(peek_text(from, "description"), limits.description_bytes_max);
    const boost::json::array* messages = peek_array(from, "messages");
    if (!messages) return prompt;
    for (const value& message : *messages) {
        const object* in = message.if_object();
        if (!in) continue;
        const value* content = peek_member(*in, "content");
        prompt.messages.push_back({short_text(*in, "role"), content ? read_content(*content) : mcp_content{}});
    }
    return prompt;
}

mcp_progress read_progress(const object& from)
{
    mcp_progress step;
    step.progress = peek_number(from, "progress").value_or(0);
    step.total = peek_number(from, "total");
    step.message = harmless_text(peek_text(from, "message"), name_max * 4);
    return step;
}

mcp_log_line read_log_line(const object& from)
{
    mcp_log_line line;
    line.level = short_text(from, "level");
    line.logger = short_text(from, "logger");
    const value* data = peek_member(from, "data");
    if (!data) return line;
    line.text = harmless_text(data->is_string() ? std::string{data->get_string()} : to_json_text(*data), log_line_max);
    return line;
}

}  // namespace weft::mcp_detail
