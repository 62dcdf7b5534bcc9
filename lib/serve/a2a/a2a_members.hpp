#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::serve_detail {

// Members of what a client of A2A sends. Null counts as left out. A member of another type is refused with its path:
// `where` is that of the object, empty for the parameters themselves.

[[nodiscard]] std::string a2a_path(std::string_view where, std::string_view name);
/** The longest id that is taken, in bytes. */
inline constexpr std::size_t a2a_id_bytes_max = 256;

[[nodiscard]] const boost::json::value* find_a2a(const boost::json::object& from, std::string_view name);
/** Empty: it is not there. */
[[nodiscard]] std::string a2a_text(const boost::json::object& from, std::string_view name, std::string_view where);
/** An id of at most `a2a_id_bytes_max` bytes; empty: it is not there. */
[[nodiscard]] std::string a2a_id(const boost::json::object& from, std::string_view name, std::string_view where);
/** The same; refused if it is not there. */
[[nodiscard]] std::string required_a2a_id(const boost::json::object& from, std::string_view name,
                                          std::string_view where);
[[nodiscard]] const boost::json::object* a2a_object(const boost::json::object& from, std::string_view name,
                                                    std::string_view where);
[[nodiscard]] const boost::json::array* a2a_list(const boost::json::object& from, std::string_view name,
                                                 std::string_view where);
[[nodiscard]] std::optional<bool> a2a_flag(const boost::json::object& from, std::string_view name,
                                           std::string_view where);
[[nodiscard]] std::optional<std::int64_t> a2a_number(const boost::json::object& from, std::string_view name,
                                                     std::string_view where, std::int64_t min, std::int64_t max);

}  // namespace weft::serve_detail
