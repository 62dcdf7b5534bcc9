#pragma once

#include <weft/store/record/store_model.hpp>
#include <weft/store/record/stored_event.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/** The rules of `run_event_log` on the tables of a `store_model`. */
namespace weft::store_detail {

/** Appends to the log of a run that may be written. */
void add_events(event_rows& log, std::vector<event_draft> events, const event_log_limits& limits, wall_time at);
[[nodiscard]] event_append append_events(store_model& model, const write_fence& by, std::vector<event_draft> events,
                                         const event_log_limits& limits, store_moment at);
[[nodiscard]] event_page read_events(const store_tables& tables, run_id run, std::uint64_t after,
                                     std::size_t count_max);
/** @param before  Only logs of runs that ended no later. */
[[nodiscard]] event_prune prune_ended_logs(store_model& model, wall_time before, std::size_t events_max);

}  // namespace weft::store_detail
