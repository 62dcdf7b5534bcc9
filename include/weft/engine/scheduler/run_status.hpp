#pragma once

#include <cstdint>
#include <string_view>

namespace weft {

/** How a run ended. */
enum class run_status : std::uint8_t { finished, failed, paused, cancelled };

/** How well it went: every node succeeded, at the first attempt or a later one; a failure was tolerated, by a failure
 *  edge or by the policy of a fan-out; not at all. */
enum class run_quality : std::uint8_t { clean, degraded, failed };

[[nodiscard]] std::string_view name_of(run_status status) noexcept;
[[nodiscard]] std::string_view name_of(run_quality quality) noexcept;

}  // namespace weft
