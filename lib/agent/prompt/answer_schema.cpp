#include "answer_schema.hpp"

#include "agent/text/key_text.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace weft::agent_detail {

namespace json = boost::json;

namespace {

std::string_view type_in(const json::object& schema)
{
    const json::value* const type = schema.if_contains("type");
    if (!type) return {};
    if (type->is_string()) return type->get_string();
    // Of an optional value: what it is when it is not null.
    if (type->is_array())
        for (const json::value& one : type->get_array())
            if (one.is_string() && one.get_string() != "null") return one.get_string();
    return {};
}

bool takes_null(const json::value& schema)
{
    if (!schema.is_object()) return false;
    const json::object& object = schema.get_object();
    if (const json::value* const type = object.if_contains("type")) {
        if (!type->is_array()) return type->is_string() && type->get_string() == "null";
        const json::array& types = type->get_array();
        return std::find(types.begin(), types.end(), json::value("null")) != types.end();
    }
    const json::value* const either = object.if_contains("anyOf");
    return either && either->is_array() &&
           std::any_of(either->get_array().begin(), either->get_array().end(), takes_null);
}

/** Has references in `schema` begin at `root` in place of the schema's own root. @return Whether there are any. */
bool move_references(json::value& schema, const std::string& root)
{
    bool has_any = false;
    if (json::array* const items = schema.if_array())
        for (json::value& one : *items) has_any = move_references(one, root) || has_any;
    json::object* const members = schema.if_object();
    if (!members) return has_any;
    for (auto& [name, value] : *members) {
        if (name == "$ref" && value.is_string() && value.get_string().starts_with("#")) {
            value = json::string{root + std::string{std::string_view{value.get_string()}.substr(1)}};
            has_any = true;
        } else {
            has_any = move_references(value, root) || has_any;
        }
    }
    return has_any;
}

bool make_strict(json::value& schema);

bool make_all_strict(json::object& schemas)
{
    return std::all_of(schemas.begin(), schemas.end(), [](auto& member) { return make_strict(member.value()); });
}

bool make_object_strict(json::object& schema)
{
    // A new member may move all others, so it comes before any pointer to one of them.
    json::value& required = schema["required"];
    if (!required.is_array()) required = json::array{};
    json::value* const properties = schema.if_contains("properties");
    const json::value* const further = schema.if_contains("additionalProperties");
    if (!properties || !properties->is_object() || !further || *further != json::value(false)) return false;
    json::array& all = required.get_array();
    for (const auto& [name, of] : properties->get_object()) {
        if (std::find(all.begin(), all.end(), json::value(name)) != all.end()) continue;
        if (!takes_null(of)) return false;
        all.emplace_back(name);
    }
    return make_all_strict(properties->get_object());
}

bool make_strict(json::value& schema)
{
    json::object* const object = schema.if_object();
    if (!object || object->empty()) return false;
    for (const std::string_view bound : {"minimum", "maximum", "uniqueItems"}) object->erase(bound);
    if (json::value* const definitions = object->if_contains("$defs"))
        if (!definitions->is_object() || !make_all_strict(definitions->get_object())) return false;
    if (object->contains("$ref")) return true;
    if (json::value* const either = object->if_contains("anyOf"))
        return either->is_array() &&
               std::all_of(either->get_array().begin(), either->get_array().end(), make_strict);
    const std::string_view type = type_in(*object);
    if (type == "object") return make_object_strict(*object);
    if (type != "array") return !type.empty() || takes_null(schema);
    json::value* const items = object->if_contains("items");
    return items && !object->contains("prefixItems") && make_strict(*items);
}

}  // namespace

json::object answer_schema_of(const value_type& type)
{
    json::object schema = type.schema();
    if (schema.size() == 1 && type_in(schema) == "array") schema.emplace("items", json::object{});
    return schema;
}

json::object placed_in(json::object& whole, std::string_view name, json::object schema)
{
    const std::string root = "#/$defs/" + std::string{name};
    json::value moved = std::move(schema);
    if (!move_references(moved, root)) return std::move(moved.get_object());
    json::value& definitions = whole["$defs"];
    if (!definitions.is_object()) definitions = json::object{};
    definitions.get_object()[name] = std::move(moved);
    json::object reference;
    reference.emplace("$ref", root);
    return reference;
}

std::optional<json::object> strict_schema(json::object schema)
{
    json::value made = std::move(schema);
    if (!make_strict(made)) return std::nullopt;
    return std::move(made.get_object());
}

std::string words_of_schema(const json::object& schema)
{
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> plain{
        {{"string", "a text"}, {"integer", "a whole number"}, {"number", "a number"}, {"boolean", "true or false"}}};
    if (const json::value* const names = schema.if_contains("enum"); names && names->is_array()) {
        std::string text;
        for (const json::value& one : names->get_array())
            text.append(text.empty() ? "one of " : ", ").append(readable_json(one));
        return text;
    }
    const std::string_view type = type_in(schema);
    for (const auto& [name, words] : plain)
        if (type == name) return std::string{words};
    const bool is_told = schema.contains("properties") || schema.contains("$ref") || schema.contains("anyOf") ||
                         schema.contains("prefixItems") || schema.contains("additionalProperties");
    const json::value* const items = schema.if_contains("items");
    if (type == "array" && items && items->is_object() && !items->get_object().empty())
        return "a list; each item is " + words_of_schema(items->get_object());
    if (is_told) return std::string{type == "array" ? "a list" : type == "object" ? "an object" : "a value"} +
                        " that fits the JSON Schema " + readable_json(schema);
    return std::string{type == "array" ? "a list" : type == "object" ? "an object" : "a value"};
}

namespace {

constexpr int plain_depth_max = 16;

std::optional<json::value> plain_object_of(const json::object& schema, std::string_view text, int depth);

std::optional<json::value> plain_of(const json::value& of, std::string_view text, int depth)
{
    if (!of.is_object() || depth > plain_depth_max) return std::nullopt;
    const json::object& schema = of.get_object();
    if (schema.empty()) return json::value(json::string_view{text});
    if (const json::value* const names = schema.if_contains("enum"))
        return names->is_array() && !names->get_array().empty() ? std::optional{names->get_array().front()}
                                                                : std::nullopt;
    if (takes_null(of)) return json::value{};
    const std::string_view type = type_in(schema);
    if (type == "string") return json::value(json::string_view{text});
    if (type == "boolean") return json::value(false);
    if (type == "integer" || type == "number") return json::value(0);
    if (type == "object") return plain_object_of(schema, text, depth);
    if (type != "array") return std::nullopt;
    json::array list;
    if (const json::value* const items = schema.if_contains("prefixItems"); items && items->is_array())
        for (const json::value& one : items->get_array()) {
            std::optional<json::value> value = plain_of(one, text, depth + 1);
            if (!value) return std::nullopt;
            list.push_back(std::move(*value));
        }
    return json::value(std::move(list));
}

std::optional<json::value> plain_object_of(const json::object& schema, std::string_view text, int depth)
{
    json::object made;
    const json::value* const properties = schema.if_contains("properties");
    if (properties && properties->is_object())
        for (const auto& [name, of] : properties->get_object()) {
            std::optional<json::value> value = plain_of(of, text, depth + 1);
            if (!value) return std::nullopt;
            made.emplace(name, std::move(*value));
        }
    return json::value(std::move(made));
}

}  // namespace

std::optional<json::value> plain_value_of(const json::object& schema, std::string_view text)
{
    return plain_of(schema, text, 0);
}

}  // namespace weft::agent_detail
