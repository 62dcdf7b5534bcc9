#pragma once

#include <cstddef>
#include <cstdint>

namespace weft {

/** How much a cache keeps. */
struct single_flight_limits {
    std::size_t entries_max = 10'000;
    std::size_t bytes_max = 64 * 1024 * 1024;  ///< Of keys and values, about.
};

/** What a cache has done so far. */
struct single_flight_counts {
    std::int64_t hits = 0;
    std::int64_t shared = 0;  ///< Answered by an equal call that was under way.
    std::int64_t misses = 0;
    std::int64_t dropped = 0;  ///< Values that had to go for lack of room.
    std::size_t entries = 0;
    std::size_t bytes = 0;
};

}  // namespace weft
