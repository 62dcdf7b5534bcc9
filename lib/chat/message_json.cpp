#include <weft/chat/message.hpp>

#include "json_fields.hpp"

#include <weft/chat/image.hpp>

#include <boost/json/value_from.hpp>

#include <utility>

namespace weft {

namespace json = boost::json;
using chat_detail::json_fields;
using chat_detail::put_text;

namespace {

// Members that are empty are left out: conversations are stored with every checkpoint, and most have none of them.
struct part_writer {
    json::object& out;

    void operator()(const text_part& part) const
    {
        out.emplace("type", "text");
        out.emplace("text", part.text);
    }
    void operator()(const image_part& part) const
    {
        out.emplace("type", "image");
        put_text(out, "url", part.url);
        put_text(out, "media_type", part.media_type());
        put_text(out, "data", part.base64());
        put_text(out, "detail", part.detail);
    }
    void operator()(const reasoning_part& part) const
    {
        out.emplace("type", "reasoning");
        out.emplace("text", part.text);
        put_text(out, "signature", part.signature);
    }
    void operator()(const refusal_part& part) const
    {
        out.emplace("type", "refusal");
        out.emplace("text", part.text);
    }
};

// Most messages are one text, which is written as a plain string: shorter, and what people write by hand.
void put_content(json::object& out, const std::vector<content_part>& content)
{
    if (content.size() == 1 && std::holds_alternative<text_part>(content.front())) {
        out.emplace("content", std::get<text_part>(content.front()).text);
        return;
    }
    json::array list(out.storage());  // braces would make a list of one
    for (const content_part& part : content) {
        json::object& entry = list.emplace_back(json::object_kind).get_object();
        std::visit(part_writer{entry}, part);
    }
    out.emplace("content", std::move(list));
}

content_part read_part(const json::value& in, const json_path& path)
{
    const json_fields fields{in, path};
    const auto text = [&](const char* name) { return fields.get<std::string>(name); };
    const auto text_if_any = [&](std::string_view name) { return fields.get_or_default<std::string>(name); };
    constexpr const char* types[] = {"text", "image", "reasoning", "refusal"};
    const json_path type_path{path, "type"};
    switch (json_detail::read_name(fields.get<json::value>("type"), type_path, types)) {
    case 0: return text_part{text("text")};
    case 1:
        return image_of(text_if_any("url"), text_if_any("media_type"), text_if_any("data"), text_if_any("detail"));
    case 2: return reasoning_part{text("text"), text_if_any("signature")};
    default: return refusal_part{text("text")};
    }
}

// Both forms that `put_content` writes; no content at all is an empty message, as one with tool calls only is.
std::vector<content_part> read_content(const json_fields& fields)
{
    std::vector<content_part> content;
    const json::value* in = fields.find("content");
    if (!in) return content;
    const json_path path{fields.path(), "content"};
    if (in->is_string()) {
        content.emplace_back(text_part{json_detail::read_text(*in, path)});
        return content;
    }
    const json::array& list = json_detail::read_array(*in, path);
    content.reserve(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) content.push_back(read_part(list[i], json_path{path, i}));
    return content;
}

role read_role(const json_fields& fields)
{
    constexpr const char* names[] = {"system", "user", "assistant", "tool"};
    const json_path path{fields.path(), "role"};
    return static_cast<role>(json_detail::read_name(fields.get<json::value>("role"), path, names));
}

// What a provider wants back as it was, such as signatures of reasoning. It is not looked into: another provider
// ignores it, and it must survive a version of weft that does not know its fields.
copied_ptr<provider_data> read_provider(const json_fields& fields)
{
    const json::value* in = fields.find("provider");
    if (!in) return {};
    const json_path path{fields.path(), "provider"};
    const json_fields entry{*in, path};
    return provider_data{entry.get<std::string>("provider"), entry.get_or_default<std::string>("model"),
                         entry.get_or_default<json::value>("fields")};
}

}  // namespace

void tag_invoke(json::value_from_tag, json::value& out, const message& in)
{
    // In the storage of `out`: a value that is moved into another storage is copied in depth.
    json::object fields(out.storage());
    fields.emplace("role", json::string_view{name_of(in.role)});
    put_content(fields, in.content);
    if (!in.tool_calls.empty()) fields.emplace("tool_calls", json::value_from(in.tool_calls, fields.storage()));
    put_text(fields, "tool_call_id", in.tool_call_id);
    if (in.is_error) fields.emplace("is_error", true);
    put_text(fields, "name", in.name);
    put_text(fields, "id", in.id);
    if (in.provider) {
        json::object entry(fields.storage());
        entry.emplace("provider", in.provider->provider);
        put_text(entry, "model", in.provider->model);
        entry.emplace("fields", in.provider->fields);
        fields.emplace("provider", std::move(entry));
    }
    out = std::move(fields);
}

message tag_invoke(json::value_to_tag<message>, const json::value& in)
{
    const json_path whole;
    const json_fields fields{in, whole};
    message result;
    result.role = read_role(fields);
    result.content = read_content(fields);
    result.tool_calls = fields.get_or_default<std::vector<tool_call>>("tool_calls");
    result.tool_call_id = fields.get_or_default<std::string>("tool_call_id");
    result.name = fields.get_or_default<std::string>("name");
    result.id = fields.get_or_default<std::string>("id");
    result.provider = read_provider(fields);
    result.is_error = fields.get_or_default<bool>("is_error");
    return result;
}

}  // namespace weft
