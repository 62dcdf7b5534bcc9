#include "pooler_check.hpp"

#include "pg_session.hpp"
#include "run_alone.hpp"

#include <weft/base/error.hpp>

#include <memory>
#include <string_view>
#include <utility>

namespace weft::postgres_detail {

namespace {

constexpr sql_statement find_session{"find_session", "", "SELECT pg_backend_pid()"};

// Who asks, in turn. A pool gives out the session that was used last, or all of them in turn. Two that alternated with
// the questions would look like one for each, so some are asked twice.
constexpr std::string_view order = "baabbaba";

task<std::int64_t> session_of(pg_connection& connection, const pg_settings& settings)
{
    sql_request request;
    request.step(find_session, sql_parameters{});
    const std::vector<sql_result> rows =
        co_await run_alone(connection, settings, std::move(request), settings.request_timeout);
    co_return rows[0].integer(0, 0);
}

}  // namespace

task<void> refuse_shared_sessions(pg_connection& first, const pg_settings& settings)
{
    const std::int64_t of_first = co_await session_of(first, settings);
    // A pooler gives its clients a number of its own, by which they cancel.
    if (of_first == first.named_process()) co_return;
    const std::unique_ptr<pg_connection> second = co_await open_session(settings);
    const std::int64_t of_second = co_await session_of(*second, settings);
    bool is_shared = of_second == of_first;
    for (const char who : order) {
        if (is_shared) break;
        pg_connection& asked = who == 'a' ? first : *second;
        const std::int64_t found = co_await session_of(asked, settings);
        is_shared = found != (who == 'a' ? of_first : of_second);
    }
    if (!is_shared) co_return;
    throw error{errc::store_refused, settings.where.label(),
                "a pooler stands between that gives each transaction another session (PgBouncer: pool_mode ="
                " transaction), where prepared statements, settings and LISTEN get lost: name the server itself, or a"
                " database of the pooler with pool_mode = session"};
}

}  // namespace weft::postgres_detail
