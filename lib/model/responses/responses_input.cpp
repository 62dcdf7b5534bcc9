#include "responses_input.hpp"

#include "model/wire/request_writing.hpp"
#include "responses_items.hpp"

#include <weft/chat/image.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

struct item_writer {
    const responses_settings& settings;
    std::string_view model;
    json::storage_ptr storage;
    std::vector<std::string_view> text_calls{};  // the calls with free text; they are answered in another way

    void put(json::array& out, const message& m);

private:
    [[nodiscard]] json::value clean(std::string_view text) const { return clean_text(text, storage); }
    [[nodiscard]] json::object& new_item(json::array& out, std::string_view type) const;
    void put_message(json::array& out, const message& m) const;
    void put_assistant(json::array& out, const message& m) const;
    void put_call(json::array& out, const tool_call& call) const;
    void put_result(json::array& out, const message& m) const;
    [[nodiscard]] bool put_own_items(json::array& out, const message& m) const;
    [[nodiscard]] json::value content(const message& m) const;
    [[nodiscard]] json::object part(std::string_view type, std::string_view member, std::string_view text) const;
    [[nodiscard]] json::object image(const image_part& picture) const;
};

json::object& item_writer::new_item(json::array& out, std::string_view type) const
{
    json::object& item = out.emplace_back(json::object_kind).get_object();
    item.emplace("type", json::string_view{type});
    return item;
}

json::object item_writer::part(std::string_view type, std::string_view member, std::string_view text) const
{
    json::object out(storage);
    out.emplace("type", json::string_view{type});
    out.emplace(member, clean(text));
    return out;
}

json::object item_writer::image(const image_part& picture) const
{
    json::object out = part("input_image", "image_url", address_of(picture));
    if (!picture.detail.empty()) out.emplace("detail", clean(picture.detail));
    return out;
}

/** One text goes as a plain string. */
json::value item_writer::content(const message& m) const
{
    const auto is_image = [](const content_part& p) { return std::holds_alternative<image_part>(p); };
    if (std::none_of(m.content.begin(), m.content.end(), is_image)) return clean(m.text());
    json::array parts(storage);
    for (const content_part& p : m.content) {
        if (const text_part* text = std::get_if<text_part>(&p))
            parts.push_back(part("input_text", "text", text->text));
        else if (const image_part* picture = std::get_if<image_part>(&p))
            parts.push_back(image(*picture));
    }
    return parts;
}

void item_writer::put_message(json::array& out, const message& m) const
{
    json::object& item = new_item(out, "message");
    item.emplace("role", json::string_view{name_of(m.role)});
    item.emplace("content", content(m));
}

void item_writer::put_call(json::array& out, const tool_call& call) const
{
    const bool is_text = call.input == tool_input::text;
    json::object& item = new_item(out, is_text ? "custom_tool_call" : "function_call");
    item.emplace("call_id", clean(call.id));
    item.emplace("name", clean(call.name));
    item.emplace(is_text ? "input" : "arguments", clean(call.arguments));
}

/** What the model sent, as it was. @return Whether there is such a thing for this model. */
bool item_writer::put_own_items(json::array& out, const message& m) const
{
    if (!m.provider || m.provider->provider != settings.provider || m.provider->model != model) return false;
    const json::object* fields = m.provider->fields.if_object();
    const json::value* member = fields ? fields->if_contains("output") : nullptr;
    const json::array* items = member ? member->if_array() : nullptr;
    if (!items || !may_stand_for(*items, m, settings.store)) return false;
    for (const json::value& item : *items) out.push_back(item);
    return true;
}

void item_writer::put_assistant(json::array& out, const message& m) const
{
    if (put_own_items(out, m)) return;
    const std::string text = m.text();
    const std::string refusal = m.refusal();
    if (!text.empty() || !refusal.empty() || m.tool_calls.empty()) {
        json::object& item = new_item(out, "message");
        item.emplace("role", "assistant");
        if (refusal.empty()) {
            item.emplace("content", clean(text));
        } else {
            json::array parts(storage);
            if (!text.empty()) parts.push_back(part("output_text", "text", text));
            parts.push_back(part("refusal", "refusal", refusal));
            item.emplace("content", std::move(parts));
        }
    }
    for (const tool_call& call : m.tool_calls) put_call(out, call);
}

void item_writer::put_result(json::array& out, const message& m) const
{
    const bool is_text = std::find(text_calls.begin(), text_calls.end(), m.tool_call_id) != text_calls.end();
    json::object& item = new_item(out, is_text ? "custom_tool_call_output" : "function_call_output");
    item.emplace("call_id", clean(m.tool_call_id));
    item.emplace("output", content(m));
}

void item_writer::put(json::array& out, const message& m)
{
    for (const tool_call& call : m.tool_calls)
        if (call.input == tool_input::text) text_calls.push_back(call.id);
    if (m.role == role::assistant)
        put_assistant(out, m);
    else if (m.role == role::tool)
        put_result(out, m);
    else
        put_message(out, m);
}

}  // namespace

std::size_t count_instructions(const list<message>& conversation)
{
    std::size_t count = 0;
    for (const message& m : conversation) {
        if (m.role != role::system) return count;
        ++count;
    }
    return 0;  // an endpoint wants at least one item
}

json::array responses_input(const list<message>& conversation, std::size_t skipped, const responses_settings& settings,
                            std::string_view model, json::storage_ptr storage)
{
    item_writer write{settings, model, storage};
    json::array out(storage);
    out.reserve(conversation.size());
    std::size_t place = 0;
    for (const message& m : conversation)
        if (place++ >= skipped) write.put(out, m);
    return out;
}

}  // namespace weft::model_detail
