#include "openapi.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;

constexpr std::string_view json_type = "application/json";

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

object reference_to(std::string_view kind, std::string_view name)
{
    return {{"$ref", "#/components/" + std::string{kind} + '/' + std::string{name}}};
}

object content_of(std::string_view type, object schema)
{
    object content;
    content[type].emplace_object()["schema"] = std::move(schema);
    return content;
}

void add_path_parameters(array& to, std::string_view pattern)
{
    for (std::size_t open = pattern.find('{'); open != pattern.npos; open = pattern.find('{', open + 1)) {
        const std::string_view name = pattern.substr(open + 1, pattern.find('}', open) - open - 1);
        const object schema{{"type", "string"}, {"minLength", 1}};
        to.push_back(object{{"name", name}, {"in", "path"}, {"required", true}, {"schema", schema}});
    }
}

void add_query_parameters(array& to, const field_set& query)
{
    for (const field* const one : query.fields())
        to.push_back(object{{"name", one->name()},
                            {"in", "query"},
                            {"required", one->is_required()},
                            {"description", one->meaning()},
                            {"schema", one->schema()}});
}

/** A call of JSON-RPC, and by its method what its parameters are. */
object call_schema(const route_description& told)
{
    array names;
    array others;
    array kinds;
    for (const rpc_method& one : told.methods) {
        const boost::json::value name(one.name);  // in braces it would be a list
        names.push_back(name);
        if (!one.params) {
            others.push_back(name);
            continue;
        }
        object params = one.params->schema();
        object kind;
        if (params.contains("required")) kind["required"] = array{"params"};
        kind["properties"] = object{{"method", object{{"const", name}}}, {"params", std::move(params)}};
        kinds.push_back(std::move(kind));
    }
    if (!kinds.empty() && !others.empty())
        kinds.push_back(object{{"properties", object{{"method", object{{"enum", std::move(others)}}}}}});
    object members{{"jsonrpc", object{{"const", "2.0"}}},
                   {"id", object{{"type", array{"string", "integer", "null"}}}},
                   {"method", object{{"type", "string"}, {"enum", std::move(names)}}},
                   {"params", object{{"type", array{"object", "null"}}}}};
    object schema{{"type", "object"}, {"properties", std::move(members)}};
    schema["required"] = told.takes_results ? array{"jsonrpc"} : array{"jsonrpc", "method"};
    if (!kinds.empty()) schema["oneOf"] = std::move(kinds);
    return schema;
}

/** All bodies are JSON. */
object body_of(const route& of)
{
    const route_description& told = of.description;
    object schema;
    if (!told.methods.empty()) schema = call_schema(told);
    if (told.body) schema = told.is_partial ? told.body->partial_schema() : told.body->schema();
    if (told.takes_list) schema = object{{"type", "array"}, {"items", std::move(schema)}};
    bool is_required = told.takes_list || !told.methods.empty();
    if (told.body && !told.is_partial)
        for (const field* const one : told.body->fields()) is_required |= one->is_required();
    // A body is left out where all of its members have defaults.
    object body{{"content", content_of(json_type, std::move(schema))}};
    if (is_required) body["required"] = true;
    return body;
}

object good_answer_of(const good_answer& told)
{
    object answer;
    switch (told.what) {
    case good_answer::form::json:
        answer["description"] = "What was asked for";
        answer["content"] = content_of(told.type, told.of ? reference_to("schemas", told.of->name) : object{});
        break;
    case good_answer::form::either:
        answer["description"] = "What was asked for, or a stream of events";
        answer["content"] = content_of(told.type, told.of ? reference_to("schemas", told.of->name) : object{});
        answer["content"].get_object()["text/event-stream"] = object{{"schema", object{}}};
        break;
    case good_answer::form::list:
        answer["description"] = "A list";
        answer["content"] = content_of(
            json_type, object{{"type", "array"}, {"items", reference_to("schemas", told.of->name)}});
        break;
    case good_answer::form::events:
        answer["description"] = "A stream of events";
        // Readers of descriptions take a schema for that of each event, and those have forms of many kinds.
        answer["content"] = content_of("text/event-stream", object{});
        break;
    case good_answer::form::nothing: answer["description"] = "Done"; break;
    case good_answer::form::socket: answer["description"] = "A WebSocket"; break;
    }
    return answer;
}

/** @param is_told   Whether what goes wrong has the form of `detail_form`. */
object responses_of(const route_description& told, bool is_told)
{
    object responses;
    if (told.summary.empty()) {
        responses["default"] = object{{"description", "JSON, or a stream of events"}};
        return responses;
    }
    responses[std::to_string(told.answer.status)] = good_answer_of(told.answer);
    if (told.answer.or_status != 0)
        responses[std::to_string(told.answer.or_status)] = object{{"description", "Done, with nothing to say"}};
    // One form for all that goes wrong: its code says what it is.
    for (const char* const range : {"4XX", "5XX"}) {
        if (is_told) responses[range] = reference_to("responses", "error");
        else responses[range] = object{{"description", "What is wrong, as the protocol says it"}};
    }
    return responses;
}

object operation_of(const route& of, bool is_told)
{
    const route_description& told = of.description;
    object operation;
    if (!told.summary.empty()) operation["summary"] = told.summary;
    if (!of.access.is_open()) {
        const std::string scope = std::string{of.access.resource} + ':' + std::string{of.access.action};
        operation["description"] = "Needs the scope `" + scope + "`, where the server asks who calls.";
        operation["tags"] = array{boost::json::value(of.access.resource)};
    }
    array parameters;
    add_path_parameters(parameters, of.pattern);
    if (told.query) add_query_parameters(parameters, *told.query);
    if (!parameters.empty()) operation["parameters"] = std::move(parameters);
    const bool may_have_body = of.method == "POST" || of.method == "PUT" || of.method == "PATCH";
    const bool is_told_body = told.body || !told.methods.empty();
    if (is_told_body || (told.summary.empty() && may_have_body)) operation["requestBody"] = body_of(of);
    operation["responses"] = responses_of(told, is_told);
    return operation;
}

object components_of(const std::vector<const route*>& all)
{
    object schemas;
    for (const route* const one : all)
        if (const named_schema* const of = one->description.answer.of; of && !schemas.contains(of->name))
            schemas[of->name] = of->make();
    const object text{{"type", "string"}};
    schemas["Error"] = object{{"type", "object"},
                              {"properties", object{{"detail", text}, {"code", text}}},
                              {"required", array{"detail", "code"}}};
    object error{{"description", "What is wrong, and where"}};
    error["content"] = content_of(json_type, reference_to("schemas", "Error"));
    object components;
    components["schemas"] = std::move(schemas);
    components["responses"].emplace_object()["error"] = std::move(error);
    return components;
}

}  // namespace

object describe_routes(const route_table& routes)
{
    const std::vector<const route*> all = routes.all();
    object paths;
    for (const route* const one : all) {
        object& path = paths.contains(one->pattern) ? paths[one->pattern].get_object()
                                                    : paths[one->pattern].emplace_object();
        // Other protocols have errors of their own, by their paths; a route of this one may as well.
        const bool is_told = routes.form_of(one->pattern) == detail_form && !one->description.has_own_errors;
        path[lower(one->method)] = operation_of(*one, is_told);
    }
    object described{{"openapi", "3.1.0"}, {"info", object{{"title", "weft"}, {"version", "0.1"}}}};
    described["paths"] = std::move(paths);
    described["components"] = components_of(all);
    return described;
}

}  // namespace weft::serve_detail
