#pragma once

#include "sqlite_connection.hpp"

#include <weft/base/clock.hpp>
#include <weft/store/record/content_hash.hpp>
#include <weft/store/record/migration_plan.hpp>

namespace weft::sqlite_detail {

/** Refuses a file that this weft cannot read: of another program, damaged, or of a newer schema whose readers must be
 *  newer, too. Changes nothing.
 *  @return  The schema's version; 0 for a file without anything in it. */
std::int64_t check_schema(connection& db);

/** What `migrate` would do. Changes nothing. @par Errors  `store_refused` if the file is another program's. */
[[nodiscard]] migration_plan plan_of(connection& db);

/** Makes the schema, or brings it up to date step by step, each step in a transaction of its own. */
void migrate(connection& db, clock::system_time_point now);

/** The version that `migrate` leads to. */
[[nodiscard]] std::int64_t schema_version() noexcept;

/** Looks at every page. @par Errors `store_corrupt`, with what SQLite found first. */
void check_pages(connection& db);

[[nodiscard]] hash_key read_hash_key(connection& db);

}  // namespace weft::sqlite_detail
