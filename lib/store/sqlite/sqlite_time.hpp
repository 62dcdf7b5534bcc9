#pragma once

#include <weft/base/clock.hpp>
#include <weft/store/record/store_model.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace weft::sqlite_detail {

/** When a call was made, by the clock of its loop. */
using moment = store_moment;

/** As it stands in the file: nanoseconds since 1970. */
[[nodiscard]] inline std::int64_t stored(clock::system_time_point at) noexcept
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
}

[[nodiscard]] inline std::optional<std::int64_t> stored_or_null(std::optional<clock::system_time_point> at) noexcept
{
    return at ? std::optional{stored(*at)} : std::nullopt;
}

[[nodiscard]] inline clock::system_time_point as_wall_time(std::int64_t stored) noexcept
{
    return clock::system_time_point{
        std::chrono::duration_cast<clock::system_time_point::duration>(std::chrono::nanoseconds{stored})};
}

/** `start + span` in nanoseconds, or the last moment there is. */
[[nodiscard]] inline std::int64_t later(std::int64_t start, std::chrono::milliseconds span) noexcept
{
    constexpr std::int64_t per_millisecond = 1'000'000;
    std::int64_t wide;
    std::int64_t sum;
    if (__builtin_mul_overflow(span.count(), per_millisecond, &wide) || __builtin_add_overflow(start, wide, &sum))
        return span.count() < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

/** A moment of the steady clock as it stands in the file, which is compared by the process that wrote it only. */
[[nodiscard]] inline std::int64_t stored(time_point at) noexcept
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
}

}  // namespace weft::sqlite_detail
