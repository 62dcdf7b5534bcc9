#include "ollama_messages.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include "model/wire/request_writing.hpp"

#include <string>
#include <unordered_map>
#include <utility>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

/** The base64 of a picture, bare. */
std::string_view base64_of(const image_part& picture)
{
    if (picture.url.empty()) return picture.base64();
    constexpr std::string_view mark = ";base64,";
    const std::string_view address = picture.url;
    const std::size_t at = address.starts_with("data:") ? address.find(mark) : std::string_view::npos;
    if (at == std::string_view::npos)
        throw error{errc::invalid_configuration, "chat_request.messages",
                    "Ollama fetches no pictures: put the picture itself into the message"};
    return address.substr(at + mark.size());
}

struct ollama_writer {
    std::string_view model;
    json::storage_ptr storage;
    std::unordered_map<std::string_view, std::string_view> tools{};  // the names of the tools called, by id

    void put(json::array& out, const message& m);

private:
    [[nodiscard]] json::value clean(std::string_view text) const { return clean_text(text, storage); }
    void put_images(json::object& out, const message& m) const;
    void put_calls(json::object& out, const message& m);
    [[nodiscard]] json::value arguments(const tool_call& call) const;
};

void ollama_writer::put_images(json::object& out, const message& m) const
{
    json::array images(storage);
    for (const content_part& part : m.content)
        if (const image_part* picture = std::get_if<image_part>(&part)) images.push_back(clean(base64_of(*picture)));
    if (!images.empty()) out.emplace("images", std::move(images));
}

/** Arguments are an object here, whatever a model once wrote. */
json::value ollama_writer::arguments(const tool_call& call) const
{
    json::object written(storage);
    if (call.input == tool_input::text) {
        written.emplace("input", clean(call.arguments));
        return written;
    }
    try {
        return json::value(parse_arguments(call), storage);
    } catch (const error&) {
        return written;
    }
}

void ollama_writer::put_calls(json::object& out, const message& m)
{
    if (m.tool_calls.empty()) return;
    json::array calls(storage);
    for (const tool_call& call : m.tool_calls) {
        tools.insert_or_assign(call.id, call.name);
        json::object function(storage);
        function.emplace("name", clean(call.name));
        function.emplace("arguments", arguments(call));
        json::object& entry = calls.emplace_back(json::object_kind).get_object();
        entry.emplace("id", clean(call.id));
        entry.emplace("function", std::move(function));
    }
    out.emplace("tool_calls", std::move(calls));
}

void ollama_writer::put(json::array& out, const message& m)
{
    json::object& entry = out.emplace_back(json::object_kind).get_object();
    entry.emplace("role", json::string_view{name_of(m.role)});
    const std::string refusal = m.refusal();
    entry.emplace("content", clean(m.text() + refusal));
    const bool is_own = m.provider && m.provider->provider == ollama_name && m.provider->model == model;
    if (const std::string thoughts = is_own ? m.reasoning() : std::string{}; !thoughts.empty())
        entry.emplace("thinking", clean(thoughts));
    put_images(entry, m);
    put_calls(entry, m);
    if (m.role != role::tool) return;
    const auto tool = tools.find(m.tool_call_id);
    if (tool != tools.end()) entry.emplace("tool_name", clean(tool->second));
    entry.emplace("tool_call_id", clean(m.tool_call_id));
}

}  // namespace

json::array ollama_messages(const list<message>& conversation, std::string_view model, json::storage_ptr storage)
{
    ollama_writer write{model, storage};
    json::array out(storage);
    out.reserve(conversation.size());
    for (const message& m : conversation) write.put(out, m);
    return out;
}

}  // namespace weft::model_detail
