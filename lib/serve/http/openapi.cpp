#include "openapi.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;

array parameters_of(std::string_view pattern)
{
    array parameters;
    for (std::size_t open = pattern.find('{'); open != pattern.npos; open = pattern.find('{', open + 1)) {
        const std::string_view name = pattern.substr(open + 1, pattern.find('}', open) - open - 1);
        const object schema{{"type", "string"}, {"minLength", 1}};
        parameters.push_back(object{{"name", name}, {"in", "path"}, {"required", true}, {"schema", schema}});
    }
    return parameters;
}

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

}  // namespace

object describe_routes(const route_table& routes)
{
    object paths;
    for (const route* const one : routes.all()) {
        object operation;
        if (array parameters = parameters_of(one->pattern); !parameters.empty())
            operation["parameters"] = std::move(parameters);
        // All bodies are JSON; what they may have is checked, and told, by the routes themselves.
        const bool has_body = one->method == "POST" || one->method == "PUT" || one->method == "PATCH";
        if (has_body) operation["requestBody"] = object{{"content", object{{"application/json", object{}}}}};
        operation["responses"] = object{{"default", object{{"description", "JSON, or a stream of events"}}}};
        object& path = paths.contains(one->pattern) ? paths[one->pattern].get_object()
                                                    : paths[one->pattern].emplace_object();
        path[lower(one->method)] = std::move(operation);
    }
    return {{"openapi", "3.1.0"},
            {"info", object{{"title", "weft"}, {"version", "0.1"}}},
            {"paths", std::move(paths)}};
}

}  // namespace weft::serve_detail
