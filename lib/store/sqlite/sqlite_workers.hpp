#pragma once

#include "sqlite_connection.hpp"
#include "sqlite_time.hpp"

#include <weft/store/record/run_record.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace weft::sqlite_detail {

[[nodiscard]] worker_id enter_worker(connection& db, const worker_entry& entry, const moment& at);
[[nodiscard]] heartbeat_report prolong_worker(connection& db, worker_id worker, std::chrono::milliseconds lifetime,
                                              const moment& at);
/** @return Whether the worker is known, and not given up. */
[[nodiscard]] bool change_graphs_of(connection& db, worker_id worker, const std::vector<graph_ability>& graphs);
void remove_worker(connection& db, worker_id worker, const moment& at);
/** @return How many runs were taken from workers without a sign of life. */
std::size_t reap_workers(connection& db, std::size_t runs_max, const moment& at);
/** How long until a run's moment comes or a worker's lifetime ends; nothing if there is neither. */
[[nodiscard]] std::optional<std::chrono::milliseconds> next_due(connection& db, const moment& at);
/** When a file is opened, no worker can be at work on it. */
void give_up_all_workers(connection& db, clock::system_time_point now);
[[nodiscard]] bool is_alive(connection& db, worker_id worker, const moment& at);

}  // namespace weft::sqlite_detail
