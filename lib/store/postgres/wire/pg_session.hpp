#pragma once

#include "pg_connection.hpp"
#include "pg_settings.hpp"

#include <memory>

namespace weft::postgres_detail {

/** Connects to the first server of the connection string that answers and may be written, and sets the session up.
 *  Statements are not prepared yet.
 *
 *  @param settings   Outlive the task and the connection.
 *  @par Errors       `errc::store_unavailable`, `errc::store_refused`: what the last server said.
 *                    `errc::cancelled`. */
[[nodiscard]] task<std::unique_ptr<pg_connection>> open_session(const pg_settings& settings);

/** As `open_session`, with all statements prepared. */
[[nodiscard]] task<std::unique_ptr<pg_connection>> open_prepared_session(const pg_settings& settings);

}  // namespace weft::postgres_detail
