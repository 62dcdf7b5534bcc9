#pragma once

#include <weft/base/chrono.hpp>

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** A span of time as graph files write it: a whole number and a unit, `250ms`, `20s`, `5m`. Units are ns, us, ms, s, m
 *  and h. Never negative, at most 292 years. */
class spec_duration {
public:
    constexpr spec_duration() noexcept = default;
    constexpr spec_duration(std::chrono::nanoseconds span) noexcept : span_{span} {}

    [[nodiscard]] constexpr std::chrono::nanoseconds span() const noexcept { return span_; }

    /** In the largest unit that loses nothing: `90s`, `2m`. */
    [[nodiscard]] std::string text() const;
    /** Nothing if it is no whole number and unit, or beyond 292 years. */
    [[nodiscard]] static std::optional<spec_duration> parse(std::string_view text);

    friend constexpr auto operator<=>(const spec_duration&, const spec_duration&) noexcept = default;

private:
    std::chrono::nanoseconds span_{0};
};

}  // namespace weft
