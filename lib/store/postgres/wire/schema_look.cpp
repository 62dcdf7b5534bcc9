#include "schema_look.hpp"

#include "run_alone.hpp"

#include <utility>

namespace weft::postgres_detail {

namespace {

constexpr sql_statement find_tables{"find_tables", "t",
                                    "SELECT to_regclass($1 || '.schema_version') IS NOT NULL,"
                                    " EXISTS (SELECT FROM pg_namespace WHERE '\"' || nspname || '\"' = $1),"
                                    " to_regclass($1 || '.migration') IS NOT NULL"};
constexpr sql_statement find_version{
    "find_version", "", "SELECT version, min_reader FROM schema_version ORDER BY version DESC LIMIT 1"};
constexpr sql_statement find_progress{"find_progress", "", "SELECT version, done FROM migration"};

}  // namespace

task<found_schema> look_at_schema(pg_connection& connection, const pg_settings& settings)
{
    found_schema found;
    sql_parameters name;
    name.text(settings.quoted_schema());
    sql_request tables;
    tables.step(find_tables, std::move(name));
    const std::vector<sql_result> is_there =
        co_await run_alone(connection, settings, std::move(tables), settings.request_timeout * 2);
    found.has_schema = is_there[0].boolean(0, 1);
    found.is_under_way = is_there[0].boolean(0, 2);
    if (!is_there[0].boolean(0, 0)) co_return found;
    sql_request version;
    version.step(find_version, sql_parameters{});
    if (found.is_under_way) version.step(find_progress, sql_parameters{});
    const std::vector<sql_result> rows =
        co_await run_alone(connection, settings, std::move(version), settings.request_timeout * 2);
    if (rows[0].empty()) co_return found;
    found.version = static_cast<int>(rows[0].integer(0, 0));
    found.min_reader = static_cast<int>(rows[0].integer(0, 1));
    const bool has_begun = found.is_under_way && !rows[1].empty() && rows[1].integer(0, 0) == *found.version + 1;
    if (has_begun) found.done = static_cast<int>(rows[1].integer(0, 1));
    co_return found;
}

}  // namespace weft::postgres_detail
