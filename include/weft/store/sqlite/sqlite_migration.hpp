#pragma once

#include <weft/async/task.hpp>
#include <weft/store/record/migration_plan.hpp>
#include <weft/store/sqlite/sqlite_options.hpp>

namespace weft {

/** Looks at a file and says what `sqlite_store::open` would do to its tables. Changes nothing, and makes no file.
 *  A file has one process, so that nothing waits for a migration.
 *
 *  @par Errors
 *    - `errc::store_unavailable`  the file is not there or cannot be read.
 *    - `errc::store_refused`      it is another program's.
 *    - `errc::store_corrupt`      it is damaged or no database.
 *    A newer version is no error. */
[[nodiscard]] task<migration_plan> plan_migration(sqlite_options options);

}  // namespace weft
