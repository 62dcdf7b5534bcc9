#pragma once

#include <weft/async/wait/slot_limiter.hpp>
#include <weft/engine/trace/stored_run_event.hpp>
#include <weft/graph/graph.hpp>

#include <cstdint>
#include <utility>

namespace weft::serve_detail {

/** How far the event log of a run has been read here, and the values up to there.
 *
 *  @par Thread safety   None: it belongs to one loop. */
struct log_reading {
    /** @param of      The graph of the run. */
    explicit log_reading(graph of, std::uint64_t after = 0) : events{std::move(of)}, after{after} {}

    stored_event_reader events;
    std::uint64_t after;        ///< The id of the last event that was read, in the log.
    slot_limiter one_read{1};   ///< Held while events are read: their values build on each other.
};

}  // namespace weft::serve_detail
