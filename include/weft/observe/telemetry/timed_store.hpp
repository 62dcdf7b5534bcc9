#pragma once

#include <weft/observe/metric/weft_metrics.hpp>
#include <weft/store/role/forwarding_store.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** Times the operations of a store that runs wait for, and counts what fails or is refused: `weft_store_seconds`,
 *  `weft_store_errors_total`, `weft_fence_refused_total`, `weft_lease_lost_total`.
 *
 *  @par Lifetimes   The store and the metrics outlive it. */
class timed_store final : public forwarding_store {
public:
    timed_store(checkpoint_store& inner, weft_metrics& metrics) noexcept : forwarding_store{inner}, metrics_{metrics} {}

    [[nodiscard]] task<heartbeat_report> heartbeat(worker_id worker, std::chrono::milliseconds lifetime) override;
    [[nodiscard]] task<run_admission> enqueue(new_run run) override;
    [[nodiscard]] task<std::vector<run_claim>> claim(worker_id worker, std::size_t max) override;
    [[nodiscard]] task<write_state> finish(write_fence fence, run_outcome outcome) override;
    [[nodiscard]] task<write_state> yield(write_fence fence) override;
    [[nodiscard]] task<commit_result> commit(write_fence fence, checkpoint_draft draft) override;
    [[nodiscard]] task<std::optional<checkpoint>> load(thread_key thread,
                                                       std::optional<std::int64_t> sequence) override;
    [[nodiscard]] task<std::vector<blob>> read_blobs(thread_key thread, std::vector<content_hash> hashes) override;
    [[nodiscard]] task<void> read_ahead(thread_key thread, std::vector<content_hash> roots, std::size_t likely,
                                        blob_receiver& into) override;
    [[nodiscard]] task<write_state> record(write_fence fence, effect_record effect) override;
    [[nodiscard]] task<answer_state> answer(thread_key thread, std::string address, std::string answer) override;

private:
    weft_metrics& metrics_;
};

}  // namespace weft
