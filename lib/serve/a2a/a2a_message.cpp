#include "a2a_fault.hpp"
#include "a2a_members.hpp"
#include "a2a_request.hpp"

#include <weft/base/text/base64.hpp>
#include <weft/base/utf8.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::size_t parts_max = 1000;
constexpr std::size_t references_max = 16;

void add_text(a2a_message& to, std::string_view text)
{
    to.text.append(to.text.empty() ? "" : "\n").append(text);
    to.blocks.push_back(object{{"type", "text"}, {"text", text}});
}

void add_image(a2a_message& to, std::string url)
{
    to.has_images = true;
    to.blocks.push_back(object{{"type", "image_url"}, {"image_url", object{{"url", std::move(url)}}}});
}

/** Types whose bytes a model can read as they are. */
bool is_text_type(std::string_view type)
{
    return type.starts_with("text/") || type == "application/json" || type.ends_with("+json");
}

void add_bytes(a2a_message& to, std::string_view base64, std::string_view type, std::string_view where)
{
    const std::optional<std::string> bytes = from_base64(base64);
    if (!bytes) refuse_a2a(a2a_code::invalid_params, a2a_path(where, "raw"), "is no base64");
    if (type.starts_with("image/")) {
        std::string url = "data:";
        url.append(type).append(";base64,").append(base64);
        return add_image(to, std::move(url));
    }
    if (is_text_type(type) && is_valid_utf8(*bytes)) return add_text(to, *bytes);
    refuse_a2a(a2a_code::content_type_not_supported, where,
               "files are images or UTF-8 texts, and say so in mediaType; this one says '" + std::string{type} + "'");
}

void add_part(a2a_message& to, const object& part, std::string_view where)
{
    std::string_view kind;
    for (const std::string_view name : {"text", "data", "raw", "url"}) {
        if (!find_a2a(part, name)) continue;
        if (!kind.empty())
            refuse_a2a(a2a_code::invalid_params, where, "has both " + std::string{kind} + " and " + std::string{name});
        kind = name;
    }
    const std::string type = a2a_text(part, "mediaType", where);
    if (kind == "text") return add_text(to, a2a_text(part, "text", where));
    if (kind == "raw") return add_bytes(to, a2a_text(part, "raw", where), type, where);
    if (kind == "data") {
        const value& data = part.at("data");
        to.data.push_back(data);
        // A conversation has no place for values: its model reads them.
        to.blocks.push_back(object{{"type", "text"}, {"text", boost::json::serialize(data)}});
        return;
    }
    if (kind.empty()) refuse_a2a(a2a_code::invalid_params, where, "expected one of text, data, raw, url");
    if (!type.starts_with("image/"))
        refuse_a2a(a2a_code::content_type_not_supported, where, "only images are taken by their url, with a mediaType");
    add_image(to, a2a_text(part, "url", where));
}

void check_role(const object& message)
{
    const std::string role = a2a_text(message, "role", "message");
    if (role.empty()) refuse_a2a(a2a_code::invalid_params, "message.role", "is required");
    if (role != "ROLE_USER" && role != "user")
        refuse_a2a(a2a_code::invalid_params, "message.role", "a client speaks as ROLE_USER");
}

a2a_message read_a2a_message(const object& message)
{
    a2a_message read;
    read.id = required_a2a_id(message, "messageId", "message");
    read.context = a2a_id(message, "contextId", "message");
    read.task = a2a_id(message, "taskId", "message");
    check_role(message);
    if (const array* const references = a2a_list(message, "referenceTaskIds", "message")) {
        if (references->size() > references_max)
            refuse_a2a(a2a_code::invalid_params, "message.referenceTaskIds", "has more than 16 tasks");
        for (const value& one : *references) {
            if (!one.is_string())
                refuse_a2a(a2a_code::invalid_params, "message.referenceTaskIds", "expected strings");
            read.references.emplace_back(one.get_string());
        }
    }
    const array* const parts = a2a_list(message, "parts", "message");
    if (!parts || parts->empty()) refuse_a2a(a2a_code::invalid_params, "message.parts", "is empty: send a part");
    if (parts->size() > parts_max) refuse_a2a(a2a_code::invalid_params, "message.parts", "has more than 1000 parts");
    array told;
    for (std::size_t i = 0; i < parts->size(); ++i) {
        const std::string where = "message.parts[" + std::to_string(i) + "]";
        if (!(*parts)[i].is_object()) refuse_a2a(a2a_code::invalid_params, where, "expected an object");
        object part = current_content((*parts)[i].get_object());
        add_part(read, part, where);
        told.push_back(std::move(part));
    }
    if (const object* const metadata = a2a_object(message, "metadata", "message")) read.metadata = *metadata;
    read.told = {{"messageId", read.id}, {"role", "ROLE_USER"}, {"parts", std::move(told)}};
    return read;
}

/** The forms in which answers are given here. */
bool is_output_type(std::string_view type)
{
    return type == "*/*" || type == "text/*" || type == "text/plain" || type == "text" || type == "application/json" ||
           type == "application/*" || type == "text/markdown";
}

void check_output_modes(const object& configuration)
{
    const array* const modes = a2a_list(configuration, "acceptedOutputModes", "configuration");
    if (!modes || modes->empty()) return;
    const auto fits = [](const value& mode) { return mode.is_string() && is_output_type(mode.get_string()); };
    if (std::none_of(modes->begin(), modes->end(), fits))
        refuse_a2a(a2a_code::content_type_not_supported, "configuration.acceptedOutputModes",
                   "the agent answers in text/plain");
}

}  // namespace

a2a_send read_a2a_send(const object& params, a2a_dialect dialect)
{
    a2a_send send;
    const object* const message = a2a_object(params, "message", "");
    if (!message) refuse_a2a(a2a_code::invalid_params, "message", "is required");
    send.message = read_a2a_message(*message);
    const object* const configuration = a2a_object(params, "configuration", "");
    if (!configuration) return send;
    check_output_modes(*configuration);
    send.history_length = a2a_history_length(*configuration, "configuration");
    const bool is_legacy = dialect == a2a_dialect::v03;
    if (is_legacy) send.returns_at_once = !a2a_flag(*configuration, "blocking", "configuration").value_or(true);
    else send.returns_at_once = a2a_flag(*configuration, "returnImmediately", "configuration").value_or(false);
    const std::string_view name = is_legacy ? "pushNotificationConfig" : "taskPushNotificationConfig";
    if (const object* const push = a2a_object(*configuration, name, "configuration"))
        send.push = read_a2a_push(*push, a2a_path("configuration", name));
    return send;
}

}  // namespace weft::serve_detail
