#include "object_schema.hpp"

#include "agent/text/names.hpp"

#include <utility>

namespace weft::agent_detail {

namespace json = boost::json;

json::object text_schema(std::string_view words)
{
    json::object schema{{"type", "string"}};
    if (!words.empty()) schema.emplace("description", json::string_view{words});
    return schema;
}

json::object one_of_schema(const std::vector<std::string>& names, std::string_view words)
{
    json::object schema = text_schema(words);
    schema.emplace("enum", array_of(names));
    return schema;
}

json::object object_schema(json::object properties, const std::vector<std::string>& required)
{
    json::object schema{{"type", "object"}};
    schema.emplace("properties", std::move(properties));
    schema.emplace("required", array_of(required));
    schema.emplace("additionalProperties", false);
    return schema;
}

json::object object_schema(json::object properties)
{
    std::vector<std::string> required;
    for (const auto& [name, schema] : properties) required.emplace_back(name);
    return object_schema(std::move(properties), required);
}

}  // namespace weft::agent_detail
