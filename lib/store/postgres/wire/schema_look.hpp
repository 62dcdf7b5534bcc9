#pragma once

#include "pg_connection.hpp"
#include "pg_settings.hpp"

#include <optional>

namespace weft::postgres_detail {

/** What there is of a store's tables in a database. */
struct found_schema {
    found_schema() noexcept {}

    std::optional<int> version;
    int min_reader = 0;
    bool has_schema = false;
    bool is_under_way = false;  ///< A migration; it may have been cut short.
    int done = 0;               ///< How many statements it has carried out of the version behind `version`.
};

/** @param connection  Outlives the task, as `settings` do. @par Errors  What the server says. */
[[nodiscard]] task<found_schema> look_at_schema(pg_connection& connection, const pg_settings& settings);

}  // namespace weft::postgres_detail
