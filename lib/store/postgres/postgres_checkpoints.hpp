#pragma once

#include "store/postgres/wire/pg_core.hpp"

#include <weft/store/role/checkpoint_log.hpp>
#include <weft/store/role/store_housekeeping.hpp>

namespace weft::postgres_detail {

/** The histories of threads in a PostgreSQL database, and what removes them.
 *
 *  @par Lifetimes   The core outlives it.
 */
class postgres_checkpoints final : public checkpoint_log, public store_housekeeping {
public:
    explicit postgres_checkpoints(pg_core& core) noexcept : core_{core} {}

    [[nodiscard]] const hash_key& key() const noexcept override { return core_.key(); }

    [[nodiscard]] task<commit_result> commit(write_fence fence, checkpoint_draft draft) override;
    [[nodiscard]] task<std::optional<checkpoint>> load(thread_key thread,
                                                       std::optional<std::int64_t> sequence) override;
    [[nodiscard]] task<std::optional<std::pair<thread_key, std::int64_t>>> find(checkpoint_id id) override;
    [[nodiscard]] task<std::vector<blob>> read_blobs(thread_key thread, std::vector<content_hash> hashes) override;
    [[nodiscard]] task<void> read_ahead(thread_key thread, std::vector<content_hash> roots, std::size_t likely,
                                        blob_receiver& into) override;
    [[nodiscard]] task<std::vector<checkpoint_info>> history(thread_key thread, history_page page) override;
    [[nodiscard]] task<bool> fork(thread_key from, std::int64_t sequence, thread_key to, checkpoint_id id) override;
    [[nodiscard]] task<bool> label(thread_key thread, std::int64_t sequence, std::string name) override;

    [[nodiscard]] task<prune_report> prune(thread_key thread, retention what) override;
    [[nodiscard]] task<bool> drop(thread_key thread) override;
    [[nodiscard]] task<thread_usage> usage(thread_key thread) override;
    [[nodiscard]] task<std::vector<thread_summary>> threads(std::string tenant, std::string after,
                                                            std::size_t max) override;

private:
    pg_core& core_;
};

}  // namespace weft::postgres_detail
