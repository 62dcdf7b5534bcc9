#include "openai_messages.hpp"

#include "model/wire/tool_id.hpp"

#include <weft/base/json/json_reading.hpp>
#include <weft/chat/image.hpp>


#include <utility>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

struct writer {
    const openai_profile& profile;
    std::string_view model;
    json::storage_ptr storage;

    [[nodiscard]] json::value clean(std::string_view text) const { return clean_text(text, storage); }
    void put_message(json::array& out, const message& m) const;

private:
    void put_assistant(json::object& out, const message& m) const;
    void put_tool_call(json::array& out, const tool_call& call) const;
    void put_provider_fields(json::object& out, const message& m) const;
    [[nodiscard]] json::value content(const message& m) const;
    [[nodiscard]] json::value image(const image_part& part) const;
    [[nodiscard]] std::string_view role_word(role speaker) const;
};

std::string_view writer::role_word(role speaker) const
{
    return speaker == role::system ? std::string_view{profile.system_role} : name_of(speaker);
}

json::value writer::image(const image_part& part) const
{
    json::object target(storage);
    target.emplace("url", clean(address_of(part)));
    if (!part.detail.empty()) target.emplace("detail", clean(part.detail));
    json::object entry(storage);
    entry.emplace("type", "image_url");
    entry.emplace("image_url", std::move(target));
    return entry;
}

/** One text goes as a plain string, since many servers take nothing else. */
json::value writer::content(const message& m) const
{
    json::array parts(storage);
    for (const content_part& part : m.content) {
        if (const text_part* text = std::get_if<text_part>(&part)) {
            json::object& entry = parts.emplace_back(json::object_kind).get_object();
            entry.emplace("type", "text");
            entry.emplace("text", clean(text->text));
        } else if (const image_part* picture = std::get_if<image_part>(&part)) {
            parts.push_back(image(*picture));
        }
    }
    if (parts.empty()) return clean("");
    json::object& first = parts.front().get_object();
    if (parts.size() == 1 && first.contains("text")) return std::move(first.at("text"));
    return parts;
}

/** What the model sent goes back as it was, even when it is broken, unless that would break the server. */
void writer::put_tool_call(json::array& out, const tool_call& call) const
{
    std::string_view arguments = call.arguments;
    if (!profile.takes_broken_arguments && call.input == tool_input::json && !try_parse_json(arguments, storage))
        arguments = "{}";
    const bool is_text = call.input == tool_input::text;
    json::object target(storage);
    target.emplace("name", clean(call.name));
    target.emplace(is_text ? "input" : "arguments", clean(arguments));
    json::object& entry = out.emplace_back(json::object_kind).get_object();
    entry.emplace("id", translated_tool_id(call.id, profile.tool_ids));
    entry.emplace("type", is_text ? "custom" : "function");
    entry.emplace(is_text ? "custom" : "function", std::move(target));
    if (!call.extra.is_null()) entry.emplace("extra_content", call.extra);
}

void writer::put_provider_fields(json::object& out, const message& m) const
{
    // What another provider, or another model of this one, has signed would be refused.
    if (!m.provider || m.provider->provider != profile.provider || m.provider->model != model) return;
    const json::object* fields = m.provider->fields.if_object();
    if (!fields) return;
    // They replace what was written before: the endpoint wants its own fields back as they were.
    for (const json::key_value_pair& field : *fields) out.insert_or_assign(field.key(), field.value());
}

void writer::put_assistant(json::object& out, const message& m) const
{
    const std::string text = m.text();
    const std::string refusal = m.refusal();
    const bool may_lack_text = !m.tool_calls.empty() || !refusal.empty();
    // The interface wants null beside tool calls; some servers take a text only.
    if (text.empty() && may_lack_text && profile.takes_null_content)
        out.emplace("content", nullptr);
    else
        out.emplace("content", clean(text));
    if (!refusal.empty()) out.emplace("refusal", clean(refusal));
    const std::string reasoning = profile.echoes_reasoning ? m.reasoning() : std::string{};
    if (!reasoning.empty() && !profile.reasoning_fields.empty())
        out.emplace(profile.reasoning_fields.front(), clean(reasoning));
    if (!m.tool_calls.empty()) {
        json::array calls(storage);
        for (const tool_call& call : m.tool_calls) put_tool_call(calls, call);
        out.emplace("tool_calls", std::move(calls));
    }
    put_provider_fields(out, m);
}

void writer::put_message(json::array& out, const message& m) const
{
    json::object& entry = out.emplace_back(json::object_kind).get_object();
    entry.emplace("role", json::string_view{role_word(m.role)});
    if (m.role == role::assistant)
        put_assistant(entry, m);
    else if (m.role == role::tool)
        entry.emplace("content", clean(m.text()));  // tools answer in text everywhere, in parts only at some
    else
        entry.emplace("content", content(m));
    if (m.role == role::tool) entry.emplace("tool_call_id", translated_tool_id(m.tool_call_id, profile.tool_ids));
    if (!m.name.empty()) entry.emplace("name", clean(m.name));
}

}  // namespace

json::array openai_messages(const list<message>& conversation, const openai_profile& profile, std::string_view model,
                            json::storage_ptr storage)
{
    const writer write{profile, model, storage};
    json::array out(storage);
    out.reserve(conversation.size());
    for (const message& m : conversation) write.put_message(out, m);
    return out;
}

}  // namespace weft::model_detail
