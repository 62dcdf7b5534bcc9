#pragma once

#include <weft/store/record/run_record.hpp>
#include <weft/store/record/worker_entry.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace weft {

/** How far the runs of one kind are counted: further would be a walk through the whole queue. */
inline constexpr std::size_t queue_counted_max = 10'000;

/** Runs of one kind that stand in the queue. */
struct queue_depth {
    std::string tenant;
    std::string graph;
    std::string revision;
    run_phase phase = run_phase::ready;  ///< `queued`, `ready` or `running`.
    std::size_t count = 0;               ///< At most `queue_counted_max`: there may be more.
    wall_time oldest;                    ///< When the oldest of them was entered.
};

/** Runs that no living worker can take. */
struct unclaimable_runs {
    std::string graph;
    std::string revision;
    std::size_t count = 0;  ///< At most `queue_counted_max`: there may be more.
    wall_time oldest;       ///< When the oldest of them was entered.
};

/** Runs of a graph that have used up their attempts. */
struct dead_runs {
    std::string graph;
    std::size_t count = 0;  ///< Of all graphs together at most `queue_counted_max` are counted.
};

/** A worker as the store knows it. */
struct listed_worker {
    worker_id id = 0;
    std::string name;
    wall_time since;                    ///< When it entered.
    wall_time seen;                     ///< Its last sign of life.
    bool is_alive = false;              ///< False: its lifetime is over, and `reap` takes its runs.
    std::size_t runs = 0;               ///< How many it has.
    std::vector<graph_ability> graphs;  ///< As `worker_entry::graphs`.
};

}  // namespace weft
