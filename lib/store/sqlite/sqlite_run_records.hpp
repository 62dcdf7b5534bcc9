#pragma once

#include "sqlite_connection.hpp"

#include <weft/store/record/run_record.hpp>
#include <weft/store/record/stored_run.hpp>

#include <cstddef>
#include <optional>

/** Runs of a SQLite file as records and lists. */
namespace weft::sqlite_detail {

[[nodiscard]] std::optional<run_record> read_run(connection& db, run_id run);
[[nodiscard]] std::optional<run_record> read_active_run(connection& db, const thread_key& thread);
[[nodiscard]] run_page search_runs(connection& db, const run_query& wanted);
[[nodiscard]] std::size_t count_runs(connection& db, const run_query& wanted);

}  // namespace weft::sqlite_detail
