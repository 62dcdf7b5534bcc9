#pragma once

#include <cstddef>
#include <cstdint>

// How much simulations try: all of it in Release, a part where asserts and sanitizers slow each of them down.

/** How many seeds are played. */
constexpr std::uint64_t seed_count(std::uint64_t in_release) noexcept
{
#ifdef NDEBUG
    return in_release;
#else
    return (in_release + 7) / 8;
#endif
}

/** How many steps lie between the moments at which a process is killed. */
#ifdef NDEBUG
inline constexpr std::size_t moment_stride = 1;
#else
inline constexpr std::size_t moment_stride = 5;
#endif
