#include "agent_input.hpp"

#include "serve/http/fields.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::size_t id_bytes_max = 512;
constexpr std::string_view id_expected{"expected 1 to 512 bytes, none of them a control character"};
constexpr std::string_view objects_schema = R"({"type":"array","items":{"type":"object"}})";

struct input_fields : field_set {
    using field_set::field_set;

    text_field thread{*this, "threadId", "The thread; it is made if it is not there", field_need::required};
    text_field run{*this, "runId", "The client's name of this request", field_need::required};
    text_field parent_run{*this, "parentRunId", "The run that has caused it"};
    text_field version{*this, "protocolVersion", "What the client speaks"};
    value_field messages{*this, "messages", "The whole conversation", objects_schema};
    object_field state{*this, "state", "Values of the graph's keys: those that differ are changed"};
    value_field tools{*this, "tools", "For graphs with a key ag_ui", objects_schema};
    value_field context{*this, "context", "For graphs with a key ag_ui", objects_schema};
    value_field forwarded{*this, "forwardedProps", "For graphs with a key ag_ui"};
    value_field answers{*this, "resume", "Answers to the questions of the thread", objects_schema};
};

const input_fields& fields_of_input()
{
    static const input_fields all{"body"};
    return all;
}

[[noreturn]] void refuse_input(std::string_view place, std::string_view why)
{
    throw misfit_error("body." + std::string{place}, why, field_fault::value);
}

/** Ids are keys of stores and parts of URLs. */
bool fits_id(std::string_view id) noexcept
{
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    return id.size() <= id_bytes_max && std::none_of(id.begin(), id.end(), is_control);
}

std::string place_in(std::string_view list, std::size_t index)
{
    return std::string{list} + '[' + std::to_string(index) + ']';
}

/** A member that must be there; it may be an empty text. */
std::string needed_text(const object& from, std::string_view name, const std::string& where)
{
    const value* const found = peek_member(from, name);
    if (!found || !found->is_string()) refuse_input(where + '.' + std::string{name}, "expected a string");
    return std::string{found->get_string()};
}

std::string needed_id(const object& from, std::string_view name, const std::string& where)
{
    std::string id = needed_text(from, name, where);
    if (id.empty() || !fits_id(id)) refuse_input(where + '.' + std::string{name}, id_expected);
    return id;
}

const array* list_member(const object& from, std::string_view name, const std::string& where)
{
    const value* const found = peek_member(from, name);
    if (found && !found->is_array()) refuse_input(where, "expected a list");
    return found ? &found->get_array() : nullptr;
}

const array* list_of(const value_field& from, const object& body)
{
    const value* const found = from.in(body);
    if (found && !found->is_array()) from.refuse("expected a list");
    return found ? &found->get_array() : nullptr;
}

/** Empty if it is left out. */
std::string short_text(const text_field& from, const object& body)
{
    std::string text = from.in(body).value_or("");
    if (!fits_id(text)) from.refuse(id_expected);
    return text;
}

const object& object_at(const array& from, std::size_t index, const std::string& where)
{
    if (!from[index].is_object()) refuse_input(where, "expected an object");
    return from[index].get_object();
}

std::string url_with_bytes(const std::string& media_type, std::string_view base64)
{
    return "data:" + media_type + ";base64," + std::string{base64};
}

std::string_view plain_text(const object& from, std::string_view name) noexcept
{
    const value* const found = from.if_contains(name);
    return found && found->is_string() ? std::string_view{found->get_string()} : std::string_view{};
}

/** The picture of a part: by address, or by value. */
std::string picture_in(const object& part, const std::string& where)
{
    // What clients sent before 1.0.
    if (plain_text(part, "type") == "binary") {
        const std::string media{plain_text(part, "mimeType")};
        if (!media.starts_with("image/")) refuse_input(where, "only pictures are taken, and no '" + media + "'");
        const std::string_view url = plain_text(part, "url");
        return url.empty() ? url_with_bytes(media, plain_text(part, "data")) : std::string{url};
    }
    const value* const source = peek_member(part, "source");
    if (!source || !source->is_object()) refuse_input(where + ".source", "expected an object");
    const object& from = source->get_object();
    const std::string_view type = plain_text(from, "type");
    const std::string given = needed_text(from, "value", where + ".source");
    if (type == "url") return given;
    if (type != "data") refuse_input(where + ".source.type", "expected url or data");
    return url_with_bytes(needed_text(from, "mimeType", where + ".source"), given);
}

/** Parts of a content as LangChain's blocks; their text is added to `text`. */
array blocks_of(const array& parts, const std::string& where, std::string& text)
{
    array blocks;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string at = place_in(where, i);
        const object& part = object_at(parts, i, at);
        const std::string_view type = plain_text(part, "type");
        if (type == "text") {
            const std::string piece = needed_text(part, "text", at);
            text.append(piece);
            blocks.push_back(object{{"type", "text"}, {"text", piece}});
        } else if (type == "image" || type == "binary") {
            const object address{{"url", picture_in(part, at)}};
            blocks.push_back(object{{"type", "image_url"}, {"image_url", address}});
        } else {
            refuse_input(at + ".type", "expected text or image, found '" + std::string{type} + "'");
        }
    }
    return blocks;
}

