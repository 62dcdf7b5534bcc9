#include "gemini_contents.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/base/memory/sort_stably.hpp>
#include <weft/chat/tool_call.hpp>

#include "model/wire/request_writing.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

/** A tool call that is in the conversation. */
struct known_call {
    std::string name;
    std::size_t order = 0;  // among the calls of its message
    bool has_id = false;    // that the provider knows
};

struct ordered_result {
    std::size_t order;
    json::object part;
};

struct gemini_writer {
    const gemini_settings& settings;
    std::string_view model;
    json::storage_ptr storage;
    json::array contents;
    std::map<std::string, known_call, std::less<>> calls{};
    std::vector<ordered_result> results{};  // of the turn under way
    json::array pictures{};                 // in those results

    void add(const message& m);
    void end_results();
    void put_text(json::array& out, std::string_view text) const;

private:
    [[nodiscard]] json::value clean(std::string_view text) const { return clean_text(text, storage); }
    void add_content(std::string_view role, json::array parts);
    void add_result(const message& m);
    void put_content(json::array& out, const message& m) const;
    void put_image(json::array& out, const image_part& part) const;
    void put_model(json::array& out, const message& m);
    void put_own(json::array& out, const message& m, const json::array& parts);
    json::object& put_call(json::array& out, const tool_call& call, bool has_id) const;
    [[nodiscard]] json::value result_value(const std::string& text) const;
};

void gemini_writer::add_content(std::string_view role, json::array parts)
{
    if (parts.empty()) return;
    json::object& entry = contents.emplace_back(json::object_kind).get_object();
    entry.emplace("role", json::string_view{role});
    entry.emplace("parts", std::move(parts));
}

void gemini_writer::add(const message& m)
{
    if (m.role == role::tool) return add_result(m);
    end_results();
    json::array parts(storage);
    if (m.role == role::assistant)
        put_model(parts, m);
    else
        put_content(parts, m);
    add_content(m.role == role::assistant ? "model" : "user", std::move(parts));
}

void gemini_writer::put_text(json::array& out, std::string_view text) const
{
    if (!text.empty()) out.emplace_back(json::object_kind).get_object().emplace("text", clean(text));
}

void gemini_writer::put_image(json::array& out, const image_part& part) const
{
    json::object data(storage);
    if (!part.media_type().empty()) data.emplace("mimeType", clean(part.media_type()));
    data.emplace(part.url.empty() ? "data" : "fileUri", clean(part.url.empty() ? part.base64() : part.url));
    json::object& entry = out.emplace_back(json::object_kind).get_object();
    entry.emplace(part.url.empty() ? "inlineData" : "fileData", std::move(data));
}

void gemini_writer::put_content(json::array& out, const message& m) const
{
    for (const content_part& part : m.content) {
        if (const text_part* text = std::get_if<text_part>(&part)) put_text(out, text->text);
        if (const image_part* image = std::get_if<image_part>(&part)) put_image(out, *image);
    }
}

/** What a tool said, as JSON if it is; numbers with a point stay as they are written. */
json::value gemini_writer::result_value(const std::string& text) const
{
    try {
        json::value value = parse_json(text, storage);
        if (!value.is_double()) return value;
    } catch (const error&) {
        // Then it is a text.
    }
    return clean(text);
}

void gemini_writer::add_result(const message& m)
{
    const auto call = calls.find(m.tool_call_id);
    const bool is_known = call != calls.end();
    if (!is_known && m.name.empty())
        throw error{errc::invalid_configuration, "chat_request.messages",
                    "the result of tool call '" + m.tool_call_id +
                        "' answers no call of the conversation, and its message has no name"};
    json::object response(storage);
    if (m.is_error)
        response.emplace("error", clean(m.text()));
    else
        response.emplace("output", result_value(m.text()));
    json::object target(storage);
    if (is_known && call->second.has_id) target.emplace("id", clean(m.tool_call_id));
    target.emplace("name", clean(is_known ? call->second.name : m.name));
    target.emplace("response", std::move(response));
    json::object part(storage);
    part.emplace("functionResponse", std::move(target));
    results.push_back({is_known ? call->second.order : results.size(), std::move(part)});
    for (const content_part& extra : m.content)
        if (const image_part* image = std::get_if<image_part>(&extra)) put_image(pictures, *image);
}

