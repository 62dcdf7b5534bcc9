#include "payload_template.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::string_view payload_name = "$payload";

/** What a way such as `.a.b` leads to; null: nothing. */
const value* member_at(const value& payload, std::string_view way)
{
    const value* at = &payload;
    while (!way.empty() && at) {
        way.remove_prefix(1);
        const std::string_view name = way.substr(0, way.find('.'));
        way.remove_prefix(name.size());
        const object* const within = at->if_object();
        at = within ? within->if_contains(name) : nullptr;
    }
    return at;
}

/** Nothing: it stands for what the payload does not have. */
std::optional<value> filled_text(std::string_view text, const value& payload)
{
    if (text.starts_with("$$")) return value(text.substr(1));
    const bool is_reference = text.starts_with(payload_name) &&
                              (text.size() == payload_name.size() || text[payload_name.size()] == '.');
    if (!is_reference) return value(text);
    const value* const found = member_at(payload, text.substr(payload_name.size()));
    if (!found) return std::nullopt;
    return *found;
}

std::optional<value> filled(const value& pattern, const value& payload)
{
    if (pattern.is_string()) return filled_text(pattern.get_string(), payload);
    if (const array* const items = pattern.if_array()) {
        array result;
        for (const value& item : *items)
            if (std::optional<value> one = filled(item, payload)) result.push_back(std::move(*one));
        return value(std::move(result));
    }
    const object* const members = pattern.if_object();
    if (!members) return pattern;
    object result;
    for (const auto& [name, member] : *members)
        if (std::optional<value> one = filled(member, payload)) result.emplace(name, std::move(*one));
    return value(std::move(result));
}

}  // namespace

object filled_input(const object& pattern, const value& payload)
{
    if (pattern.empty()) return payload.is_object() ? payload.get_object() : object{};
    std::optional<value> result = filled(value(pattern), payload);
    return std::move(result->get_object());
}

}  // namespace weft::serve_detail
