#pragma once

#include "model_access.hpp"
#include "store/record/rule_book.hpp"

#include <weft/store/record/queue_listing.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

/** Which run comes next: tenants, abilities, limits and attempts, on the tables of a `store_model`. */
namespace weft::store_detail {

/** Whether a living worker can run it. */
[[nodiscard]] bool can_run(const model_access& store, worker_id worker, const run_record& run);
/** Whether a worker may have it out of turn: no limit is for it. */
[[nodiscard]] bool may_start_at_once(const model_access& store, const run_row& run, worker_id worker);
[[nodiscard]] std::vector<bucket_limit> limits_of_run(const model_access& store, const run_row& run);
/** The next runs of the queue for a worker. They count in their buckets from here on, and are to be taken.
 *  @param suspect  Comes first, out of turn, if nothing holds it back; may be null. */
[[nodiscard]] std::vector<run_row*> next_in_turn(const model_access& store, worker_id worker, run_row* suspect,
                                                 std::size_t max);
/** How long the next attempt of a run waits that was lost. */
[[nodiscard]] std::chrono::milliseconds back_off_of_run(const model_access& store, const run_row& run);
/** After a failure. @return  False: no rule lets it try again. Else it tries again, or is dead. */
[[nodiscard]] bool try_run_again(const model_access& store, run_row& run, const std::string& cause);

/** As `run_directory::forget_idle_limits`. */
[[nodiscard]] std::size_t forget_idle_buckets(store_tables& tables, wall_time now);
[[nodiscard]] std::vector<queue_depth> queue_depths(const store_tables& tables, std::size_t count_max);
[[nodiscard]] std::vector<dead_runs> dead_by_graph(const store_tables& tables, std::size_t count_max);
[[nodiscard]] std::vector<unclaimable_runs> runs_no_worker_can(const store_tables& tables, std::size_t count_max,
                                                               store_moment at);
[[nodiscard]] std::vector<listed_worker> list_workers(const store_tables& tables, std::size_t count_max,
                                                      store_moment at);

}  // namespace weft::store_detail
