#pragma once

#include "model_access.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

/** The rules of `worker_registry` on the tables of a `store_model`. */
namespace weft::store_detail {

[[nodiscard]] worker_id enter_worker(const model_access& store, worker_entry entry);
[[nodiscard]] heartbeat_report keep_worker_alive(const model_access& store, worker_id worker,
                                                 std::chrono::milliseconds lifetime);
/** @return Whether the worker is known, and not given up. */
[[nodiscard]] bool change_graphs_of(store_tables& tables, worker_id worker, std::vector<graph_ability> graphs);
void leave_worker(const model_access& store, worker_id worker);
std::size_t reap_workers(const model_access& store, std::size_t runs_max);
/** How long until a run's moment comes or a worker's lifetime ends; nothing if there is neither. */
[[nodiscard]] std::optional<std::chrono::milliseconds> next_due(const store_tables& tables, store_moment at);

}  // namespace weft::store_detail
