#pragma once

#include <cstddef>

namespace weft {

/** What an endpoint allows for one key and model; 0 means no limit of that kind. */
struct model_rate_limits {
    double requests_per_minute = 0;
    double tokens_per_minute = 0;
    std::size_t in_flight_max = 0;
    /** The share of each limit that is kept back: so much may go at once, and the rest at an even rate. Then no span of
     *  a minute, wherever it begins, holds more than the limit, be it a sliding window, a fixed one or a bucket. */
    double headroom = 0.02;
};

}  // namespace weft