/** All results of a turn go in one content, in the order of the calls. */
void gemini_writer::end_results()
{
    sort_stably(results, [](const ordered_result& a, const ordered_result& b) { return a.order < b.order; });
    json::array parts(storage);
    for (ordered_result& result : results) parts.push_back(std::move(result.part));
    for (json::value& picture : pictures) parts.push_back(std::move(picture));
    results.clear();
    pictures.clear();
    add_content("user", std::move(parts));
}

/** @return The part, for what belongs beside the call. */
json::object& gemini_writer::put_call(json::array& out, const tool_call& call, bool has_id) const
{
    json::object target(storage);
    if (has_id) target.emplace("id", clean(call.id));
    target.emplace("name", clean(call.name));
    try {
        target.emplace("args", parse_arguments(call));
    } catch (const error&) {
        json::object broken(storage);
        broken.emplace("invalid_json", clean(call.arguments));
        target.emplace("args", std::move(broken));
    }
    json::object& part = out.emplace_back(json::object_kind).get_object();
    part.emplace("functionCall", std::move(target));
    return part;
}

void gemini_writer::put_model(json::array& out, const message& m)
{
    for (std::size_t i = 0; i < m.tool_calls.size(); ++i)
        calls.insert_or_assign(m.tool_calls[i].id, known_call{m.tool_calls[i].name, i});
    const bool is_own = m.provider && m.provider->provider == settings.provider && m.provider->model == model;
    const json::object* fields = is_own ? m.provider->fields.if_object() : nullptr;
    if (const json::array* parts = fields ? peek_array(*fields, "parts") : nullptr) return put_own(out, m, *parts);
    put_content(out, m);
    bool is_first = true;
    for (const tool_call& call : m.tool_calls) {
        json::object& part = put_call(out, call, false);
        if (std::exchange(is_first, false) && !settings.foreign_signature.empty())
            part.emplace("thoughtSignature", clean(settings.foreign_signature));
    }
}

/** What the model sent goes back as it was, but for calls: those that are in the message. */
void gemini_writer::put_own(json::array& out, const message& m, const json::array& parts)
{
    std::vector<std::string_view> written;
    for (const json::value& value : parts) {
        const json::object* part = value.if_object();
        const std::string_view id = part ? peek_text(*part, "call") : std::string_view{};
        if (id.empty()) {
            out.push_back(value);
            continue;
        }
        const auto call = std::find_if(m.tool_calls.begin(), m.tool_calls.end(),
                                       [id](const tool_call& c) { return c.id == id; });
        if (call == m.tool_calls.end()) continue;
        const bool has_id = peek_flag(*part, "has_id", false);
        calls[call->id].has_id = has_id;
        json::object& entry = put_call(out, *call, has_id);
        const std::string_view signature = peek_text(*part, "thoughtSignature");
        if (!signature.empty()) entry.emplace("thoughtSignature", clean(signature));
        written.push_back(call->id);
    }
    for (const tool_call& call : m.tool_calls)
        if (std::find(written.begin(), written.end(), call.id) == written.end()) put_call(out, call, false);
}

}  // namespace

gemini_conversation gemini_contents(const list<message>& conversation, const gemini_settings& settings,
                                    std::string_view model, const json::storage_ptr& storage)
{
    gemini_writer writer{settings, model, storage, json::array(storage)};
    gemini_conversation result{json::array(storage), json::array(storage)};
    for (const message& m : conversation) {
        if (m.role == role::system)
            writer.put_text(result.system, m.text());
        else
            writer.add(m);
    }
    writer.end_results();
    result.contents = std::move(writer.contents);
    return result;
}

}  // namespace weft::model_detail
