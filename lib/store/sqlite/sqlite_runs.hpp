#pragma once

#include "sqlite_connection.hpp"
#include "sqlite_time.hpp"
#include "store/record/queue_turn.hpp"

#include <weft/store/record/run_record.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace weft::sqlite_detail {

[[nodiscard]] run_admission enter_run(connection& db, const new_run& run, const moment& at);
[[nodiscard]] std::vector<run_claim> claim_runs(connection& db, store_detail::queue_turn& turn, worker_id worker,
                                                std::size_t max, const moment& at);
[[nodiscard]] std::optional<run_claim> resume_run(connection& db, worker_id worker, run_id run, const moment& at);
[[nodiscard]] write_state finish_run(connection& db, const write_fence& fence, const run_outcome& outcome,
                                     const moment& at);
[[nodiscard]] write_state bind_run(connection& db, const write_fence& fence, const std::string& revision);
[[nodiscard]] bool change_input_of_run(connection& db, const thread_key& thread, run_id run, std::string_view input);
[[nodiscard]] write_state yield_run(connection& db, const write_fence& fence, const moment& at);
[[nodiscard]] std::optional<run_id> signal_run(connection& db, const thread_key& thread, run_signal what,
                                               const moment& at);
[[nodiscard]] bool cancel_queued_run(connection& db, run_id run, const moment& at);
[[nodiscard]] bool remove_run(connection& db, run_id run);
/** The run of a thread that waits is ready, if no question is open at or below the address. */
void make_ready_if_answered(connection& db, std::int64_t thread, std::string_view below, const moment& at);

}  // namespace weft::sqlite_detail
