#include "responses_items.hpp"

#include <weft/base/json/json_peek.hpp>

#include <algorithm>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

constexpr std::string_view paragraph = "\n\n";

void append_paragraphs(std::string& to, const json::array* parts)
{
    if (!parts) return;
    for (const json::value& part : *parts) {
        const json::object* fields = part.if_object();
        const std::string_view text = fields ? peek_text(*fields, "text") : std::string_view{};
        if (!text.empty()) to.append(to.empty() ? "" : paragraph).append(text);
    }
}

/** What items say, to compare with a message. */
struct summary {
    std::string text;
    std::string refusal;
    std::vector<std::string_view> call_ids;
    bool has_lost_reasoning = false;
};

summary summary_of(const json::array& items)
{
    summary s;
    for (const json::value& entry : items) {
        const json::object* item = entry.if_object();
        if (!item) continue;
        const std::string_view type = peek_text(*item, "type");
        if (type == "message") {
            s.text += text_of_parts(*item, "output_text");
            s.refusal += text_of_parts(*item, "refusal");
        } else if (is_function_call(type) || is_custom_call(type)) {
            s.call_ids.push_back(peek_text(*item, "call_id"));
        } else if (type == "reasoning") {
            s.has_lost_reasoning |= peek_text(*item, "encrypted_content").empty();
        }
    }
    return s;
}

}  // namespace

std::string text_of_parts(const json::object& item, std::string_view type)
{
    std::string text;
    const json::array* parts = peek_array(item, "content");
    if (!parts) return std::string{type == "output_text" ? peek_text(item, "content") : std::string_view{}};
    for (const json::value& part : *parts) {
        const json::object* fields = part.if_object();
        if (fields && peek_text(*fields, "type") == type)
            text += peek_text(*fields, type == "refusal" ? "refusal" : "text");
    }
    return text;
}

std::string text_of_reasoning(const json::object& item)
{
    std::string text;
    append_paragraphs(text, peek_array(item, "summary"));
    append_paragraphs(text, peek_array(item, "content"));
    return text;
}

bool is_function_call(std::string_view type) noexcept { return type == "function_call"; }
bool is_custom_call(std::string_view type) noexcept { return type == "custom_tool_call"; }

bool is_plain(const json::object& item)
{
    const std::string_view type = peek_text(item, "type");
    if (is_function_call(type) || is_custom_call(type)) return true;
    return type == "message" && !peek_member(item, "phase");
}

bool may_stand_for(const json::array& items, const message& m, bool is_stored)
{
    const summary said = summary_of(items);
    if (said.has_lost_reasoning && !is_stored) return false;
    return said.text == m.text() && said.refusal == m.refusal() &&
           std::equal(said.call_ids.begin(), said.call_ids.end(), m.tool_calls.begin(), m.tool_calls.end(),
                      [](std::string_view id, const tool_call& call) { return call.id == id; });
}

}  // namespace weft::model_detail
