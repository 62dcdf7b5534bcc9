#include "tenant_rows.hpp"

#include "migrator.hpp"
#include "run_alone.hpp"

#include <weft/base/error.hpp>

#include <iterator>
#include <utility>

namespace weft::postgres_detail {

namespace {

// Another process that makes the same comes first; then there is nothing left.
constexpr int looks_max = 100;

// The comment of each policy. Policies of another form get another one, so that those that are there are replaced.
constexpr const char* policy_form = "weft 1";

constexpr const char* session_tenant = "substr(NULLIF(current_setting('weft.tenant', true), ''), 2)";

struct guarded_table {
    const char* name;
    const char* tenant;  ///< An expression over a row; `$session` is the session's tenant.
};

constexpr const char* own_tenant = "tenant";

// What belongs to a thread or a run has no tenant of its own: one look by a key.
constexpr guarded_table guarded_tables[] = {
    {"thread", own_tenant},
    {"run", own_tenant},
    {"item", own_tenant},
    {"item_vector", own_tenant},
    {"checkpoint", "(SELECT t.tenant FROM thread t WHERE t.no = checkpoint.thread)"},
    {"blob", "(SELECT t.tenant FROM thread t WHERE t.no = blob.thread)"},
    {"effect", "(SELECT t.tenant FROM thread t WHERE t.no = effect.thread)"},
    {"question", "(SELECT t.tenant FROM thread t WHERE t.no = question.thread)"},
    {"event_log", "(SELECT r.tenant FROM run r WHERE r.id = event_log.run)"},
    {"run_event", "(SELECT r.tenant FROM run r WHERE r.id = run_event.run)"},
    // A key is found before it is known whose it is. The versions of an assistant are a tenant of their kind.
    {"document", "CASE WHEN kind = 'api_key' THEN body->>'tenant'"
                 " WHEN kind = 'assistant_version' AND starts_with(tenant, octet_length($session) || ':' || $session)"
                 " THEN $session ELSE tenant END"},
};

struct definer_function {
    const char* name;
    bool is_trigger;
};

// They do what a statement of the role entails, in tables or rows that it may not see. A trigger on a run that is gone,
// for example, finds no run whose tenant would let its events go.
constexpr definer_function definer_functions[] = {
    {"remove_events()", true},  {"free_buckets()", true},
    {"let_held_runs_go()", true}, {"queue_rule(text)", false},
    {"has_limit(text, text, jsonb)", false},
};

// Members of a role have its policies, unless row-level security is not for them at all. SET TO a role is a right of
// its own since PostgreSQL 16.
constexpr sql_statement look_at_role{
    "look_at_role", "ttt",
    "SELECT r.rolsuper OR r.rolbypassrls, pg_has_role(current_user, r.oid,"
    "  CASE WHEN current_setting('server_version_num')::int4 >= 160000 THEN 'SET' ELSE 'MEMBER' END),"
    " EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = to_regnamespace($2) AND c.relkind = 'r'"
    "   AND pg_has_role(r.oid, c.relowner, 'USAGE')),"
    " pg_has_role(current_user, r.oid, 'USAGE') AND row_security_active(to_regclass($2 || '.thread')::oid),"
    " (SELECT count(*) FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE c.relrowsecurity"
    "   AND c.relnamespace = to_regnamespace($2) AND NOT p.polpermissive AND p.polroles = ARRAY[r.oid]"
    "   AND obj_description(p.oid, 'pg_policy') = $3),"
    " (SELECT count(*) FROM pg_proc f WHERE f.pronamespace = to_regnamespace($2) AND f.prosecdef),"
    " has_table_privilege(r.oid, to_regclass($2 || '.worker'), 'SELECT')"
    "  AND has_schema_privilege(r.oid, to_regnamespace($2), 'USAGE'),"
    " has_database_privilege(current_database(), 'TEMPORARY')"
    " FROM pg_roles r WHERE r.rolname = $1"};

std::string with_session(std::string text)
{
    constexpr std::string_view mark = "$session";
    for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at))
        text.replace(at, mark.size(), session_tenant);
    return text;
}

/** In one statement: between two, either all rows or none would be there. */
std::string guard_statement(const guarded_table& table, const std::string& role)
{
    const std::string name = table.name;
    const std::string policy = "\"weft_tenant_" + role + "\" ON " + name;
    return "DO $do$ BEGIN"
           " DROP POLICY IF EXISTS weft_all ON " + name + ";"
           " CREATE POLICY weft_all ON " + name + " USING (true);"
           " DROP POLICY IF EXISTS " + policy + ";"
           " CREATE POLICY " + policy + " AS RESTRICTIVE TO \"" + role + "\" USING (" + with_session(table.tenant) +
           " = " + session_tenant + ");"
           " COMMENT ON POLICY " + policy + " IS '" + policy_form + "';"
           " ALTER TABLE " + name + " ENABLE ROW LEVEL SECURITY;"
           " GRANT SELECT, INSERT, UPDATE, DELETE ON " + name + " TO \"" + role + "\"; END $do$";
}

