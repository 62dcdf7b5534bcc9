#include "body_fields.hpp"

#include <weft/net/server/http_error.hpp>

#include <boost/json/serialize.hpp>

namespace weft::serve_detail {

using boost::json::object;
using boost::json::value;

void refuse_member(std::string_view name, std::string_view why)
{
    throw http_error{422, "invalid_body", "body." + std::string{name} + ": " + std::string{why}};
}

const value* find_member(const object& from, std::string_view name)
{
    const value* const found = from.if_contains(name);
    return found && !found->is_null() ? found : nullptr;
}

std::optional<std::string> text_member(const object& from, std::string_view name)
{
    const value* const found = find_member(from, name);
    if (!found) return std::nullopt;
    if (!found->is_string()) refuse_member(name, "expected a string");
    return std::string{found->get_string()};
}

std::string required_text(const object& from, std::string_view name)
{
    std::optional<std::string> text = text_member(from, name);
    if (!text || text->empty()) refuse_member(name, "is required");
    return std::move(*text);
}

const object* object_member(const object& from, std::string_view name)
{
    const value* const found = find_member(from, name);
    if (!found) return nullptr;
    if (!found->is_object()) refuse_member(name, "expected an object");
    return &found->get_object();
}

std::string object_text(const object* given)
{
    return given ? boost::json::serialize(*given) : std::string{"{}"};
}

std::optional<bool> flag_member(const object& from, std::string_view name)
{
    const value* const found = find_member(from, name);
    if (!found) return std::nullopt;
    if (!found->is_bool()) refuse_member(name, "expected true or false");
    return found->get_bool();
}

std::optional<std::int64_t> number_member(const object& from, std::string_view name, std::int64_t min, std::int64_t max)
{
    const value* const found = find_member(from, name);
    if (!found) return std::nullopt;
    boost::system::error_code code;
    const auto number = found->to_number<std::int64_t>(code);
    if (code || number < min || number > max)
        refuse_member(name, "expected a number from " + std::to_string(min) + " to " + std::to_string(max));
    return number;
}

}  // namespace weft::serve_detail
