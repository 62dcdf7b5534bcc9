#pragma once

#include <weft/base/json.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

/** Reads what MCP servers send: a member that is missing, null or of another type is "not given", never an error. */
namespace weft::mcp_detail {

[[nodiscard]] inline const boost::json::value* peek(const boost::json::object& in, std::string_view name) noexcept
{
    const boost::json::value* member = in.if_contains(name);
    return member && !member->is_null() ? member : nullptr;
}

[[nodiscard]] inline std::string_view peek_text(const boost::json::object& in, std::string_view name) noexcept
{
    const boost::json::value* member = in.if_contains(name);
    const boost::json::string* text = member ? member->if_string() : nullptr;
    return text ? std::string_view{text->data(), text->size()} : std::string_view{};
}

[[nodiscard]] inline const boost::json::object* peek_object(const boost::json::object& in,
                                                            std::string_view name) noexcept
{
    const boost::json::value* member = in.if_contains(name);
    return member ? member->if_object() : nullptr;
}

[[nodiscard]] inline const boost::json::array* peek_array(const boost::json::object& in, std::string_view name) noexcept
{
    const boost::json::value* member = in.if_contains(name);
    return member ? member->if_array() : nullptr;
}

[[nodiscard]] inline bool peek_flag(const boost::json::object& in, std::string_view name, bool otherwise) noexcept
{
    const boost::json::value* member = in.if_contains(name);
    return member && member->is_bool() ? member->get_bool() : otherwise;
}

[[nodiscard]] inline std::optional<double> number_of(const boost::json::value& from) noexcept
{
    if (const std::int64_t* whole = from.if_int64()) return static_cast<double>(*whole);
    if (const std::uint64_t* large = from.if_uint64()) return static_cast<double>(*large);
    if (const double* real = from.if_double()) return *real;
    return std::nullopt;
}

[[nodiscard]] inline std::optional<double> peek_number(const boost::json::object& in, std::string_view name) noexcept
{
    const boost::json::value* member = in.if_contains(name);
    return member ? number_of(*member) : std::nullopt;
}

/** A whole number, also where it is written as 3.0. */
[[nodiscard]] inline std::optional<std::int64_t> whole_number_of(const boost::json::value& from) noexcept
{
    if (const std::int64_t* whole = from.if_int64()) return *whole;
    const double* real = from.if_double();
    if (!real || !(*real >= -0x1p53 && *real <= 0x1p53) || std::trunc(*real) != *real) return std::nullopt;
    return static_cast<std::int64_t>(*real);
}

}  // namespace weft::mcp_detail
