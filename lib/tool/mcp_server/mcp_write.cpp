#include "mcp_write.hpp"

#include <weft/base/json/json_text.hpp>

#include <boost/json/array.hpp>

#include <utility>

namespace weft::mcp_detail {

namespace {

using boost::json::array;
using boost::json::object;

void put_text(object& out, const char* name, const std::string& text)
{
    if (!text.empty()) out[name] = text;
}

object hints_json(const mcp_tool_hints& hints)
{
    const mcp_tool_hints usual;
    object out;
    if (hints.is_read_only != usual.is_read_only) out["readOnlyHint"] = hints.is_read_only;
    if (hints.is_destructive != usual.is_destructive) out["destructiveHint"] = hints.is_destructive;
    if (hints.is_idempotent != usual.is_idempotent) out["idempotentHint"] = hints.is_idempotent;
    if (hints.is_open_world != usual.is_open_world) out["openWorldHint"] = hints.is_open_world;
    return out;
}

object embedded_resource_json(const mcp_content& content)
{
    object resource{{"uri", content.uri}};
    put_text(resource, "mimeType", content.mime_type);
    if (content.data.empty()) resource["text"] = content.text;
    else resource["blob"] = content.data;
    return {{"type", "resource"}, {"resource", std::move(resource)}};
}

struct content_adder {
    mcp_call_result& into;

    void operator()(const text_part& part) const { add_text(part.text); }
    void operator()(const image_part& part) const
    {
        // The protocol has no pictures by address.
        if (!part.data) return add_text(part.url);
        mcp_content picture;
        picture.what = mcp_content::kind::image;
        picture.data = part.base64();
        picture.mime_type = part.media_type();
        into.content.push_back(std::move(picture));
    }
    void operator()(const json_part& part) const
    {
        // Clients that know no structured content read the text.
        add_text(to_json_text(part.value));
        if (into.structured.is_null()) into.structured = part.value;
    }
    void add_text(std::string words) const
    {
        mcp_content piece;
        piece.what = mcp_content::kind::text;
        piece.text = std::move(words);
        into.content.push_back(std::move(piece));
    }
};

}  // namespace

object json_of(const mcp_tool& tool)
{
    object out{{"name", tool.name}};
    put_text(out, "title", tool.title);
    put_text(out, "description", tool.description);
    out["inputSchema"] = tool.input_schema;
    if (!tool.output_schema.is_null()) out["outputSchema"] = tool.output_schema;
    if (object hints = hints_json(tool.hints); !hints.empty()) out["annotations"] = std::move(hints);
    return out;
}

object json_of(const mcp_resource& resource)
{
    object out{{"uri", resource.uri}, {"name", resource.name}};
    put_text(out, "title", resource.title);
    put_text(out, "description", resource.description);
    put_text(out, "mimeType", resource.mime_type);
    if (resource.size) out["size"] = *resource.size;
    return out;
}

object json_of(const mcp_resource_template& family)
{
    object out{{"uriTemplate", family.uri_template}, {"name", family.name}};
    put_text(out, "title", family.title);
    put_text(out, "description", family.description);
    put_text(out, "mimeType", family.mime_type);
    return out;
}

object json_of(const mcp_prompt& prompt)
{
    object out{{"name", prompt.name}};
    put_text(out, "title", prompt.title);
    put_text(out, "description", prompt.description);
    if (prompt.arguments.empty()) return out;
    array arguments;
    for (const mcp_prompt_argument& each : prompt.arguments) {
        object argument{{"name", each.name}};
        put_text(argument, "description", each.description);
        if (each.is_required) argument["required"] = true;
        arguments.push_back(std::move(argument));
    }
    out["arguments"] = std::move(arguments);
    return out;
}

object json_of(const mcp_content& content)
{
    using kind = mcp_content::kind;
    switch (content.what) {
    case kind::text: return {{"type", "text"}, {"text", content.text}};
    case kind::image:
    case kind::audio:
        return {{"type", content.what == kind::image ? "image" : "audio"},
                {"data", content.data},
                {"mimeType", content.mime_type}};
    case kind::resource_link: {
        object out{{"type", "resource_link"}, {"uri", content.uri}, {"name", content.name}};
        put_text(out, "mimeType", content.mime_type);
        return out;
    }
    case kind::resource: return embedded_resource_json(content);
    case kind::unknown: break;
    }
    return content.raw.is_object() ? content.raw.get_object() : object{{"type", "text"}, {"text", content.text}};
}

object json_of(const mcp_call_result& result, mcp_era era)
{
    array content;
    for (const mcp_content& piece : result.content) content.push_back(json_of(piece));
    object out{{"content", std::move(content)}};
    if (result.structured.is_object() || (era == mcp_era::modern && !result.structured.is_null()))
        out["structuredContent"] = result.structured;
    else if (!result.structured.is_null())
        out["structuredContent"] = object{{"result", result.structured}};
    if (result.is_error) out["isError"] = true;
    if (!result.meta.empty()) out["_meta"] = result.meta;
    return out;
}

object json_of(const std::vector<mcp_resource_content>& contents)
{
    array pieces;
    for (const mcp_resource_content& each : contents) {
        object piece{{"uri", each.uri}};
        put_text(piece, "mimeType", each.mime_type);
        if (each.is_text) piece["text"] = each.text;
        else piece["blob"] = each.blob;
        pieces.push_back(std::move(piece));
    }
    return {{"contents", std::move(pieces)}};
}

object json_of(const mcp_prompt_text& prompt)
{
    array messages;
    for (const mcp_prompt_message& each : prompt.messages) {
        const std::string_view role = each.role.empty() ? std::string_view{"user"} : std::string_view{each.role};
        messages.push_back(object{{"role", role}, {"content", json_of(each.content)}});
    }
    object out{{"messages", std::move(messages)}};
    put_text(out, "description", prompt.description);
    return out;
}

mcp_call_result call_result_of(const tool_result& result)
{
    mcp_call_result out;
    for (const tool_content& part : result.content) std::visit(content_adder{out}, part);
    out.is_error = result.is_error;
    return out;
}

}  // namespace weft::mcp_detail
