#pragma once

#include "pg_connection.hpp"
#include "pg_settings.hpp"

#include <weft/store/record/content_hash.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace weft::postgres_detail {

/** The tables of a store as of one version. What came once is never changed, only followed. */
struct schema_version {
    int number;
    int min_reader;  ///< Programs that know an older version than this must not use it.
    std::span<const char* const> statements;
};

[[nodiscard]] std::span<const schema_version> schema_versions() noexcept;

/** What a program that knows version `known` does with a database. */
enum class schema_step : unsigned char { use, migrate, refuse_missing, refuse_newer };

/** @param found        The newest version that is there; nothing: no tables.
 *  @param min_reader   What that version asks of its readers. */
[[nodiscard]] schema_step schema_step_for(std::optional<int> found, int min_reader, int known,
                                          bool may_migrate) noexcept;

/** Whether a name may be the name of a schema: [a-z_][a-z0-9_]{0,40}. */
[[nodiscard]] bool is_schema_name(std::string_view name) noexcept;

/** Checks the schema of a database, sets it up if that is allowed, and reads its key.
 *
 *  @par Errors
 *    - `errc::store_refused`  there are no tables and none may be made, or they are of a newer version.
 *    - What the server says. */
[[nodiscard]] task<hash_key> open_schema(pg_connection& connection, const pg_settings& settings);

}  // namespace weft::postgres_detail