/** @return  The content of LangChain's form. */
value content_of(const object& from, const std::string& where, std::string& text, bool may_be_missing)
{
    const value* const content = peek_member(from, "content");
    if (!content) {
        if (!may_be_missing) refuse_input(where + ".content", "expected a text or a list of parts");
        return "";
    }
    if (content->is_string()) {
        text = std::string{content->get_string()};
        return *content;
    }
    if (!content->is_array()) refuse_input(where + ".content", "expected a text or a list of parts");
    return blocks_of(content->get_array(), where + ".content", text);
}

array calls_of(const object& from, const std::string& where, std::vector<std::string>& ids)
{
    array calls;
    const array* const given = list_member(from, "toolCalls", where + ".toolCalls");
    for (std::size_t i = 0; given && i < given->size(); ++i) {
        const std::string at = place_in(where + ".toolCalls", i);
        const object& call = object_at(*given, i, at);
        const value* const function = peek_member(call, "function");
        if (!function || !function->is_object()) refuse_input(at + ".function", "expected an object");
        const std::string arguments = needed_text(function->get_object(), "arguments", at + ".function");
        value args = object{};
        try {
            if (!arguments.empty()) args = parse_json(arguments);
        } catch (const error&) {
            args = object{{"__raw__", arguments}};  // a model's words need not be JSON
        }
        ids.push_back(needed_id(call, "id", at));
        calls.push_back(object{{"id", ids.back()},
                               {"name", needed_text(function->get_object(), "name", at + ".function")},
                               {"args", std::move(args)}});
    }
    return calls;
}

std::optional<role> role_named(std::string_view name) noexcept
{
    constexpr std::array<std::pair<std::string_view, role>, 5> roles{{{"user", role::user},
                                                                      {"assistant", role::assistant},
                                                                      {"system", role::system},
                                                                      {"developer", role::system},
                                                                      {"tool", role::tool}}};
    for (const auto& [known, which] : roles)
        if (known == name) return which;
    return std::nullopt;
}

/** @return  Nothing of a message that is for people only. */
std::optional<agent_message> message_of(const object& from, const std::string& where)
{
    agent_message read;
    read.id = needed_id(from, "id", where);
    const std::string name = needed_text(from, "role", where);
    if (name == "activity" || name == "reasoning") return std::nullopt;
    const std::optional<role> which = role_named(name);
    if (!which)
        refuse_input(where + ".role",
                      "expected one of user, assistant, system, developer, tool, activity, reasoning");
    read.role = *which;
    read.form = {{"id", read.id}, {"role", name_of(read.role)}};
    read.form["content"] = content_of(from, where, read.text, read.role == role::assistant);
    if (read.role == role::assistant) {
        if (array calls = calls_of(from, where, read.calls); !calls.empty()) read.form["tool_calls"] = std::move(calls);
    }
    if (read.role == role::tool) {
        read.answered_call = needed_id(from, "toolCallId", where);
        read.form["tool_call_id"] = read.answered_call;
        if (const value* const wrong = peek_member(from, "error"); wrong && wrong->is_string()) {
            read.form["status"] = "error";
            // What a model learns of a failure is the text.
            if (read.text.empty()) read.form["content"] = *wrong;
        }
    }
    if (const std::string_view author = plain_text(from, "name"); !author.empty()) read.form["name"] = author;
    return read;
}

std::vector<agent_answer> answers_in(const object& body)
{
    std::vector<agent_answer> answers;
    const array* const given = list_of(fields_of_input().answers, body);
    for (std::size_t i = 0; given && i < given->size(); ++i) {
        const std::string at = place_in("resume", i);
        const object& entry = object_at(*given, i, at);
        agent_answer& answer = answers.emplace_back();
        answer.question = needed_id(entry, "interruptId", at);
        const std::string status = needed_text(entry, "status", at);
        if (status != "resolved" && status != "cancelled")
            refuse_input(at + ".status", "expected resolved or cancelled");
        answer.is_cancelled = status == "cancelled";
        if (const value* const payload = entry.if_contains("payload")) answer.payload = *payload;
    }
    return answers;
}

object surroundings_in(const object& body)
{
    object result;
    for (const value_field* const each : {&fields_of_input().tools, &fields_of_input().context}) {
        const array* const given = list_of(*each, body);
        for (std::size_t i = 0; given && i < given->size(); ++i) object_at(*given, i, place_in(each->name(), i));
        if (given && !given->empty()) result[each->name()] = *given;
    }
    const value* const forwarded = fields_of_input().forwarded.in(body);
    const bool is_empty = !forwarded || (forwarded->is_object() && forwarded->get_object().empty());
    if (!is_empty) result["forwardedProps"] = *forwarded;
    return result;
}

}  // namespace

agent_input read_agent_input(const object& body)
{
    const input_fields& fields = fields_of_input();
    agent_input read;
    read.thread = short_text(fields.thread, body);
    read.run = short_text(fields.run, body);
    read.parent_run = short_text(fields.parent_run, body);
    // Clients say their version from 1.0 on.
    read.speaks_v1 = fields.version.in(body).has_value();
    const array* const messages = list_of(fields.messages, body);
    for (std::size_t i = 0; messages && i < messages->size(); ++i) {
        const std::string at = place_in("messages", i);
        if (auto message = message_of(object_at(*messages, i, at), at)) read.messages.push_back(std::move(*message));
    }
    if (const object* const state = fields.state.in(body)) read.state = *state;
    read.surroundings = surroundings_in(body);
    read.answers = answers_in(body);
    return read;
}

const field_set& agent_input_fields() { return fields_of_input(); }

}  // namespace weft::serve_detail
