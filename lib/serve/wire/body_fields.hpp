#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::serve_detail {

// Members of a request's body. Null counts as left out, as clients in Python send it. A member of another type is an
// `http_error` 422 that names it.

[[nodiscard]] const boost::json::value* find_member(const boost::json::object& from, std::string_view name);
[[nodiscard]] std::optional<std::string> text_member(const boost::json::object& from, std::string_view name);
/** As `text_member`. @par Errors  Also if it is missing or empty. */
[[nodiscard]] std::string required_text(const boost::json::object& from, std::string_view name);
[[nodiscard]] const boost::json::object* object_member(const boost::json::object& from, std::string_view name);
/** An object as text; an empty one for null. */
[[nodiscard]] std::string object_text(const boost::json::object* given);
[[nodiscard]] std::optional<bool> flag_member(const boost::json::object& from, std::string_view name);
[[nodiscard]] std::optional<std::int64_t> number_member(const boost::json::object& from, std::string_view name,
                                                        std::int64_t min, std::int64_t max);
[[noreturn]] void refuse_member(std::string_view name, std::string_view why);

}  // namespace weft::serve_detail
