#pragma once

#include "sqlite_connection.hpp"
#include "sqlite_time.hpp"

#include <weft/store/record/stored_event.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::sqlite_detail {

/** What `run_event_log::append` is asked to do. */
struct event_batch {
    write_fence by;
    std::vector<event_draft> events;
    event_log_limits limits;
};

/** Appends to the log of a run that may be written. @return  The id of the newest event. */
std::uint64_t add_events(connection& db, std::int64_t run, const std::vector<event_draft>& events,
                         const event_log_limits& limits, const moment& at);
[[nodiscard]] event_append append_events(connection& db, const event_batch& batch, const moment& at);
/** @param before  Only logs of runs that ended no later. */
[[nodiscard]] event_prune prune_ended_logs(connection& db, wall_time before, std::size_t events_max);
[[nodiscard]] event_page read_events(connection& db, run_id run, std::uint64_t after, std::size_t count_max);

}  // namespace weft::sqlite_detail
