#pragma once

#include <weft/store/record/store_model.hpp>
#include <weft/store/record/stored_run.hpp>
#include <weft/store/record/stored_thread.hpp>

#include <cstddef>
#include <optional>
#include <string>

/** The rules of `run_directory` and `thread_directory` on the tables of a `store_model`. */
namespace weft::store_detail {

[[nodiscard]] run_page search_runs(const store_tables& tables, const run_query& query);
[[nodiscard]] std::size_t count_runs(const store_tables& tables, const run_query& query);

[[nodiscard]] bool create_thread(store_tables& tables, const thread_key& thread, std::string metadata, wall_time now);
[[nodiscard]] bool copy_thread(store_model& model, const thread_key& from, const thread_key& to, checkpoint_id id,
                               store_moment at);
[[nodiscard]] std::optional<stored_thread> find_stored_thread(const store_tables& tables, const thread_key& thread);
[[nodiscard]] bool update_thread(store_tables& tables, const thread_key& thread, const thread_change& change);
[[nodiscard]] thread_page search_threads(const store_tables& tables, const thread_query& query);
[[nodiscard]] std::size_t count_threads(const store_tables& tables, const thread_query& query);

}  // namespace weft::store_detail
