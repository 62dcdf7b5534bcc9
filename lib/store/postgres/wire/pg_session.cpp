#include "pg_session.hpp"

#include "run_alone.hpp"
#include "store/postgres/sql/sql_statements.hpp"
#include "tenant_rows.hpp"

#include <weft/base/error.hpp>
#include <weft/net/socket/host_addresses.hpp>

#include <algorithm>
#include <optional>

namespace weft::postgres_detail {

namespace {

/** The plans must not depend on statistics: those of a new installation say that all tables are empty, and those that
 *  an open snapshot holds back say that an index is. So indexes are always used. */
constexpr sql_statement set_up_session{
    "set_up_session", "ttt",
    "SELECT pg_is_in_recovery(), current_setting('server_encoding'),"
    " set_config('search_path', $1, false),"
    " set_config('statement_timeout', $2, false),"
    " set_config('lock_timeout', $3, false),"
    " set_config('idle_in_transaction_session_timeout', $2, false),"
    " set_config('default_transaction_isolation', 'read committed', false),"
    " set_config('enable_seqscan', 'off', false),"
    " set_config('enable_bitmapscan', 'off', false),"
    " set_config('enable_sort', 'off', false),"
    " set_config('jit', 'off', false)"};

constexpr sql_statement take_role{"take_role", "t", "SELECT set_config('role', $1, false)"};

task<std::vector<std::string>> addresses_of(server_address server, const pg_settings& settings)
{
    std::vector<std::string> addresses;
    if (server.is_resolved()) {
        const bool is_folder = server.address.empty() && (server.host.empty() || server.host.front() == '/' ||
                                                          server.host.front() == '@');
        addresses.push_back(is_folder ? std::string{} : server.address.empty() ? server.host : server.address);
        co_return addresses;
    }
    auto lookup = find_addresses(std::move(server.host), settings.connect_timeout, settings.name_servers);
    const auto found = co_await std::move(lookup);
    for (const boost::asio::ip::address& each : found) addresses.push_back(each.to_string());
    co_return addresses;
}

/** Why a server has no address, as the store says it. */
error lookup_failure(const server_address& server, const error& why)
{
    if (why.code() == errc::cancelled) return why;
    return error{errc::store_unavailable, "PostgreSQL " + server.host, why.detail()};
}

task<void> set_up(pg_connection& connection, const pg_settings& settings, time_point deadline)
{
    const auto lock_timeout = std::min(settings.request_timeout / 2, std::chrono::milliseconds{2'000});
    sql_parameters parameters;
    // Temporary views of a session for tenants go before the tables of their names, as unnamed pg_temp does.
    parameters.text(settings.session_role.empty() ? settings.quoted_schema() + ", pg_temp" : settings.quoted_schema())
        .text(std::to_string(settings.request_timeout.count()))
        .text(std::to_string(lock_timeout.count()));
    sql_request request;
    request.step(set_up_session, std::move(parameters));
    const std::string views = settings.session_role.empty() ? std::string{} : tenant_views_text(settings);
    const sql_statement make_views{"make_views", "", views.c_str()};
    if (!settings.session_role.empty()) {
        sql_parameters role;
        role.text(settings.session_role);
        request.step(make_views, sql_parameters{}).step(take_role, std::move(role));
    }
    const batch_end end = co_await connection.run_once(request, deadline);
    if (end.what != batch_end::kind::completed)
        throw error{end.failure.code, settings.where.label(), end.failure.detail};
    const sql_result& row = end.results[0][0];
    if (row.boolean(0, 0))
        throw error{errc::store_unavailable, settings.where.label(),
                    "this server is a standby and cannot be written: name the primary"};
    if (row.text(0, 1) != "UTF8")
        throw error{errc::store_refused, settings.where.label(),
                    "the database has the encoding " + std::string{row.text(0, 1)} + " and must have UTF8"};
}

task<std::unique_ptr<pg_connection>> open_at(const pg_settings& settings, server_address server, std::string address)
{
    serial_loop& loop = co_await this_task::loop();
    const time_point deadline = loop.now() + settings.connect_timeout;
    std::unique_ptr<pg_connection> opened =
        co_await pg_connection::open(settings.where, std::move(server), std::move(address), deadline);
    co_await set_up(*opened, settings, deadline);
    co_return opened;
}

}  // namespace

task<std::unique_ptr<pg_connection>> open_session(const pg_settings& settings)
{
    std::optional<error> last;
    for (const server_address& server : settings.where.servers()) {
        std::vector<std::string> addresses;
        try {
            addresses = co_await addresses_of(server, settings);
        } catch (const error& e) {
            last = lookup_failure(server, e);
        }
        for (std::string& address : addresses) {
            std::unique_ptr<pg_connection> opened;
            try {
                opened = co_await open_at(settings, server, std::move(address));
            } catch (const error& e) {
                last = e;
            }
            if (opened) co_return opened;
            if (last->code() == errc::cancelled) throw *last;
        }
        if (last && last->code() == errc::cancelled) throw *last;
    }
    throw *last;
}

namespace {

// An index gives as many as were asked for, in their order.
constexpr sql_statement set_up_index_search{
    "set_up_index_search", "t",
    "SELECT set_config('hnsw.iterative_scan', 'strict_order', false), set_config('hnsw.ef_search', $1, false)"};

/** The search goes on without the extension if that is gone. */
task<void> prepare_embeddings(pg_connection& connection, const pg_settings& settings)
{
    serial_loop& loop = co_await this_task::loop();
    const embedding_statements& statements = settings.embeddings->statements();
    const batch_end end = co_await connection.prepare(statements.all(), loop.now() + settings.connect_timeout);
    if (end.what == batch_end::kind::failed && end.failure.kind == failure_kind::refused) {
        settings.embeddings->turn_off();
        co_return;
    }
    if (end.what != batch_end::kind::completed)
        throw error{end.failure.code, settings.where.label(), end.failure.detail};
    if (!settings.vector_index) co_return;
    sql_parameters candidates;
    candidates.text(std::to_string(settings.vector_index->candidates));
    sql_request request;
    request.step(set_up_index_search, std::move(candidates));
    const std::vector<sql_result> done =
        co_await run_alone(connection, settings, std::move(request), settings.connect_timeout);
    static_cast<void>(done);
}

}  // namespace

task<std::unique_ptr<pg_connection>> open_prepared_session(const pg_settings& settings)
{
    std::unique_ptr<pg_connection> opened = co_await open_session(settings);
    serial_loop& loop = co_await this_task::loop();
    const batch_end end = co_await opened->prepare(all_statements(), loop.now() + settings.connect_timeout);
    if (end.what != batch_end::kind::completed)
        throw error{end.failure.code, settings.where.label(), end.failure.detail};
    if (settings.embeddings->is_on()) co_await prepare_embeddings(*opened, settings);
    co_return opened;
}

}  // namespace weft::postgres_detail
