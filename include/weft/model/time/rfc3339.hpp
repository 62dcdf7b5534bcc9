#pragma once

#include <weft/base/chrono.hpp>

#include <optional>
#include <string_view>

namespace weft {

/** Reads a time as `2026-11-22T08:49:37Z`, `2026-11-22T08:49:37.25+01:00`; parts of a second are dropped.
 *  @par Source   RFC 3339 §5.6. */
[[nodiscard]] std::optional<std::chrono::sys_seconds> parse_rfc3339(std::string_view text) noexcept;

}  // namespace weft
