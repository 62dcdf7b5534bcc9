#include "anthropic_messages.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/chat/tool_call.hpp>

#include "model/wire/request_writing.hpp"
#include "model/wire/tool_id.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

/** Messages of one speaker in a row. */
struct turn {
    std::string_view role;
    json::array blocks;
    std::ptrdiff_t results = 0;  // at the beginning of the blocks
};

struct anthropic_writer {
    const anthropic_settings& settings;
    std::string_view model;
    json::storage_ptr storage;
    std::vector<turn> turns{};

    void add(const message& m);
    void put_text(json::array& out, std::string_view text) const;
    [[nodiscard]] json::value message_of(turn& t) const;

private:
    [[nodiscard]] json::value clean(std::string_view text) const { return clean_text(text, storage); }
    turn& turn_of(std::string_view role);
    void add_result(const message& m);
    void put_content(json::array& out, const message& m) const;
    void put_image(json::array& out, const image_part& part) const;
    void put_assistant(json::array& out, const message& m) const;
    void put_thinking(json::array& out, const reasoning_part& part) const;
    void put_call(json::array& out, const tool_call& call) const;
    void put_raw(json::array& out, const message& m, const json::array& content) const;
    [[nodiscard]] bool is_own(const message& m) const noexcept;
};

const tool_call* find_call(const message& m, std::string_view id) noexcept
{
    const auto found = std::find_if(m.tool_calls.begin(), m.tool_calls.end(),
                                    [id](const tool_call& call) { return call.id == id; });
    return found == m.tool_calls.end() ? nullptr : &*found;
}

turn& anthropic_writer::turn_of(std::string_view role)
{
    if (turns.empty() || turns.back().role != role) turns.push_back({role, json::array(storage)});
    return turns.back();
}

bool anthropic_writer::is_own(const message& m) const noexcept
{
    return m.provider && m.provider->provider == settings.provider && m.provider->model == model;
}

void anthropic_writer::add(const message& m)
{
    if (m.role == role::tool) return add_result(m);
    json::array blocks(storage);
    if (m.role == role::assistant)
        put_assistant(blocks, m);
    else
        put_content(blocks, m);
    if (blocks.empty()) return;
    turn& t = turn_of(m.role == role::assistant ? "assistant" : "user");
    for (json::value& block : blocks) t.blocks.push_back(std::move(block));
}

/** Results stand before everything else in the turn that follows the calls. */
void anthropic_writer::add_result(const message& m)
{
    json::object entry(storage);
    entry.emplace("type", "tool_result");
    entry.emplace("tool_use_id", plain_tool_id(m.tool_call_id));
    json::array content(storage);
    put_content(content, m);
    const bool is_text = content.size() == 1 && content.front().get_object().contains("text");
    if (is_text)
        entry.emplace("content", std::move(content.front().get_object().at("text")));
    else if (!content.empty())
        entry.emplace("content", std::move(content));
    if (m.is_error) entry.emplace("is_error", true);
    turn& t = turn_of("user");
    t.blocks.insert(t.blocks.begin() + t.results, std::move(entry));
    ++t.results;
}

void anthropic_writer::put_text(json::array& out, std::string_view text) const
{
    if (text.empty()) return;
    json::object& entry = out.emplace_back(json::object_kind).get_object();
    entry.emplace("type", "text");
    entry.emplace("text", clean(text));
}

void anthropic_writer::put_image(json::array& out, const image_part& part) const
{
    json::object source(storage);
    source.emplace("type", part.url.empty() ? "base64" : "url");
    if (part.url.empty()) {
        source.emplace("media_type", clean(part.media_type()));
        source.emplace("data", clean(part.base64()));
    } else {
        source.emplace("url", clean(part.url));
    }
    json::object& entry = out.emplace_back(json::object_kind).get_object();
    entry.emplace("type", "image");
    entry.emplace("source", std::move(source));
}

void anthropic_writer::put_content(json::array& out, const message& m) const
{
    for (const content_part& part : m.content) {
        if (const text_part* text = std::get_if<text_part>(&part)) put_text(out, text->text);
        if (const image_part* image = std::get_if<image_part>(&part)) put_image(out, *image);
    }
}

