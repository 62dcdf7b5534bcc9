#pragma once

#include "postgres_fixture.hpp"

#include <string>

namespace weft_tests {

/** A role for tenants; those that cannot be one; owners of tables, and programs that are not. */
inline void make_tenant_roles()
{
    shared_postgres_server().query(
        "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tenant_rows') THEN"
        " CREATE ROLE tenant_rows NOLOGIN; CREATE ROLE all_rows NOLOGIN BYPASSRLS; CREATE ROLE not_ours NOLOGIN;"
        " CREATE ROLE owner_of_all LOGIN; GRANT CREATE ON DATABASE postgres TO owner_of_all;"
        " GRANT tenant_rows TO owner_of_all; CREATE ROLE in_owner NOLOGIN IN ROLE owner_of_all;"
        " CREATE ROLE program LOGIN NOINHERIT IN ROLE tenant_rows; CREATE ROLE limited LOGIN IN ROLE tenant_rows;"
        " END IF; END $$");
}

/** A store in a schema of its own, whose rows the role guards. @param login   Empty: the superuser. */
inline weft::postgres_options guarded_options(std::string schema, const std::string& login = {})
{
    make_tenant_roles();
    weft::postgres_options options = options_on(shared_postgres_server(), std::move(schema));
    if (!login.empty()) options.connection += " user=" + login;
    options.tenant_role = "tenant_rows";
    return options;
}

}  // namespace weft_tests
