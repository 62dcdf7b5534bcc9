#pragma once

#include <weft/async/task.hpp>
#include <weft/store/record/queue_listing.hpp>

#include <cstddef>
#include <vector>

namespace weft {

/** Shows the queue to people and to metrics. Each list is bounded, and costs about as much as it shows.
 *
 *  @par Errors          As `checkpoint_store`.
 *  @par Cancellation    At once.
 *  @par Thread safety   From any OS thread that has a loop.
 */
class queue_view {
public:
    virtual ~queue_view() = default;

    /** How many runs stand in the queue or are under way, by tenant, graph, revision and phase; by name, at most
     *  `count_max` kinds. Runs that wait are in no queue: see `run_directory`. */
    [[nodiscard]] virtual task<std::vector<queue_depth>> depths(std::size_t count_max) = 0;
    /** Ready runs that no living worker can take, by graph and revision; at most `count_max` kinds. */
    [[nodiscard]] virtual task<std::vector<unclaimable_runs>> unclaimable(std::size_t count_max) = 0;
    /** Runs that are dead, of all tenants, by graph; at most `count_max` graphs. */
    [[nodiscard]] virtual task<std::vector<dead_runs>> dead(std::size_t count_max) = 0;
    /** The workers, the newest first; at most `count_max`. */
    [[nodiscard]] virtual task<std::vector<listed_worker>> workers(std::size_t count_max) = 0;
};

}  // namespace weft
