#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace weft::model_detail {

/** Reads a date of HTTP in one of its three forms:
 *  `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`.
 *  Two digits of a year mean 1970 to 2069. The name of the day is not looked at.
 *
 *  @par Source   RFC 9110 §5.6.7. */
[[nodiscard]] std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text) noexcept;

}  // namespace weft::model_detail
