#pragma once

#include <weft/base/chrono.hpp>

#include <cstddef>

namespace weft::testing {

/** What a `virtual_network` does to the bytes between two ends. The one place of these defaults, which are those of a
 *  calm day: everything arrives, in whole pieces, after 1 ms. */
struct network_weather {
    network_weather() {}

    /** How long a piece is on its way. Pieces of one connection stay in order; connections overtake one another. */
    std::chrono::nanoseconds delay_min = std::chrono::milliseconds{1};
    std::chrono::nanoseconds delay_max = std::chrono::milliseconds{1};
    /** A write takes, and a read gives, any number of bytes from 1 up to what there is, instead of all of it. What is
     *  written and read at once (`transport::write_now`, `read_now`) is by the seed nothing, or the same. */
    bool splits = false;
    /** Of a write; more waits. */
    std::size_t piece_bytes_max = 16 * 1024;
    /** Bytes in one direction that are on their way or not yet read, as the kernels of both ends keep them. A writer
     *  waits when there is no more room. */
    std::size_t window_bytes = 64 * 1024;
    /** How likely it is that a piece is lost and its connection reset, with all that was on its way; from 0 to 1. */
    double resets = 0;
};

}  // namespace weft::testing
