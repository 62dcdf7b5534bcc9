#pragma once

#include "sqlite_connection.hpp"
#include "sqlite_time.hpp"

#include <weft/store/run_record.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace weft::sqlite_detail {

// Workers.

[[nodiscard]] worker_id enter_worker(connection& db, const std::string& name, std::int64_t until);
[[nodiscard]] heartbeat_report prolong_worker(connection& db, worker_id worker, std::int64_t until);
void remove_worker(connection& db, worker_id worker, const moment& at);
/** @return How many runs were taken from workers without a sign of life. */
std::size_t reap_workers(connection& db, std::size_t runs_max, const moment& at);
/** When a file is opened, nobody can be at work on it. */
void give_up_all_workers(connection& db, clock::system_time_point now);

// Runs.

[[nodiscard]] run_admission enter_run(connection& db, const new_run& run, const moment& at);
[[nodiscard]] std::vector<run_claim> claim_runs(connection& db, worker_id worker, std::size_t max, const moment& at);
[[nodiscard]] std::optional<run_claim> resume_run(connection& db, worker_id worker, run_id run, const moment& at);
[[nodiscard]] write_state finish_run(connection& db, const write_fence& fence, const run_outcome& outcome,
                                     const moment& at);
[[nodiscard]] write_state yield_run(connection& db, const write_fence& fence, const moment& at);
[[nodiscard]] std::optional<run_id> signal_run(connection& db, const thread_key& thread, run_signal what,
                                               const moment& at);
[[nodiscard]] std::optional<run_record> read_run(connection& db, run_id run);
[[nodiscard]] std::optional<run_record> read_active_run(connection& db, const thread_key& thread);

}  // namespace weft::sqlite_detail
