#include "a2a_fault.hpp"
#include "a2a_request.hpp"

#include <weft/base/text/base64.hpp>
#include <weft/base/utf8.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::size_t parts_max = 1000;

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

void add_bytes(a2a_message& to, const a2a_part_fields& fields, std::string_view base64, std::string_view type)
{
    const std::optional<std::string> bytes = from_base64(base64);
    if (!bytes) fields.raw.refuse("is no base64");
    if (type.starts_with("image/")) {
        std::string url = "data:";
        url.append(type).append(";base64,").append(base64);
        return add_image(to, std::move(url));
    }
    if (is_text_type(type) && is_valid_utf8(*bytes)) return add_text(to, *bytes);
    refuse_a2a(a2a_code::content_type_not_supported, fields.place(),
               "files are images or UTF-8 texts, and say so in mediaType; this one says '" + std::string{type} + "'");
}

void add_part(a2a_message& to, const object& part, const a2a_part_fields& fields)
{
    const field* kind = nullptr;
    for (const field* const each : std::initializer_list<const field*>{&fields.text, &fields.data, &fields.raw,
                                                                       &fields.url}) {
        if (!each->is_in(part)) continue;
        if (kind)
            refuse_a2a(a2a_code::invalid_params, fields.place(),
                       "has both " + std::string{kind->name()} + " and " + std::string{each->name()});
        kind = each;
    }
    if (!kind) refuse_a2a(a2a_code::invalid_params, fields.place(), "expected one of text, data, raw, url");
    const std::string type = fields.media_type.text_or_empty(part);
    if (kind == &fields.text) return add_text(to, fields.text.text_or_empty(part));
    if (kind == &fields.raw) return add_bytes(to, fields, fields.raw.text_or_empty(part), type);
    if (kind == &fields.data) {
        const value& data = *fields.data.in(part);
        to.data.push_back(data);
        // A conversation has no place for values: its model reads them.
        to.blocks.push_back(object{{"type", "text"}, {"text", boost::json::serialize(data)}});
        return;
    }
    if (!type.starts_with("image/"))
        refuse_a2a(a2a_code::content_type_not_supported, fields.place(),
                   "only images are taken by their url, with a mediaType");
    add_image(to, fields.url.text_or_empty(part));
}

a2a_message read_a2a_message(const a2a_message_fields& fields, const object& message)
{
    a2a_message read;
    read.id = fields.id.needed_in(message);
    read.context = fields.context.text_or_empty(message);
    read.task = fields.task.text_or_empty(message);
    (void)fields.role.in(message);
    read.references = fields.references.in(message);
    const value& content = *fields.content.in(message);
    if (!content.is_array()) fields.content.refuse("expected a list");
    const array& parts = content.get_array();
    if (parts.empty()) fields.content.refuse("is empty: send a part");
    if (parts.size() > parts_max) fields.content.refuse("has more than 1000 parts");
    array told;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const a2a_part_fields of_item{fields.content.place() + '[' + std::to_string(i) + ']'};
        if (!parts[i].is_object()) refuse_a2a(a2a_code::invalid_params, of_item.place(), "expected an object");
        object part = current_content(parts[i].get_object());
        add_part(read, part, of_item);
        told.push_back(std::move(part));
    }
    if (const object* const metadata = fields.metadata.in(message)) read.metadata = *metadata;
    read.told = {{"messageId", read.id}, {"role", "ROLE_USER"}, {"parts", std::move(told)}};
    return read;
}

/** The forms in which answers are given here. */
bool is_output_type(std::string_view type)
{
    return type == "*/*" || type == "text/*" || type == "text/plain" || type == "text" || type == "application/json" ||
           type == "application/*" || type == "text/markdown";
}

void check_output_modes(const value_field& from, const object& configuration)
{
    const value* const given = from.in(configuration);
    if (given && !given->is_array()) from.refuse("expected a list");
    if (!given || given->get_array().empty()) return;
    const array& modes = given->get_array();
    const auto fits = [](const value& mode) { return mode.is_string() && is_output_type(mode.get_string()); };
    if (std::none_of(modes.begin(), modes.end(), fits))
        refuse_a2a(a2a_code::content_type_not_supported, from.place(), "the agent answers in text/plain");
}

}  // namespace

a2a_send read_a2a_send(const object& params, a2a_dialect dialect)
{
    const a2a_send_fields& fields = fields_of<a2a_send_fields>();
    a2a_send send;
    send.message = read_a2a_message(fields.in_message, *fields.message.in(params));
    send.tenant = fields.tenant.text_or_empty(params);
    const object* const configuration = fields.configuration.in(params);
    if (!configuration) return send;
    const a2a_configuration_fields& how = fields.in_configuration;
    check_output_modes(how.modes, *configuration);
    send.history_length = a2a_history_length(how.history_length, *configuration);
    const bool is_legacy = dialect == a2a_dialect::v03;
    const bool returns_at_once = how.returns_at_once.is_set(*configuration);
    const bool blocks = how.blocks.in(*configuration).value_or(true);
    send.returns_at_once = is_legacy ? !blocks : returns_at_once;
    if (const object* const push = how.legacy_push.in(*configuration))
        send.push = read_a2a_push(how.in_legacy_push, *push);
    if (const object* const push = how.push.in(*configuration)) send.push = read_a2a_push(how.in_push, *push);
    return send;
}

}  // namespace weft::serve_detail
