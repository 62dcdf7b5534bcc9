#pragma once

#include <cstddef>
#include <string>

namespace weft {

/** An event to be appended to the log of a run. */
struct event_draft {
    std::string kind;  ///< For readers that want some kinds only, such as `values`; a name.
    std::string data;  ///< Opaque bytes; usually JSON.
};

/** How much of a run's events a store remembers. When one bound is exceeded, the oldest events go until an eighth of
 *  both bounds is free again, so that pruning costs little per event; the newest event stays in any case. */
struct event_log_limits {
    std::size_t events_max = 10'000;
    std::size_t bytes_max = 16u << 20;  ///< Of kinds and data.
};

}  // namespace weft
