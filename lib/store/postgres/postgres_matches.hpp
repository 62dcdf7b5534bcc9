#pragma once

#include "store/postgres/wire/pg_core.hpp"

#include <weft/store/record/stored_run.hpp>
#include <weft/store/record/stored_thread.hpp>

#include <cstddef>
#include <optional>

/** Searches for what metadata or values contain, by their indexes.
 *
 *  An index finds the few that match and has to sort them; a walk in the order of the list soon has a page if many
 *  match. So both are tried: the index first, which stops at `matches_max`.
 */
namespace weft::postgres_detail {

/** Of more that match, one in fifty of 100,000, a walk finds a page quickly. */
inline constexpr std::int64_t matches_max = 2'000;

/** The parameters that lists and counts of the statements begin with. */
[[nodiscard]] sql_parameters wanted_runs(const run_query& query);
[[nodiscard]] sql_parameters wanted_threads(const thread_query& query);

/** Rows of a list, one more than the page has; nothing if there is no filter or too many match.
 *  @param core   Outlives the task. */
[[nodiscard]] task<std::optional<sql_result>> find_matching_threads(pg_core& core, thread_query query);
[[nodiscard]] task<std::optional<sql_result>> find_matching_runs(pg_core& core, run_query query);

/** How many match; nothing if there is no filter.
 *  @param core   Outlives the task. */
[[nodiscard]] task<std::optional<std::size_t>> count_matching_threads(pg_core& core, thread_query query);
[[nodiscard]] task<std::optional<std::size_t>> count_matching_runs(pg_core& core, run_query query);

/** Without a row of nulls, which says only how many match. */
[[nodiscard]] inline std::size_t rows_in(const sql_result& rows)
{
    return rows.empty() || rows.is_null(0, 0) ? 0 : rows.size();
}

/** One row more than the page has, to know whether there is another page. */
[[nodiscard]] std::int64_t rows_of_page(std::size_t count_max) noexcept;

}  // namespace weft::postgres_detail