std::string view_statement(const std::string& name, const pg_settings& settings)
{
    return " CREATE OR REPLACE TEMP VIEW " + name + " AS SELECT * FROM " + settings.quoted_schema() + '.' + name +
           " WHERE tenant = " + session_tenant + " WITH LOCAL CHECK OPTION;"
           " GRANT SELECT, INSERT, UPDATE, DELETE ON pg_temp." + name + " TO \"" + settings.session_role + "\";";
}

error refusal_of(const pg_settings& settings, const std::string& why)
{
    return error{errc::store_refused, settings.where.label(), "role '" + settings.tenant_role + "' " + why};
}

}  // namespace

std::vector<tenant_rows_statement> tenant_rows_statements(const pg_settings& settings)
{
    const std::string role = '"' + settings.tenant_role + '"';
    const std::string schema = settings.quoted_schema();
    std::vector<tenant_rows_statement> all;
    for (const definer_function& function : definer_functions) {
        const std::string name = function.name;
        all.push_back({"", "ALTER FUNCTION " + name + " SECURITY DEFINER SET search_path = " + schema + ", pg_temp"});
        // Triggers do not ask for this right, but whatever makes one does.
        if (function.is_trigger) all.push_back({"", "REVOKE EXECUTE ON FUNCTION " + name + " FROM PUBLIC"});
    }
    for (const guarded_table& table : guarded_tables)
        all.push_back({table.name, guard_statement(table, settings.tenant_role)});
    // Whether a worker lives is asked under a lock, which takes a right to change.
    all.push_back({"", "GRANT SELECT, UPDATE (seen) ON worker TO " + role});
    all.push_back({"", "GRANT USAGE ON ALL SEQUENCES IN SCHEMA " + schema + " TO " + role});
    all.push_back({"", "GRANT USAGE ON SCHEMA " + schema + " TO " + role});
    return all;
}

task<bool> has_tenant_rows(pg_connection& connection, const pg_settings& settings)
{
    const std::string& role = settings.tenant_role;
    if (role.empty()) co_return true;
    sql_parameters names;
    names.text(role).text(settings.quoted_schema()).text(policy_form);
    sql_request look;
    look.step(look_at_role, std::move(names));
    const std::vector<sql_result> found =
        co_await run_alone(connection, settings, std::move(look), settings.request_timeout * 2);
    const sql_result& row = found[0];
    if (row.empty()) throw refusal_of(settings, "is not there: CREATE ROLE " + role + " NOLOGIN");
    if (row.boolean(0, 0))
        throw refusal_of(settings, "sees all rows, as a superuser or by BYPASSRLS: ALTER ROLE " + role +
                                       " NOSUPERUSER NOBYPASSRLS");
    if (!row.boolean(0, 1))
        throw refusal_of(settings, "is not the login's to take on: GRANT " + role + " TO the login");
    if (!row.boolean(0, 7))
        throw refusal_of(settings, "is used through temporary views, which the login may not make: GRANT TEMPORARY ON"
                                   " DATABASE to it");
    if (row.boolean(0, 2))
        throw refusal_of(settings, "has the rights of the owner of the tables, whose rows no policy restricts: name"
                                   " another role");
    if (!row.is_null(0, 3) && row.boolean(0, 3))
        throw refusal_of(settings, "restricts the login too, which is a member that inherits: GRANT " + role +
                                       " TO the login WITH INHERIT FALSE (before PostgreSQL 16: ALTER ROLE of the login"
                                       " NOINHERIT)");
    co_return row.integer(0, 4) == std::ssize(guarded_tables) && row.integer(0, 5) >= std::ssize(definer_functions) &&
        row.boolean(0, 6);
}

task<void> open_tenant_rows(pg_connection& connection, const pg_settings& settings)
{
    for (int looks = 0; looks < looks_max; ++looks) {
        const bool is_there = co_await has_tenant_rows(connection, settings);
        if (is_there) co_return;
        if (!settings.may_migrate)
            throw refusal_of(settings, "has no policies on all tables of schema '" + settings.schema +
                                           "': make them with `weft store migrate --tenant-role " +
                                           settings.tenant_role + "` (`prepare`), as the owner of the tables");
        std::vector<std::string> statements;
        for (tenant_rows_statement& each : tenant_rows_statements(settings))
            statements.push_back(std::move(each.text));
        migrator migration{connection, settings};
        std::string what = "policies for role '" + settings.tenant_role + "', which the owner of the tables makes";
        co_await migration.run_all(std::move(statements), std::move(what));
    }
    throw refusal_of(settings, "has no policies on all tables, although they were made: look at pg_policies");
}

std::string tenant_views_text(const pg_settings& settings)
{
    std::string text = "DO $do$ BEGIN";
    for (const guarded_table& table : guarded_tables)
        if (table.tenant == own_tenant) text += view_statement(table.name, settings);
    return text + " END $do$";
}

std::string tenant_mark(std::string_view tenant) { return std::string{"="}.append(tenant); }

}  // namespace weft::postgres_detail
