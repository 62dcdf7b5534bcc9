#include <weft/base/json/json_schema_of.hpp>

#include <boost/json/value.hpp>

#include <algorithm>
#include <limits>

namespace weft::schema_of_detail {

namespace json = boost::json;

namespace {

constexpr std::string_view definitions_at = "#/$defs/";

}  // namespace

json::object schema_writer::reference_to(const void* type)
{
    const auto same = [&](const open_structure& one) { return one.type == type; };
    // Only a type that is being written refers to itself; one that is finished is written again where it recurs, which
    // models read more easily than references.
    const auto found = std::find_if(open_.begin(), open_.end(), same);
    if (found == open_.end()) return {};
    if (found->reference.empty()) {
        const bool is_whole = is_structure_ && found == open_.begin();
        found->reference = is_whole ? "#" : std::string{definitions_at} + "part_" + std::to_string(++referred_);
    }
    json::object schema;
    schema.emplace("$ref", found->reference);
    return schema;
}

json::object schema_writer::close_structure(json::object written)
{
    const std::string reference = std::move(open_.back().reference);
    open_.pop_back();
    // Nothing inside refers to it, or it is the whole, which `#` names: it stays where it is.
    if (!reference.starts_with(definitions_at)) return written;
    definitions_.emplace(reference.substr(definitions_at.size()), std::move(written));
    json::object schema;
    schema.emplace("$ref", reference);
    return schema;
}

json::object schema_writer::finish(json::object whole) &&
{
    if (!definitions_.empty()) whole.emplace("$defs", std::move(definitions_));
    return whole;
}

json::object typed(const char* type)
{
    json::object schema;
    schema.emplace("type", type);
    return schema;
}

json::object integers(std::int64_t min, std::uint64_t max, bool is_bounded)
{
    json::object schema = typed("integer");
    // The bounds of a signed 64-bit type say nothing about a value; the 0 of an unsigned one does.
    if (is_bounded || min == 0) schema.emplace("minimum", min);
    if (is_bounded) schema.emplace("maximum", max);
    return schema;
}

json::object or_null(json::object schema)
{
    // An empty schema allows null already.
    if (schema.empty()) return schema;
    json::value* const type = schema.if_contains("type");
    if (type && type->is_string()) {
        *type = json::array{*type, "null"};
        if (json::value* const names = schema.if_contains("enum")) names->as_array().emplace_back(nullptr);
        return schema;
    }
    json::object either;
    either.emplace("anyOf", json::array{std::move(schema), typed("null")});
    return either;
}

json::object list_of(json::object items, bool is_unique)
{
    json::object schema = typed("array");
    schema.emplace("items", std::move(items));
    if (is_unique) schema.emplace("uniqueItems", true);
    return schema;
}

json::object map_of(json::object values)
{
    json::object schema = typed("object");
    schema.emplace("additionalProperties", std::move(values));
    return schema;
}

json::object one_of_names(json::array names)
{
    json::object schema = typed("string");
    schema.emplace("enum", std::move(names));
    return schema;
}

json::object structure_of(json::object properties, json::array required)
{
    json::object schema = typed("object");
    schema.emplace("properties", std::move(properties));
    if (!required.empty()) schema.emplace("required", std::move(required));
    schema.emplace("additionalProperties", false);
    return schema;
}

json::object tuple_of(json::array items)
{
    json::object schema = typed("array");
    const std::size_t size = items.size();
    schema.emplace("prefixItems", std::move(items));
    schema.emplace("minItems", size);
    schema.emplace("maxItems", size);
    return schema;
}

}  // namespace weft::schema_of_detail
