#pragma once

#include <weft/base/clock.hpp>
#include <weft/store/record/checkpoint.hpp>

#include <optional>
#include <string_view>

namespace weft::serve_detail {

/** Reads a moment such as `2026-11-27T10:00:00+01:00`; without an offset it is UTC. Nothing if it is none.
 *  @par Source   RFC 3339, and what `datetime.isoformat` of Python writes. */
[[nodiscard]] std::optional<wall_time> read_iso_moment(std::string_view text);

}  // namespace weft::serve_detail
