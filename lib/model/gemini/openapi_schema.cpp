#include "openapi_schema.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <utility>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

constexpr std::string_view known_keywords[] = {
    "description", "enum",      "example",   "format",        "maxItems",         "maxLength", "maxProperties",
    "maximum",     "minItems",  "minLength", "minProperties", "minimum",          "nullable",  "pattern",
    "required",    "title",     "default",   "propertyOrdering"};

std::string in_capitals(std::string_view word)
{
    std::string result{word};
    for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return result;
}

/** One type stays; of several, the first that is not `null`. */
void put_type(json::object& out, const json::value& type)
{
    const json::array* several = type.if_array();
    if (!several) {
        out.emplace("type", in_capitals(peek_text(&type)));
        return;
    }
    for (const json::value& one : *several) {
        if (peek_text(&one) == "null")
            out.insert_or_assign("nullable", true);
        else if (!out.contains("type"))
            out.emplace("type", in_capitals(peek_text(&one)));
    }
}

void put_alternatives(json::object& out, const json::array& alternatives)
{
    json::array list(out.storage());
    for (const json::value& one : alternatives) {
        const json::object* fields = one.if_object();
        if (fields && peek_text(*fields, "type") == "null")
            out.insert_or_assign("nullable", true);
        else
            list.push_back(openapi_schema(one, out.storage()));
    }
    out.insert_or_assign("anyOf", std::move(list));
}

void put_word(json::object& out, std::string_view word, const json::value& value)
{
    if (word == "type") return put_type(out, value);
    if (word == "items" && value.is_object()) {
        out.emplace("items", openapi_schema(value, out.storage()));
    } else if (word == "properties" && value.is_object()) {
        json::object properties(out.storage());
        for (const json::key_value_pair& property : value.get_object())
            properties.emplace(property.key(), openapi_schema(property.value(), out.storage()));
        out.emplace("properties", std::move(properties));
    } else if ((word == "anyOf" || word == "oneOf") && value.is_array()) {
        put_alternatives(out, value.get_array());
    } else if (word == "const") {
        json::array only(out.storage());
        only.push_back(value);
        out.emplace("enum", std::move(only));
    } else if (std::find(std::begin(known_keywords), std::end(known_keywords), word) != std::end(known_keywords)) {
        out.insert_or_assign(word, value);
    }
}

}  // namespace

json::value openapi_schema(const json::value& schema, const json::storage_ptr& storage)
{
    json::object out(storage);
    const json::object* fields = schema.if_object();
    if (!fields) return out;
    if (fields->contains("$ref"))
        throw error{errc::invalid_configuration, "gemini_settings.schemas",
                    "a schema with $ref has no OpenAPI form: write it out, or send it as JSON Schema"};
    for (const json::key_value_pair& member : *fields)
        put_word(out, {member.key().data(), member.key().size()}, member.value());
    return out;
}

}  // namespace weft::model_detail
