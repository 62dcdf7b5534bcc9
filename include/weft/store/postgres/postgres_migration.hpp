#pragma once

#include <weft/async/task.hpp>
#include <weft/store/postgres/postgres_options.hpp>
#include <weft/store/record/migration_plan.hpp>

namespace weft {

/** Looks at the tables of a database and says what `postgres_store::prepare` would do to them. Changes nothing, and
 *  needs no more rights than reading.
 *
 *  A migration goes on beside other programs. Statements that lock a table wait for it at most 250 ms, let the others
 *  go first, and try again, up to 60 times; indexes are made concurrently; rows are changed in batches. Each statement
 *  is noted with its transaction, so that a migration that was cut short goes on where it was. One process migrates at
 *  a time.
 *
 *  @par Errors   As `postgres_store::open`; tables of a newer version are no error.
 *  @par Cancellation   At once. */
[[nodiscard]] task<migration_plan> plan_migration(postgres_options options);

}  // namespace weft
