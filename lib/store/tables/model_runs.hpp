#pragma once

#include "model_access.hpp"

#include <cstddef>
#include <optional>
#include <vector>

/** The rules of `run_store` on the tables of a `store_model`. */
namespace weft::store_detail {

[[nodiscard]] run_admission enqueue_run(const model_access& store, new_run run);
[[nodiscard]] std::vector<run_claim> claim_runs(const model_access& store, worker_id worker, std::size_t max);
[[nodiscard]] std::optional<run_claim> resume_run(const model_access& store, worker_id worker, run_id run);
[[nodiscard]] write_state finish_run(const model_access& store, const write_fence& fence, run_outcome outcome);
[[nodiscard]] write_state bind_run(const model_access& store, const write_fence& fence, std::string revision);
[[nodiscard]] bool change_input_of_run(store_tables& tables, const thread_key& thread, run_id run, std::string input);
[[nodiscard]] write_state yield_run(const model_access& store, const write_fence& fence);
[[nodiscard]] bool cancel_queued_run(const model_access& store, run_id run);
[[nodiscard]] bool remove_run(const model_access& store, run_id run);
std::optional<run_id> signal_run(const model_access& store, const thread_key& thread, run_signal what);

}  // namespace weft::store_detail
