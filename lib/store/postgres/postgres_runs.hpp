#pragma once

#include "claim_watermark.hpp"
#include "store/postgres/wire/pg_core.hpp"
#include "store/record/queue_turn.hpp"

#include <weft/store/role/run_store.hpp>

#include <mutex>

namespace weft::postgres_detail {

/** Runs in a PostgreSQL database.
 *
 *  @par Lifetimes   Core and watermark outlive it.
 */
class postgres_runs final : public run_store {
public:
    postgres_runs(pg_core& core, claim_watermark& watermark) noexcept : core_{core}, watermark_{watermark} {}

    [[nodiscard]] task<run_admission> enqueue(new_run run) override;
    [[nodiscard]] task<std::vector<run_claim>> claim(worker_id worker, std::size_t max) override;
    [[nodiscard]] task<std::optional<run_claim>> resume(worker_id worker, run_id run) override;
    [[nodiscard]] task<write_state> finish(write_fence fence, run_outcome outcome) override;
    [[nodiscard]] task<write_state> bind(write_fence fence, std::string revision) override;
    [[nodiscard]] task<bool> change_input(thread_key thread, run_id run, std::string input) override;
    [[nodiscard]] task<write_state> yield(write_fence fence) override;
    [[nodiscard]] task<std::optional<run_id>> signal(thread_key thread, run_signal what) override;
    [[nodiscard]] task<std::optional<run_record>> find_run(run_id run) override;
    [[nodiscard]] task<std::optional<run_record>> active_run(thread_key thread) override;

private:
    [[nodiscard]] task<void> reach_disk();
    [[nodiscard]] store_detail::queue_turn turn() const;
    void set_turn(store_detail::queue_turn turn);

    pg_core& core_;
    claim_watermark& watermark_;
    mutable std::mutex lock_;
    store_detail::queue_turn turn_;
};

}  // namespace weft::postgres_detail
