#pragma once

#include <weft/base/chrono.hpp>
#include <weft/store/postgres/postgres_vector_options.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace weft {

/** Where a PostgreSQL store is and how it is used.
 *
 *      postgres_options options{"postgresql://weft@db.example.com/agents"};
 *      options.connections = 4;
 */
struct postgres_options {
    explicit postgres_options(std::string connection) : connection{std::move(connection)} {}

    /** What libpq takes: `postgresql://user@host:5432/database?…` or `host=… dbname=…`, several servers included; the
     *  one that can be written is used. What it leaves out comes from libpq's environment variables. Without an
     *  `sslmode`, servers elsewhere than on this machine must prove who they are (`verify-full`). */
    std::string connection;
    /** The schema that has the tables: a lower-case letter or `_`, then up to 40 of those and digits. */
    std::string schema = "weft";
    std::size_t connections = 2;  ///< That carry checkpoints, 1 to 64. Signs of life have one of their own beside them.
    /** How long a call may wait until it is sent, and again until it is answered. At most a third of the lifetime of
     *  workers, or they may be given up while the database is slow. */
    std::chrono::milliseconds request_timeout{5'000};
    std::chrono::milliseconds connect_timeout{5'000};
    /** How long a call waits for a connection while the last attempt to connect has failed, at most `request_timeout`.
     *  A server answers its clients soon then, and keeps no requests; runs try again by themselves. 0: as long as
     *  `request_timeout`. */
    std::chrono::milliseconds away_timeout{0};
    /** Calls that may wait for a connection; further ones fail at once with `errc::store_unavailable`. */
    std::size_t waiting_max = 10'000;
    /** False: the schema is only looked at, never made or changed, for roles that may not. See
     *  `postgres_store::prepare`. */
    bool may_migrate = true;
    /** The role that carries out what is asked for on behalf of a tenant (`on_behalf_of`, as `weft::server` does for
     *  each request that it admits): policies of the tables show it rows of that tenant only. It has connections of its
     *  own, as many again and one for searches. Made beforehand (`CREATE ROLE … NOLOGIN`), it is the login's to take
     *  on, and neither owns the tables nor bypasses row-level security. The policies are made when the store is opened,
     *  if it may migrate. Named as `schema` is. Empty: the login does everything. See docs/POSTGRES.md. */
    std::string tenant_role;
    postgres_vector_options vectors;  ///< Whether and how the database searches vectors by itself.
};

}  // namespace weft
