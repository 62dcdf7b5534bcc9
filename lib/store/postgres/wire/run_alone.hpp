#pragma once

#include "pg_connection.hpp"
#include "pg_settings.hpp"

#include <chrono>
#include <vector>

namespace weft::postgres_detail {

/** Carries out a request of statements that are not prepared, on a connection that no other caller uses meanwhile.
 *
 *  @param connection  Outlives the task, as `settings` do.
 *  @return            The rows of each step.
 *  @par Errors        What the server says; `errc::store_unavailable` after `limit`. */
[[nodiscard]] task<std::vector<sql_result>> run_alone(pg_connection& connection, const pg_settings& settings,
                                                      sql_request request, std::chrono::milliseconds limit);

}  // namespace weft::postgres_detail
