#pragma once

#include "engine/value/blob_table.hpp"

#include <weft/async/task.hpp>
#include <weft/engine/checkpoint/graph_migration.hpp>
#include <weft/engine/scheduler/frontier.hpp>
#include <weft/graph/graph.hpp>
#include <weft/store/checkpoint_store.hpp>
#include <weft/store/record/checkpoint.hpp>
#include <weft/store/record/thread_key.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace weft::checkpoint_detail {

/** Gathers what a checkpoint refers to, and what that refers to, and compares it with its hashes.
 *
 *  What comes in packs is compared as it comes, while the next one is on its way; one that is wrong there may not be
 *  needed, and is asked for by its hash if it is.
 */
class blob_gathering final : public blob_receiver {
public:
    /** @param place   Names the thread, for errors. */
    blob_gathering(const hash_key& key, std::string place) : key_{key}, place_{std::move(place)} {}

    void take(blob_pack pack) override;
    void add(std::vector<blob> blobs) { table_.add(std::move(blobs)); }

    void need(const std::vector<content_hash>& hashes) { left_.insert(left_.end(), hashes.begin(), hashes.end()); }
    /** Goes on from what is needed to what that refers to, as far as a turn of the loop allows.
     *  @return        True when nothing is left but what is missing.
     *  @par Errors    `store_corrupt`: one is not what its hash says. */
    [[nodiscard]] bool follow_some();
    /** What is to be added, in the order in which it is referred to; each is given once. */
    [[nodiscard]] std::vector<content_hash> take_missing() noexcept { return std::exchange(missing_, {}); }
    /** @par Errors   `store_corrupt`: one of them is not there. */
    void require(const std::vector<content_hash>& hashes) const;

    [[nodiscard]] blob_table take_table() noexcept { return std::move(table_); }

private:
    void compare(const std::vector<std::size_t>& which);

    const hash_key& key_;
    const std::string place_;
    blob_table table_;
    std::vector<content_hash> left_;
    std::size_t next_ = 0;  // of `left_`
    std::vector<content_hash> missing_;
    std::unordered_set<content_hash> asked_;
};

/** All that a checkpoint refers to, and what that refers to.
 *  @par Errors      As `read_blobs_of`.
 *  @par Lifetimes   The store outlives the task. */
[[nodiscard]] task<blob_table> gather_blobs(checkpoint_store& store, thread_key thread, checkpoint from);

/** `read_frontier` of what was gathered. @par Lifetimes  All but `by` outlive the task. */
[[nodiscard]] task<frontier> read_gathered(const blob_table& blobs, const checkpoint& from, const graph& of,
                                           std::shared_ptr<const graph_migrations> by);

/** As `decode_state`. */
[[nodiscard]] boost::json::object decode_state_from(const checkpoint& from, const blob_table& blobs);

}  // namespace weft::checkpoint_detail
