#pragma once

#include <weft/async/task.hpp>
#include <weft/store/record/blob_pack.hpp>
#include <weft/store/record/checkpoint.hpp>
#include <weft/store/record/content_hash.hpp>
#include <weft/store/record/history_page.hpp>
#include <weft/store/record/run_record.hpp>
#include <weft/store/record/thread_key.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

class run_event_log;

/** Keeps the history of each thread: one chain of checkpoints, numbered from 1 without holes, and their blobs.
 *
 *  Errors, cancellation, thread safety and lifetimes are those of `checkpoint_store`.
 */
class checkpoint_log {
public:
    virtual ~checkpoint_log() = default;

    /** The key that blobs of this store are hashed with. Valid once the store is open. */
    [[nodiscard]] virtual const hash_key& key() const noexcept = 0;

    /** The log that the events of a draft go to, with their checkpoint; null: the store has none, and takes none. */
    [[nodiscard]] virtual run_event_log* event_log() noexcept { return nullptr; }

    /** Writes a checkpoint behind the head: the checkpoint, its blobs, its events, and what it settles, or nothing at
     *  all. */
    [[nodiscard]] virtual task<commit_result> commit(write_fence fence, checkpoint_draft draft) = 0;
    /** A checkpoint of a thread; without a number the newest. Nothing if there is none. */
    [[nodiscard]] virtual task<std::optional<checkpoint>> load(thread_key thread,
                                                               std::optional<std::int64_t> sequence) = 0;
    /** Where a checkpoint is, by its id. Nothing if there is none. */
    [[nodiscard]] virtual task<std::optional<std::pair<thread_key, std::int64_t>>> find(checkpoint_id id) = 0;
    /** The blobs of these hashes, in any order, once each; and of many perhaps others of the thread along with them,
     *  which the store came by and which these may lead to.
     *  @par Errors  `store_corrupt` if one is missing. */
    [[nodiscard]] virtual task<std::vector<blob>> read_blobs(thread_key thread, std::vector<content_hash> hashes) = 0;
    /** For a reader who needs these blobs and all that they lead to: gives blobs of the thread in packs as they come,
     *  while the rest is still read. Some may be missing, which `read_blobs` is asked for, and others be among them; a
     *  store that has no faster way than `read_blobs` gives none, as this one does. So does a store that changes blobs
     *  on their way, unless it says otherwise.
     *  @param likely   How many it will be, about.
     *  @param into     Outlives the task. */
    [[nodiscard]] virtual task<void> read_ahead([[maybe_unused]] thread_key thread,
                                                [[maybe_unused]] std::vector<content_hash> roots,
                                                [[maybe_unused]] std::size_t likely,
                                                [[maybe_unused]] blob_receiver& into)
    {
        co_return;
    }
    /** What is known of a thread's checkpoints without reading them, newest first. */
    [[nodiscard]] virtual task<std::vector<checkpoint_info>> history(thread_key thread, history_page page) = 0;
    /** Makes a thread that begins with a copy of a checkpoint, of the kind `edit`, which has the id of the original in
     *  `copy_of`. The two histories have nothing else in common from then on.
     *  @return False if there is no such checkpoint, or `to` has a history already. */
    [[nodiscard]] virtual task<bool> fork(thread_key from, std::int64_t sequence, thread_key to, checkpoint_id id) = 0;
    /** Gives a checkpoint a name; empty takes it away. @return False if there is no such checkpoint. */
    [[nodiscard]] virtual task<bool> label(thread_key thread, std::int64_t sequence, std::string name) = 0;
};

}  // namespace weft
