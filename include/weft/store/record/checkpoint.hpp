#pragma once

#include <weft/base/clock.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/store/record/content_hash.hpp>
#include <weft/store/record/event_draft.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** A moment of the time of day. */
using wall_time = clock::system_time_point;

/** At which moment of a run a checkpoint was made. Their content is the same. */
enum class checkpoint_kind : std::uint8_t {
    node_start,     ///< A node is about to run.
    node_complete,  ///< A node has completed and its writes are in the state.
    pause,          ///< The run was paused, from outside, by a list of nodes or by a question.
    cancel,         ///< The run was cancelled; what its nodes had published is in the state.
    finish,         ///< The run is over, finished or failed. The next run of the thread begins with this state.
    edit,           ///< No node ran: the state was changed by hand, or the thread forked from another one.
};

[[nodiscard]] std::string_view name_of(checkpoint_kind kind) noexcept;

/** A piece of a checkpoint, stored once in a thread, however many checkpoints refer to it.
 *
 *  Immutable, and named by its content: `hash` is `hash_of(bytes, links, key)` with the key of its store.
 */
struct blob {
    content_hash hash;
    std::string bytes;
    std::vector<content_hash> links;  ///< The blobs it refers to, so that a store can tell what is still needed.
};

/** What is known of a checkpoint without reading it. */
struct checkpoint_info {
    checkpoint_id id;
    std::int64_t sequence = 0;  ///< Its number in the thread, from 1, without holes; given by the store.
    std::int64_t parent = 0;    ///< The checkpoint that it follows; 0: the first.
    run_id run;                 ///< Nil if no run made it.
    std::int64_t epoch = 0;     ///< Which holder of the thread wrote it.
    checkpoint_kind kind = checkpoint_kind::node_complete;
    std::uint64_t step = 0;     ///< Node visits of the run so far.
    std::string node;           ///< The node it is about; empty if none.
    std::string graph;          ///< The graph's name.
    std::string graph_hash;     ///< Of the graph's shape; see `graph_fingerprint`.
    std::string label;          ///< A name given by a person; empty: none. Named checkpoints are never pruned.
    wall_time at;               ///< When it was made, by the clock of the process that ran.
    std::uint64_t bytes = 0;    ///< Of `body` and of the blobs that came with it.
    /** The one of another thread that it is a copy of, with which a fork begins; nil: it is none. Its thread may be
     *  gone since. */
    checkpoint_id copy_of;
};

/** A checkpoint: where a run stood, and its state by way of `links`. */
struct checkpoint : checkpoint_info {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    checkpoint() noexcept {}

    std::string body;                 ///< Of the engine; stores do not look into it.
    std::vector<content_hash> links;  ///< The blobs that `body` refers to, by their place here.
};

/** A checkpoint to be stored. */
class checkpoint_draft {
public:
    checkpoint_draft() noexcept {}

    checkpoint_id id;
    checkpoint_kind kind = checkpoint_kind::node_complete;
    std::uint64_t step = 0;
    std::string node;
    std::string graph;
    std::string graph_hash;
    std::string label;
    wall_time at;
    std::string body;
    std::vector<content_hash> links;
    std::vector<blob> blobs;           ///< Those that the thread may not have yet.
    /** Addresses whose effects and questions are done with: they and everything below them ("plan#1" is above
     *  "plan#1/charge#0") are dropped in the same transaction. */
    std::vector<std::string> settled;
    /** What led to it: appended to the log of its run in the same transaction, which is then pruned to `event_limits`.
     *  Only for stores that have a `checkpoint_log::event_log`. */
    std::vector<event_draft> events;
    event_log_limits event_limits{};
};

}  // namespace weft
