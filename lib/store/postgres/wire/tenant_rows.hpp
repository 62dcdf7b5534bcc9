#pragma once

#include "pg_connection.hpp"
#include "pg_settings.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace weft::postgres_detail {

/** Of the statements that let the role `settings.tenant_role` have rows of one tenant only: the one that a transaction
 *  names.
 *
 *  Each table with rows of tenants gets a policy for all roles, which lets all rows through, and a restrictive one for
 *  this role. So what takes on another role sees what it saw before. The role has no rights on other tables, but may
 *  look for living workers. */
struct tenant_rows_statement {
    std::string table;  ///< That is locked; empty: none.
    std::string text;
};
[[nodiscard]] std::vector<tenant_rows_statement> tenant_rows_statements(const pg_settings& settings);

/** Whether all of it is there. Without a role nothing is wanted, so that it is.
 *
 *  @par Errors
 *    - `errc::store_refused`  there is no such role; or it would see all rows, as a superuser, by BYPASSRLS or as one
 *                             with the rights of the tables' owner; or the login may not take it on, or has its limits.
 *    - What the server says. */
[[nodiscard]] task<bool> has_tenant_rows(pg_connection& connection, const pg_settings& settings);

/** Carries the statements out unless it is there already.
 *  @par Errors   As `has_tenant_rows`; `errc::store_refused` if it is not there and may not be made. */
[[nodiscard]] task<void> open_tenant_rows(pg_connection& connection, const pg_settings& settings);

/** A statement that gives the session temporary views in place of tables that have a tenant of their own, with the
 *  condition of their policy, for the role `settings.session_role`.
 *
 *  Behind a policy only operators that cannot leak use an index: those of arrays and `@>` are not among them, so that
 *  one item is looked for among all items of its tenant, and metadata in all its threads. A view has no such bar. */
[[nodiscard]] std::string tenant_views_text(const pg_settings& settings);

/** A tenant as `sql::set_tenant` takes it: a mark tells the empty name from none, which a setting has behind its
 *  transaction. */
[[nodiscard]] std::string tenant_mark(std::string_view tenant);

}  // namespace weft::postgres_detail
