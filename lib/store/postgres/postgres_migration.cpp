#include <weft/store/postgres/postgres_migration.hpp>

#include "checked_settings.hpp"
#include "store/postgres/wire/migration_steps.hpp"
#include "store/postgres/wire/pg_session.hpp"
#include "store/postgres/wire/pooler_check.hpp"
#include "store/postgres/wire/run_alone.hpp"
#include "store/postgres/wire/schema_look.hpp"
#include "store/postgres/wire/tenant_rows.hpp"

#include <map>
#include <utility>

namespace weft {

namespace postgres_detail {

namespace {

constexpr sql_statement count_rows{
    "count_rows", "t",
    "SELECT c.relname, GREATEST(c.reltuples, 0)::int8 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')"};

/** As the server's statistics have them. */
task<std::map<std::string, std::int64_t>> rows_of_tables(pg_connection& connection, const pg_settings& settings)
{
    sql_parameters schema;
    schema.text(settings.schema);
    sql_request request;
    request.step(count_rows, std::move(schema));
    const std::vector<sql_result> rows =
        co_await run_alone(connection, settings, std::move(request), settings.request_timeout);
    std::map<std::string, std::int64_t> counts;
    for (std::size_t row = 0; row < rows[0].size(); ++row)
        counts[std::string{rows[0].text(row, 0)}] = rows[0].integer(row, 1);
    co_return counts;
}

}  // namespace

}  // namespace postgres_detail

task<migration_plan> plan_migration(postgres_options options)
{
    using namespace postgres_detail;
    const pg_settings settings = checked(options);
    const std::unique_ptr<pg_connection> connection = co_await open_session(settings);
    co_await refuse_shared_sessions(*connection, settings);
    const found_schema found = co_await look_at_schema(*connection, settings);
    std::map<std::string, std::int64_t> rows = co_await rows_of_tables(*connection, settings);
    migration_plan plan;
    plan.found = found.version;
    plan.known = schema_versions().back().number;
    plan.min_reader = found.min_reader;
    plan.is_under_way = found.is_under_way;
    // Without tables, version 0: those that are made have no users, so that nothing waits.
    for (migration_step& step : migration_steps(found.version.value_or(0), found.done)) {
        planned_statement planned;
        planned.version = step.version;
        planned.text = step.text;
        planned.way = step.way;
        planned.lock = step.lock;
        planned.rows = step.table.empty() ? 0 : rows[step.table];
        planned.table = std::move(step.table);
        plan.statements.push_back(std::move(planned));
    }
    bool is_guarded = settings.tenant_role.empty();
    if (!is_guarded && found.version) is_guarded = co_await has_tenant_rows(*connection, settings);
    if (is_guarded) co_return plan;
    for (tenant_rows_statement& each : tenant_rows_statements(settings)) {
        planned_statement planned;
        planned.version = plan.known;
        planned.text = std::move(each.text);
        if (!each.table.empty()) planned.lock = migration_lock::everything;
        planned.rows = each.table.empty() ? 0 : rows[each.table];
        planned.table = std::move(each.table);
        plan.statements.push_back(std::move(planned));
    }
    co_return plan;
}

}  // namespace weft
