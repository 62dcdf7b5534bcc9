#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

/** Looks into JSON that others send: what is missing, null or of another type is "not given", never an error. For what
 *  must be there, `from_json` says what is wrong with it.
 *
 *  @par Lifetimes   Views and pointers are valid as long as the value that was looked into stays as it is. */
namespace weft {

/** A member that is there and not null. */
[[nodiscard]] inline const boost::json::value* peek_member(const boost::json::object& in,
                                                           std::string_view name) noexcept
{
    const boost::json::value* member = in.if_contains(name);
    return member && !member->is_null() ? member : nullptr;
}

/** The text that a value is; without one, or null, an empty one. */
[[nodiscard]] inline std::string_view peek_text(const boost::json::value* from) noexcept
{
    const boost::json::string* text = from ? from->if_string() : nullptr;
    return text ? std::string_view{text->data(), text->size()} : std::string_view{};
}

/** The same of a member. */
[[nodiscard]] inline std::string_view peek_text(const boost::json::object& in, std::string_view name) noexcept
{
    return peek_text(in.if_contains(name));
}

/** A member that is an object; else null. */
[[nodiscard]] inline const boost::json::object* peek_object(const boost::json::object& in,
                                                            std::string_view name) noexcept
{
    const boost::json::value* member = in.if_contains(name);
    return member ? member->if_object() : nullptr;
}

/** A member that is an array; else null. */
[[nodiscard]] inline const boost::json::array* peek_array(const boost::json::object& in, std::string_view name) noexcept
{
    const boost::json::value* member = in.if_contains(name);
    return member ? member->if_array() : nullptr;
}

/** A member that is `true` or `false`; 0, 1 and texts are none. */
[[nodiscard]] inline bool peek_flag(const boost::json::object& in, std::string_view name, bool otherwise) noexcept
{
    const boost::json::value* member = in.if_contains(name);
    return member && member->is_bool() ? member->get_bool() : otherwise;
}

/** A member that is a number, of any of the three kinds of JSON numbers in Boost. */
[[nodiscard]] std::optional<double> peek_number(const boost::json::object& in, std::string_view name) noexcept;

/** A whole number that a double holds exactly, also where it is written as 3.0; larger ones as integers only. */
[[nodiscard]] std::optional<std::int64_t> peek_whole(const boost::json::value& from) noexcept;

/** A whole number that is not negative, also where it is written as 3.0. */
[[nodiscard]] std::optional<std::int64_t> peek_count(const boost::json::object& in, std::string_view name) noexcept;

/** Puts a count in place of the one before, if it is given. */
void replace_count(std::optional<std::int64_t>& count, const boost::json::object& in, std::string_view name) noexcept;

}  // namespace weft
