#pragma once

#include "pg_connection.hpp"
#include "pg_settings.hpp"

namespace weft::postgres_detail {

/** Refuses a pooler that gives a connection another session of the server with each transaction, as PgBouncer does with
 *  `pool_mode = transaction` or `statement`: prepared statements, settings, locks and LISTEN of a session get lost
 *  there, or come to another client.
 *
 *  A server that is spoken to directly costs one question. Behind a pooler, a second connection is opened, and both ask
 *  in turn which session they have: it must stay the same, and must not be the other's.
 *
 *  @param first   A session that nothing else uses meanwhile; it and `settings` outlive the task.
 *  @par Errors    `errc::store_refused`: what stands between, and what to name in its place. What the server says. */
[[nodiscard]] task<void> refuse_shared_sessions(pg_connection& first, const pg_settings& settings);

}  // namespace weft::postgres_detail
