#include "request_key.hpp"

#include <weft/base/json.hpp>
#include <weft/model/chat/request_parameters.hpp>

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

json::array list_of(const auto& items)
{
    json::array array;
    for (const auto& item : items) array.push_back(json::value_from(item));
    return array;
}

}  // namespace

std::string request_key(const chat_request& request)
{
    json::object fields = request_parameters(request);
    json::array messages = list_of(request.messages);
    for (json::value& each : messages) each.get_object().erase("id");  // no model sees it
    fields["messages"] = std::move(messages);
    if (!request.tools.empty()) fields["tools"] = list_of(request.tools);
    std::string key;
    append_canonical(key, fields);
    return key;
}

}  // namespace weft
