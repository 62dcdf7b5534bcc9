#pragma once

#include "sqlite_run_row.hpp"
#include "sqlite_time.hpp"
#include "store/record/queue_turn.hpp"
#include "store/record/rule_book.hpp"

#include <weft/store/record/queue_listing.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/** Which run of a SQLite file comes next: tenants, abilities, limits and attempts. */
namespace weft::sqlite_detail {

/** Whether a worker, if it is there, can run it. */
[[nodiscard]] bool can_run(connection& db, worker_id worker, const run_row& run);
/** Whether a worker may have it out of turn: it lives, can run it, and no limit is for it. */
[[nodiscard]] bool may_start_at_once(connection& db, const run_row& run, worker_id worker, const moment& at);
[[nodiscard]] std::vector<store_detail::bucket_limit> limits_of_run(connection& db, const run_row& run);
/** Who asks for how many runs, and when. */
struct queue_portion {
    worker_id worker;
    std::size_t max;
    const moment& at;
};

/** The next runs of the queue. They count in their buckets from here on, and are to be taken.
 *  @param suspect  Comes first, out of turn, if nothing holds it back. */
[[nodiscard]] std::vector<run_row> next_in_turn(connection& db, store_detail::queue_turn& turn,
                                                std::optional<run_row> suspect, queue_portion wanted);
/** The run is no worker's any more. */
void leave_buckets(connection& db, const run_row& run);
/** As `run_directory::forget_idle_limits`. */
[[nodiscard]] std::size_t forget_idle_buckets(connection& db, const moment& at);
/** How long the next attempt of a run waits that was lost. */
[[nodiscard]] std::chrono::milliseconds back_off_of_run(connection& db, const run_row& run);
/** After a failure. @return  False: no rule lets it try again. Else it tries again, or is dead. */
[[nodiscard]] bool try_run_again(connection& db, run_row& run, const std::string& cause, const moment& at);

[[nodiscard]] std::vector<queue_depth> queue_depths(connection& db, std::size_t count_max);
[[nodiscard]] std::vector<dead_runs> dead_by_graph(connection& db, std::size_t count_max);
[[nodiscard]] std::vector<unclaimable_runs> runs_no_worker_can(connection& db, std::size_t count_max, const moment& at);
[[nodiscard]] std::vector<listed_worker> list_workers(connection& db, std::size_t count_max, const moment& at);

}  // namespace weft::sqlite_detail
