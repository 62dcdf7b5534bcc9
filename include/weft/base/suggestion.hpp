#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weft {

/** The name among `known` that `wrong` is probably meant to be; empty if none is close. */
[[nodiscard]] std::string_view closest_name(std::string_view wrong, std::span<const std::string_view> known);

/** ` (did you mean 'score'?)`, or nothing when no known name is close. */
[[nodiscard]] std::string did_you_mean(std::string_view wrong, std::span<const std::string_view> known);

}  // namespace weft