void anthropic_writer::put_thinking(json::array& out, const reasoning_part& part) const
{
    if (part.signature.empty()) return;  // the server takes no other
    json::object& entry = out.emplace_back(json::object_kind).get_object();
    entry.emplace("type", "thinking");
    entry.emplace("thinking", clean(part.text));
    entry.emplace("signature", clean(part.signature));
}

/** Arguments that are no object go in the wrapping that the provider gives to broken ones. */
void anthropic_writer::put_call(json::array& out, const tool_call& call) const
{
    json::object& entry = out.emplace_back(json::object_kind).get_object();
    entry.emplace("type", "tool_use");
    entry.emplace("id", plain_tool_id(call.id));
    entry.emplace("name", clean(call.name));
    json::object input(storage);
    try {
        input = parse_arguments(call);
    } catch (const error&) {
        input.emplace("INVALID_JSON", clean(call.arguments));
    }
    entry.emplace("input", std::move(input));
}

/** What the model sent goes back as it was, but for calls: those that are in the message. */
void anthropic_writer::put_raw(json::array& out, const message& m, const json::array& content) const
{
    std::vector<std::string_view> written;
    for (const json::value& block : content) {
        const json::object* fields = block.if_object();
        if (!fields || peek_text(*fields, "type") != "tool_use") {
            out.push_back(block);
            continue;
        }
        const tool_call* call = find_call(m, peek_text(*fields, "id"));
        if (!call) continue;
        put_call(out, *call);
        written.push_back(call->id);
    }
    for (const tool_call& call : m.tool_calls)
        if (std::find(written.begin(), written.end(), call.id) == written.end()) put_call(out, call);
}

void anthropic_writer::put_assistant(json::array& out, const message& m) const
{
    const bool own = is_own(m);
    const json::object* fields = own ? m.provider->fields.if_object() : nullptr;
    if (const json::array* content = fields ? peek_array(*fields, "content") : nullptr)
        return put_raw(out, m, *content);
    for (const content_part& part : m.content) {
        if (const text_part* text = std::get_if<text_part>(&part)) put_text(out, text->text);
        const reasoning_part* reasoning = own ? std::get_if<reasoning_part>(&part) : nullptr;
        if (reasoning) put_thinking(out, *reasoning);
    }
    for (const tool_call& call : m.tool_calls) put_call(out, call);
}

/** One text goes as a plain string. */
json::value anthropic_writer::message_of(turn& t) const
{
    json::object entry(storage);
    entry.emplace("role", json::string_view{t.role});
    json::object* only = t.blocks.size() == 1 ? t.blocks.front().if_object() : nullptr;
    if (only && only->size() == 2 && only->contains("text"))
        entry.emplace("content", std::move(only->at("text")));
    else
        entry.emplace("content", std::move(t.blocks));
    return entry;
}

/** Marks the last block of each of the last turns, but for thinking, which takes no mark. */
void mark_turns(std::vector<turn>& turns, const anthropic_cache& cache, const json::storage_ptr& storage)
{
    const std::size_t count = std::min(cache.messages, turns.size());
    for (auto t = turns.end() - static_cast<std::ptrdiff_t>(count); t != turns.end(); ++t) {
        json::object* last = t->blocks.back().if_object();
        const std::string_view type = last ? peek_text(*last, "type") : "thinking";
        if (type != "thinking" && type != "redacted_thinking")
            last->emplace("cache_control", cache_mark(cache, storage));
    }
}

}  // namespace

json::object cache_mark(const anthropic_cache& cache, const json::storage_ptr& storage)
{
    json::object mark(storage);
    mark.emplace("type", "ephemeral");
    if (!cache.ttl.empty()) mark.emplace("ttl", clean_text(cache.ttl, storage));
    return mark;
}

anthropic_conversation anthropic_messages(const list<message>& conversation, const anthropic_settings& settings,
                                          std::string_view model, const json::storage_ptr& storage)
{
    anthropic_writer writer{settings, model, storage};
    anthropic_conversation result{json::array(storage), json::array(storage)};
    for (const message& m : conversation) {
        if (m.role == role::system)
            writer.put_text(result.system, m.text());
        else
            writer.add(m);
    }
    mark_turns(writer.turns, settings.cache, storage);
    for (turn& t : writer.turns) result.messages.push_back(writer.message_of(t));
    return result;
}

}  // namespace weft::model_detail
