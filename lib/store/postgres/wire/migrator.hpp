#pragma once

#include "migration_steps.hpp"
#include "schema_look.hpp"

#include <weft/async/retry_policy.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace weft::postgres_detail {

/** Brings tables to the version that this program knows.
 *
 *  New ones are made in one transaction. Those that are in use are changed statement by statement: each in its own
 *  transaction, which notes it in the table `migration`. That table goes with the last version.
 *
 *  @par Lifetimes   Connection and settings outlive it. The lock of a migration that failed goes with the connection.
 */
class migrator {
public:
    migrator(pg_connection& connection, const pg_settings& settings);

    /** @par Errors   What the server says, with the statement; `errc::store_unavailable` if a lock does not come, or
     *                another process migrates for longer than a day. */
    [[nodiscard]] task<void> run();

    /** Carries out statements on tables in use in the same manner, each in a transaction of its own. Does nothing while
     *  another process migrates.
     *  @param what   They are for, as errors name it. @par Errors   As `run`. */
    [[nodiscard]] task<void> run_all(std::vector<std::string> statements, std::string what);

private:
    [[nodiscard]] task<void> make_tables(bool has_schema);
    [[nodiscard]] task<bool> lock();
    [[nodiscard]] task<void> unlock_all();
    [[nodiscard]] task<void> change_tables();
    [[nodiscard]] task<void> carry_out_all(const std::vector<migration_step>& steps);
    [[nodiscard]] task<void> carry_out(migration_step step);
    [[nodiscard]] task<void> make_index(migration_step step);
    [[nodiscard]] task<void> change_rows(migration_step step);
    [[nodiscard]] task<void> end_version(int version);
    [[nodiscard]] task<std::vector<sql_result>> attempt(sql_request request, std::string what,
                                                        std::chrono::milliseconds limit);
    [[nodiscard]] task<void> limit_times(bool is_limited);

    pg_connection& connection_;
    const pg_settings& settings_;
    retry_policy backoff_;
};

}  // namespace weft::postgres_detail
