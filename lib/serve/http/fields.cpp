#include "fields.hpp"

#include "api_call.hpp"

#include <weft/base/json.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>

namespace weft::serve_detail {

using boost::json::array;
using boost::json::object;
using boost::json::value;

namespace {

/** Null counts as left out. */
object nullable(object schema)
{
    if (value* const type = schema.if_contains("type"); type && type->is_string()) {
        array both{*type, value("null")};
        schema["type"] = std::move(both);
    }
    if (value* const words = schema.if_contains("enum")) words->get_array().push_back(nullptr);
    if (value* const either = schema.if_contains("anyOf")) either->get_array().push_back(object{{"type", "null"}});
    return schema;
}

array array_of(std::span<const std::string_view> words)
{
    array all;
    for (const std::string_view word : words) all.push_back(value(word));
    return all;
}

}  // namespace

http_error misfit_error(const std::string& place, std::string_view why, field_fault)
{
    const char* const code = place.starts_with("query.") ? "invalid_query" : "invalid_body";
    return http_error{422, code, place + ": " + std::string{why}};
}

object field_set::partial_schema() const
{
    object properties;
    for (const field* const one : fields_) {
        object& shown = properties[one->name()].emplace_object();
        shown = nullable(one->schema());
        if (!one->meaning().empty()) shown["description"] = one->meaning();
    }
    return {{"type", "object"}, {"properties", std::move(properties)}};
}

object field_set::schema() const
{
    object result = partial_schema();
    array required;
    for (const field* const one : fields_) {
        if (!one->is_required()) continue;
        // Without the null: to send that is to leave it out.
        object shown = one->schema();
        if (!one->meaning().empty()) shown["description"] = one->meaning();
        result["properties"].get_object()[one->name()] = std::move(shown);
        required.push_back(value(one->name()));
    }
    if (!required.empty()) result["required"] = std::move(required);
    return result;
}

field::field(field_set& of, std::string_view name, std::string_view meaning, field_need need)
    : of_{of}, name_{name}, meaning_{meaning}, need_{need}
{
    of.fields_.push_back(this);
}

std::string field_set::below(std::string_view name) const
{
    return place_.empty() ? std::string{name} : place_ + '.' + std::string{name};
}

const value* field::find(const object& from) const
{
    const value* const found = from.if_contains(name_);
    if (found && !found->is_null()) return found;
    if (is_required()) refuse("is required", field_fault::missing);
    return nullptr;
}

const value* field::fitting_in(const object& from) const
{
    const value* const found = find(from);
    if (found) check(*found);
    return found;
}

std::optional<std::string> field::text_in(const api_call& call) const
{
    std::optional<std::string> found = call.query(name_);
    if (!found && is_required()) refuse("is required", field_fault::missing);
    return found;
}

bool field::is_in(const object& from) const noexcept
{
    const value* const found = from.if_contains(name_);
    return found && !found->is_null();
}

void field::refuse(std::string_view why, field_fault what) const
{
    throw of_.refusal_(place(), why, what);
}

object text_field::schema() const
{
    object result{{"type", "string"}};
    if (is_required()) result["minLength"] = 1;
    // No text has fewer bytes than characters.
    if (bytes_max_ != any_length) result["maxLength"] = bytes_max_;
    return result;
}

void text_field::check(const value& given) const
{
    if (!given.is_string()) refuse("expected a string", field_fault::type);
    // A name or an id that is empty names nothing.
    if (is_required() && given.get_string().empty()) refuse("is required", field_fault::missing);
    if (given.get_string().size() > bytes_max_) refuse("is longer than " + std::to_string(bytes_max_) + " bytes");
}

std::optional<std::string> text_field::in(const object& from) const
{
    const value* const found = fitting_in(from);
    return found ? std::optional<std::string>{found->get_string()} : std::nullopt;
}

object number_field::schema() const
{
    object result{{"type", "integer"}, {"minimum", range_.min}, {"maximum", range_.max}};
    if (range_.otherwise) result["default"] = *range_.otherwise;
    return result;
}

void number_field::refuse_number(field_fault what) const
{
    refuse("expected a number from " + std::to_string(range_.min) + " to " + std::to_string(range_.max), what);
}

void number_field::check(const value& given) const
{
    boost::system::error_code code;
    const auto number = given.to_number<std::int64_t>(code);
    if (code) refuse_number(field_fault::type);
    if (number < range_.min || number > range_.max) refuse_number(field_fault::value);
}

std::optional<std::int64_t> number_field::in(const object& from) const
{
    const value* const found = fitting_in(from);
    return found ? std::optional{found->to_number<std::int64_t>()} : std::nullopt;
}

std::optional<std::int64_t> number_field::in(const api_call& call) const
{
    const std::optional<std::string> text = text_in(call);
    if (!text) return std::nullopt;
    std::int64_t number = 0;
    const auto [end, code] = std::from_chars(text->data(), text->data() + text->size(), number);
    const bool is_number = code == std::errc{} && end == text->data() + text->size();
    if (!is_number || number < range_.min || number > range_.max) refuse_number(field_fault::value);
    return number;
}

void real_field::check(const value& given) const
{
    if (!given.is_number()) refuse("expected a number", field_fault::type);
}

object flag_field::schema() const { return {{"type", "boolean"}}; }

void flag_field::check(const value& given) const
{
    if (!given.is_bool()) refuse("expected true or false", field_fault::type);
}

std::optional<bool> flag_field::in(const object& from) const
{
    const value* const found = fitting_in(from);
    return found ? std::optional{found->get_bool()} : std::nullopt;
}

std::optional<bool> flag_field::in(const api_call& call) const
{
    const std::optional<std::string> text = text_in(call);
    if (!text) return std::nullopt;
    // Clients write it in the way of their language.
    if (*text == "true" || *text == "True" || *text == "1") return true;
    if (*text == "false" || *text == "False" || *text == "0") return false;
    refuse("expected true or false");
}

object word_field::schema() const { return {{"type", "string"}, {"enum", array_of(words_)}}; }

std::size_t word_field::place_of(std::string_view word) const
{
    const auto found = std::find(words_.begin(), words_.end(), word);
    if (found != words_.end()) return static_cast<std::size_t>(found - words_.begin());
    std::string known;
    for (const std::string_view one : words_) known.append(known.empty() ? "" : ", ").append(one);
    refuse("expected one of " + known);
}

std::optional<std::size_t> word_field::in(const object& from) const
{
    const value* const found = find(from);
    if (!found) return std::nullopt;
    if (!found->is_string()) refuse("expected a string", field_fault::type);
    return place_of(found->get_string());
}

std::optional<std::size_t> word_field::in(const api_call& call) const
{
    const std::optional<std::string> text = text_in(call);
    if (!text) return std::nullopt;
    return place_of(*text);
}

object object_field::schema() const { return inner_ ? inner_->schema() : object{{"type", "object"}}; }

void object_field::check(const value& given) const
{
    if (!given.is_object()) refuse("expected an object", field_fault::type);
}

const object* object_field::in(const object& from) const
{
    const value* const found = fitting_in(from);
    return found ? &found->get_object() : nullptr;
}

std::string object_field::text_or_empty(const object& from) const
{
    const object* const given = in(from);
    return given ? boost::json::serialize(*given) : std::string{"{}"};
}

object texts_field::schema() const
{
    object item{{"type", "string"}, {"minLength", 1}};
    if (!bounds_.words.empty()) item = {{"type", "string"}, {"enum", array_of(bounds_.words)}};
    object result{{"type", "array"}, {"items", std::move(item)}, {"maxItems", bounds_.items_max}};
    if (is_required()) result["minItems"] = 1;
    return result;
}

std::vector<std::string> texts_field::in(const object& from) const
{
    std::vector<std::string> texts;
    const value* const found = find(from);
    if (!found) return texts;
    if (!found->is_array() || found->get_array().size() > bounds_.items_max)
        refuse("expected a list of at most " + std::to_string(bounds_.items_max) + " strings");
    const auto is_known = [this](std::string_view text) {
        return bounds_.words.empty() ||
               std::find(bounds_.words.begin(), bounds_.words.end(), text) != bounds_.words.end();
    };
    for (const value& text : found->get_array()) {
        const bool is_text = text.is_string() && !text.get_string().empty();
        if (!is_text) refuse("expected strings that are not empty");
        if (!is_known(text.get_string())) refuse("there is no '" + std::string{text.get_string()} + "'");
        texts.emplace_back(text.get_string());
    }
    if (is_required() && texts.empty()) refuse("is required", field_fault::missing);
    return texts;
}

object value_field::schema() const
{
    if (make_schema_) return make_schema_();
    return schema_.empty() ? object{} : parse_json(schema_).as_object();
}

}  // namespace weft::serve_detail
