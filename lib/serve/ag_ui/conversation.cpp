#include "conversation.hpp"

#include <weft/base/list.hpp>
#include <weft/graph/state/list_access.hpp>

#include <boost/json/array.hpp>

#include <utility>
#include <variant>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

const list<message>* grown_list(const value_box& box) noexcept
{
    return &box.type() == &value_type_of<list<message>> ? &unboxed<list<message>>(box) : nullptr;
}

/** Where a picture is. One that is its own address, as other protocols send it, is taken apart. */
object source_of(const image_part& picture)
{
    if (picture.data)
        return {{"type", "data"}, {"value", picture.base64()}, {"mimeType", picture.media_type()}};
    constexpr std::string_view scheme{"data:"};
    constexpr std::string_view coding{";base64,"};
    const std::string_view url{picture.url};
    const std::size_t comma = url.find(coding);
    if (!url.starts_with(scheme) || comma == url.npos) return {{"type", "url"}, {"value", url}};
    return {{"type", "data"},
            {"value", url.substr(comma + coding.size())},
            {"mimeType", url.substr(scheme.size(), comma - scheme.size())}};
}

/** What a person or a tool said: a text, or parts if there is a picture. */
value content_for_agent_client(const message& one)
{
    array parts;
    bool has_picture = false;
    for (const content_part& part : one.content) {
        if (const text_part* const text = std::get_if<text_part>(&part))
            parts.push_back(object{{"type", "text"}, {"text", text->text}});
        const image_part* const picture = std::get_if<image_part>(&part);
        if (!picture) continue;
        has_picture = true;
        parts.push_back(object{{"type", "image"}, {"source", source_of(*picture)}});
    }
    return has_picture ? value(std::move(parts)) : value(one.text());
}

}  // namespace

conversation_view::conversation_view(const value_ptr& of, std::string_view key) noexcept : box_{of.get()}, key_{key}
{
    if (box_ && box_->type().list) size_ = box_->type().list->size(*box_);
}

const message& conversation_view::operator[](std::size_t index) const
{
    const list<message>* const grown = grown_list(*box_);
    return grown ? (*grown)[index] : unboxed<std::vector<message>>(*box_)[index];
}

std::string conversation_view::id_of(std::size_t index) const
{
    const message& one = (*this)[index];
    return one.id.empty() ? std::string{key_} + '-' + std::to_string(index) : one.id;
}

bool conversation_view::extends(const conversation_view& other) const
{
    if (!other.box_) return true;
    return box_ && box_->type().list->extends(*box_, *other.box_);
}

std::vector<object> agent_forms_of(const message& one, std::string_view id)
{
    std::vector<object> forms;
    if (std::string thought = one.reasoning(); !thought.empty())
        forms.push_back({{"id", std::string{id} + "-reasoning"}, {"role", "reasoning"}, {"content", thought}});
    object form{{"id", id}, {"role", name_of(one.role)}};
    if (one.role != role::assistant) form["content"] = content_for_agent_client(one);
    else if (std::string text = one.text() + one.refusal(); !text.empty()) form["content"] = std::move(text);
    if (one.role == role::system) form["content"] = one.text();
    if (!one.name.empty() && one.role != role::tool) form["name"] = one.name;
    array calls;
    for (const tool_call& call : one.tool_calls) {
        object function{{"name", call.name}, {"arguments", call.arguments}};
        calls.push_back(object{{"id", call.id}, {"type", "function"}, {"function", std::move(function)}});
    }
    if (!calls.empty()) form["toolCalls"] = std::move(calls);
    if (one.role == role::tool) {
        form["toolCallId"] = one.tool_call_id;
        if (one.is_error) form["error"] = one.text();
    }
    forms.push_back(std::move(form));
    return forms;
}

}  // namespace weft::serve_detail
