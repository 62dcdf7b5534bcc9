#pragma once

#include <weft/base/errc.hpp>

#include <string>

struct sqlite3;

namespace weft::sqlite_detail {

/** What a result code of SQLite means for a store.
 *
 *  @param extended      The extended result code.
 *  @param system_error  `errno` of the call that failed; 0 if none did. */
[[nodiscard]] errc meaning_of(int extended, int system_error) noexcept;

/** Whether what was written before may be lost although the disk had confirmed nothing less. */
[[nodiscard]] bool is_failed_sync(int extended) noexcept;

/** Throws the error of a call that gave `extended`.
 *  @param db  Null if there is no connection. */
[[noreturn]] void throw_sqlite_error(sqlite3* db, int extended, const std::string& file);

}  // namespace weft::sqlite_detail
