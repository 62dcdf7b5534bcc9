#pragma once

#include "pg_connection.hpp"
#include "pg_settings.hpp"

namespace weft::postgres_detail {

/** Finds out whether the database searches vectors by itself, makes what that needs as far as it is asked for and
 *  allowed, and turns `settings.embeddings` on.
 *
 *  The bytes in the column `vector` stay what is true. The column `embedding` beside them has them as pgvector's type;
 *  `expires` has the end of the item, so that a search looks up only the items that it finds. Rows without an
 *  `embedding` are compared by the program, so that it may be missing anywhere.
 *
 *  @return   Whether there are vectors left that have no `embedding` yet.
 *  @par Errors
 *    - `errc::store_refused`  the extension is asked for and neither there nor to be made, or an index and it is too
 *                             old.
 *    - What the server says, if something is asked for; else the search stays in the program. */
[[nodiscard]] task<bool> open_embeddings(pg_connection& connection, const pg_settings& settings);

/** Gives older vectors their `embedding`, slice by slice, on a connection of its own. What stops it is no error: the
 *  next store goes on with it. @par Lifetimes  `settings` outlive it. */
[[nodiscard]] task<void> fill_behind(const pg_settings& settings);

}  // namespace weft::postgres_detail
