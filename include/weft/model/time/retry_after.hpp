#pragma once

#include <weft/base/chrono.hpp>

#include <optional>
#include <string_view>

namespace weft {

class http_headers;

/** How long a response asks to wait before the next try: `retry-after-ms`, else `retry-after` in seconds (fractions
 *  are fine) or as a date, which is compared with the response's own `date`. What is not understood, negative or
 *  longer than a year says nothing; a date in the past says 0.
 *
 *  @par Source   RFC 9110 §10.2.3; `retry-after-ms` is OpenAI's and Azure's.
 */
[[nodiscard]] std::optional<std::chrono::milliseconds> retry_after_of(const http_headers& headers) noexcept;

/** Reads a duration as Go writes it (`1h2m3.5s`, `12ms`, `0`) or as plain seconds; rounds up to a millisecond. */
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) noexcept;

}  // namespace weft
