#pragma once

#include "sqlite_connection.hpp"
#include "sqlite_time.hpp"

#include <weft/store/checkpoint_store.hpp>

#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace weft::sqlite_detail {

/** Hashes one behind the other, as they stand in the file. */
[[nodiscard]] std::string joined(const std::vector<content_hash>& hashes);
/** @par Errors  `store_corrupt` if that is not what `bytes` are. */
[[nodiscard]] std::vector<content_hash> split(const connection& db, std::string_view bytes);

[[nodiscard]] commit_result commit_checkpoint(connection& db, const write_fence& fence, const checkpoint_draft& draft,
                                              const moment& at);
/** A checkpoint; without a number the newest. */
[[nodiscard]] std::optional<checkpoint> read_checkpoint(connection& db, const thread_key& thread,
                                                        std::optional<std::int64_t> sequence);
[[nodiscard]] std::optional<std::pair<thread_key, std::int64_t>> find_checkpoint(connection& db, checkpoint_id id);
[[nodiscard]] std::vector<blob> read_blobs(connection& db, const thread_key& thread,
                                           const std::vector<content_hash>& hashes);
[[nodiscard]] std::vector<checkpoint_info> read_history(connection& db, const thread_key& thread,
                                                        const history_page& page);
[[nodiscard]] bool label_checkpoint(connection& db, const thread_key& thread, std::int64_t sequence,
                                    const std::string& name);

/** Where a copy of a checkpoint goes. */
struct fork_target {
    thread_key from;
    std::int64_t sequence = 0;
    thread_key to;
    checkpoint_id id;
};
[[nodiscard]] bool fork_thread(connection& db, const fork_target& target, const moment& at);
/** Copies a thread with what is noted about it; `fork_target::sequence` is not used. */
[[nodiscard]] bool copy_thread(connection& db, fork_target target, const moment& at);

using hash_set = std::unordered_set<content_hash>;

/** The blobs of a thread that `links` lead to, themselves included. What is missing leads nowhere. */
[[nodiscard]] hash_set reachable(connection& db, std::int64_t thread, const std::vector<content_hash>& links);

}  // namespace weft::sqlite_detail
