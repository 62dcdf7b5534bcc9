#pragma once

struct sqlite3;

namespace weft::sqlite_detail {

/** Gives a connection the function `weft_contains(body, filter)`: whether a JSON text contains another one, as
 *  `json_contains` has it. @return  The result code of SQLite. */
[[nodiscard]] int add_functions(sqlite3* db) noexcept;

}  // namespace weft::sqlite_detail
