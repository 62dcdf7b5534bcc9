#pragma once

#include "json_schema_program.hpp"

#include <string>
#include <string_view>

namespace weft::schema_detail {

/** `null`, `the integer 3`, `the string 'x'`, `an array of 3 items`, `an object`; long texts are cut. */
[[nodiscard]] std::string description_of(const boost::json::value& value);

/** `an integer or null`; `nothing` for no type. */
[[nodiscard]] std::string description_of(type_set types);

/** `'a', 3, null`: values that are allowed; long lists are cut. */
[[nodiscard]] std::string list_of(const boost::json::array& values);

/** A value as JSON, a string in single quotes; cut if it is long. */
[[nodiscard]] std::string short_text_of(const boost::json::value& value);

/** `at least 3 characters`, `at most 1 item`. */
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view what);

}  // namespace weft::schema_detail
