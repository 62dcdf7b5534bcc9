#include "request_key.hpp"

#include <weft/base/json.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>

#include <algorithm>
#include <vector>

namespace weft {

namespace {

namespace json = boost::json;

// Members in the order of their names: requests that differ in nothing else have one key.
void append_canonical(std::string& out, const json::value& value)
{
    if (const json::array* items = value.if_array()) {
        out += '[';
        for (const json::value& item : *items) {
            append_canonical(out, item);
            out += ',';
        }
        out += ']';
        return;
    }
    const json::object* fields = value.if_object();
    if (!fields) {
        out += json::serialize(value);
        return;
    }
    std::vector<const json::key_value_pair*> sorted;
    sorted.reserve(fields->size());
    for (const json::key_value_pair& field : *fields) sorted.push_back(&field);
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->key() < b->key(); });
    out += '{';
    for (const json::key_value_pair* field : sorted) {
        out += json::serialize(json::string{field->key()});
        out += ':';
        append_canonical(out, field->value());
        out += ',';
    }
    out += '}';
}

template <class T>
void put(json::object& out, const char* name, const std::optional<T>& value)
{
    if (value) out[name] = *value;
}

json::value fields_of(const output_schema& output)
{
    return {{"name", output.name}, {"description", output.description}, {"schema", output.schema},
            {"strict", output.strict}};
}

json::array list_of(const auto& items)
{
    json::array array;
    for (const auto& item : items) array.push_back(json::value_from(item));
    return array;
}

// What changes the answer and nothing else: budget, tenant and id of a call do not.
json::object fields_of(const chat_request& request)
{
    json::object out;
    if (!request.model.empty()) out["model"] = request.model;
    json::array messages = list_of(request.messages);
    for (json::value& each : messages) each.get_object().erase("id");  // no model sees it
    out["messages"] = std::move(messages);
    if (!request.tools.empty()) {
        out["tools"] = list_of(request.tools);
        out["tool_choice"] = static_cast<int>(request.tool_choice.how);
        if (request.tool_choice.how == tool_choice::mode::named) out["tool"] = request.tool_choice.tool;
        put(out, "parallel_tool_calls", request.parallel_tool_calls);
    }
    if (request.output) out["output"] = fields_of(*request.output);
    put(out, "temperature", request.temperature);
    put(out, "top_p", request.top_p);
    put(out, "seed", request.seed);
    if (request.output_max) out["output_max"] = request.output_max->count();
    if (!request.stop.empty()) out["stop"] = list_of(request.stop);
    if (!request.reasoning_effort.empty()) out["reasoning_effort"] = request.reasoning_effort;
    if (!request.extra_body.empty()) out["extra_body"] = request.extra_body;
    return out;
}

}  // namespace

std::string request_key(const chat_request& request)
{
    std::string key;
    append_canonical(key, fields_of(request));
    return key;
}

}  // namespace weft
