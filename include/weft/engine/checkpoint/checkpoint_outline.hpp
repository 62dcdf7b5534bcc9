#pragma once

#include <weft/async/task.hpp>
#include <weft/engine/checkpoint/thread_snapshot.hpp>
#include <weft/store/checkpoint_store.hpp>
#include <weft/store/record/blob_map.hpp>
#include <weft/store/record/thread_key.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace weft {

/** Where a run stood, by names: what can be said of a checkpoint without the graph that made it.
 *
 *  @par Thread safety   As a value.
 */
struct checkpoint_outline {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    checkpoint_outline() {}

    std::uint32_t steps = 0;                      ///< Node visits of the run so far.
    std::uint32_t retries = 0;
    std::map<std::string, std::uint32_t> visits;  ///< By node; those that were visited.
    /** Where a run that goes on from here begins, as `thread_snapshot::next_nodes`; empty if its run was over. */
    std::vector<std::string> next_nodes;
    bool is_unfinished = false;                   ///< Whether such a run has something left to do.
    boost::json::object shape;                    ///< Of its graph, as `graph_shape` gives it.
    boost::json::object state;                    ///< By key; only if it was asked for.
    /** What a branch has written that waits for its siblings: by key the value, or the updates of its reducer. */
    struct finished_branch {
        std::string node;                         ///< Its first one.
        boost::json::object writes;
    };
    /** In the order in which they finished; only if the state was asked for. */
    std::vector<finished_branch> finished;
};

/** What of a checkpoint is wanted. */
enum class outline_depth : std::uint8_t {
    place,            ///< All but the state: at most two round trips, however large the state is.
    place_and_state,
};

/** Reads the outline of a checkpoint.
 *
 *  @par Errors   `errc::store_corrupt`, `errc::store_refused` if a newer version wrote it; those of
 *                `checkpoint_store::read_blobs`. */
[[nodiscard]] task<checkpoint_outline> read_outline(checkpoint_store& store, thread_key thread, checkpoint from,
                                                    outline_depth parts = outline_depth::place);

/** The same of blobs that are there already: all that the checkpoint and these blobs refer to. */
[[nodiscard]] checkpoint_outline decode_outline(const checkpoint& from, const blob_map& blobs);

/** What differs between two checkpoints, whatever their graphs. */
[[nodiscard]] snapshot_difference compare(const checkpoint_outline& before, const checkpoint_outline& after);

}  // namespace weft
