#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

/** Reads what providers send: a member that is missing, null or of another type is "not given", never an error. */
namespace weft::model_detail {

/** A member that is there and not null. */
[[nodiscard]] inline const boost::json::value* peek(const boost::json::object& in, std::string_view name) noexcept
{
    const boost::json::value* member = in.if_contains(name);
    return member && !member->is_null() ? member : nullptr;
}

[[nodiscard]] inline std::string_view text_of(const boost::json::value* member) noexcept
{
    const boost::json::string* text = member ? member->if_string() : nullptr;
    return text ? std::string_view{text->data(), text->size()} : std::string_view{};
}

[[nodiscard]] inline std::string_view peek_text(const boost::json::object& in, std::string_view name) noexcept
{
    return text_of(in.if_contains(name));
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

/** A whole number that is not negative, also where it is written as 3.0. */
[[nodiscard]] std::optional<std::int64_t> peek_count(const boost::json::object& in, std::string_view name) noexcept;

}  // namespace weft::model_detail
