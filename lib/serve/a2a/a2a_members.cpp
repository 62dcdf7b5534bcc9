#include "a2a_members.hpp"

#include "a2a_fault.hpp"

namespace weft::serve_detail {

using boost::json::array;
using boost::json::object;
using boost::json::value;

std::string a2a_path(std::string_view where, std::string_view name)
{
    std::string path{where};
    path.append(path.empty() ? "" : ".").append(name);
    return path;
}

const value* find_a2a(const object& from, std::string_view name)
{
    const value* const found = from.if_contains(name);
    return found && !found->is_null() ? found : nullptr;
}

std::string a2a_text(const object& from, std::string_view name, std::string_view where)
{
    const value* const found = find_a2a(from, name);
    if (!found) return {};
    if (!found->is_string()) refuse_a2a(a2a_code::invalid_params, a2a_path(where, name), "expected a string");
    return std::string{found->get_string()};
}

std::string a2a_id(const object& from, std::string_view name, std::string_view where)
{
    std::string id = a2a_text(from, name, where);
    if (id.size() > a2a_id_bytes_max)
        refuse_a2a(a2a_code::invalid_params, a2a_path(where, name),
                   "is longer than " + std::to_string(a2a_id_bytes_max) + " bytes");
    return id;
}

std::string required_a2a_id(const object& from, std::string_view name, std::string_view where)
{
    std::string id = a2a_id(from, name, where);
    if (id.empty()) refuse_a2a(a2a_code::invalid_params, a2a_path(where, name), "is required");
    return id;
}

const object* a2a_object(const object& from, std::string_view name, std::string_view where)
{
    const value* const found = find_a2a(from, name);
    if (!found) return nullptr;
    if (!found->is_object()) refuse_a2a(a2a_code::invalid_params, a2a_path(where, name), "expected an object");
    return &found->get_object();
}

const array* a2a_list(const object& from, std::string_view name, std::string_view where)
{
    const value* const found = find_a2a(from, name);
    if (!found) return nullptr;
    if (!found->is_array()) refuse_a2a(a2a_code::invalid_params, a2a_path(where, name), "expected a list");
    return &found->get_array();
}

std::optional<bool> a2a_flag(const object& from, std::string_view name, std::string_view where)
{
    const value* const found = find_a2a(from, name);
    if (!found) return std::nullopt;
    if (!found->is_bool()) refuse_a2a(a2a_code::invalid_params, a2a_path(where, name), "expected true or false");
    return found->get_bool();
}

std::optional<std::int64_t> a2a_number(const object& from, std::string_view name, std::string_view where,
                                       std::int64_t min, std::int64_t max)
{
    const value* const found = find_a2a(from, name);
    if (!found) return std::nullopt;
    boost::system::error_code code;
    const auto number = found->to_number<std::int64_t>(code);
    if (code || number < min || number > max)
        refuse_a2a(a2a_code::invalid_params, a2a_path(where, name),
                   "expected a number from " + std::to_string(min) + " to " + std::to_string(max));
    return number;
}

}  // namespace weft::serve_detail
