#pragma once

#include <weft/async/task.hpp>
#include <weft/engine/checkpoint/graph_fingerprint.hpp>
#include <weft/engine/checkpoint/graph_migration.hpp>
#include <weft/engine/scheduler/frontier.hpp>
#include <weft/graph/graph.hpp>
#include <weft/store/checkpoint_store.hpp>
#include <weft/store/record/blob_map.hpp>
#include <weft/store/record/thread_key.hpp>

#include <boost/json/object.hpp>

#include <memory>
#include <vector>

namespace weft {

/** Where the run stood when the checkpoint was made, with the values of that moment.
 *
 *  The graph may have changed since, as long as nothing is missing that this checkpoint needs: nodes and keys are told
 *  by their names. Blobs are fetched level by level: a few round trips, however many there are.
 *
 *  @par Errors
 *    - `errc::graph_changed`   the checkpoint cannot go on with this graph; names every difference that matters to it.
 *    - `errc::store_corrupt`   names the place. What was not written by us is never executed, whatever it says.
 *    - `errc::store_refused`   a newer version wrote it.
 *    - and those of `checkpoint_store::read_blobs`.
 *  @par Cancellation   Between two round trips as well.
 *  @par Lifetimes      The store outlives the task. Some copy of the graph outlives the frontier, which has names of
 *                      its nodes.
 */
[[nodiscard]] task<frontier> read_frontier(checkpoint_store& store, thread_key thread, checkpoint from, graph of);
/** The same by way of migrations. @param by   Null: none. */
[[nodiscard]] task<frontier> read_frontier(checkpoint_store& store, thread_key thread, checkpoint from, graph of,
                                           std::shared_ptr<const graph_migrations> by);

/** The same of blobs that are there already: all that the checkpoint and these blobs refer to. */
[[nodiscard]] frontier decode_frontier(const checkpoint& from, const blob_map& blobs, const graph& of);
[[nodiscard]] frontier decode_frontier(const checkpoint& from, const blob_map& blobs, const graph& of,
                                       const graph_migrations& by);

/** The run that began to count the visits of a checkpoint: addresses in the journal belong to it and that run. Nil in a
 *  thread that was forked and has not run yet.
 *  @par Errors   `store_corrupt`, `store_refused`. */
[[nodiscard]] run_id origin_of(const checkpoint& from);

/** All blobs that a checkpoint refers to, and those that these refer to.
 *  @par Errors   `errc::store_corrupt` if one is not what its hash says; else as `checkpoint_store::read_blobs`. */
[[nodiscard]] task<blob_map> read_blobs_of(checkpoint_store& store, thread_key thread, checkpoint from);

/** The state by key name, without the graph: for people.
 *  @par Errors   As `read_frontier`, but for `graph_changed`. */
[[nodiscard]] task<boost::json::object> read_state(checkpoint_store& store, thread_key thread, checkpoint from);
[[nodiscard]] boost::json::object decode_state(const checkpoint& from, const blob_map& blobs);

/** What is different between the graph that a checkpoint was written with and another one, and whether this checkpoint
 *  can go on with it: it can if no change `blocks`.
 *  @par Errors   `store_corrupt`, `store_refused`. */
[[nodiscard]] std::vector<graph_change> compare_graphs(const checkpoint& from, const blob_map& blobs, const graph& to,
                                                       const graph_migrations& by = graph_migrations::none());
/** The same, reading what it needs. @param by   Null: no migrations. */
[[nodiscard]] task<std::vector<graph_change>> read_graph_changes(checkpoint_store& store, thread_key thread,
                                                                 checkpoint from, graph to,
                                                                 std::shared_ptr<const graph_migrations> by);

}  // namespace weft
