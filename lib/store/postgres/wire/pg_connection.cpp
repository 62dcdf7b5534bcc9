#include "pg_connection.hpp"

#include "store/postgres/sql/sql_statements.hpp"

#include <weft/async/race.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/task/stop_check.hpp>
#include <weft/async/use_task.hpp>
#include <weft/base/error.hpp>

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace weft::postgres_detail {

namespace {

constexpr int binary_format = 1;

bool is_failed(ExecStatusType status) noexcept
{
    return status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_PIPELINE_SYNC &&
           status != PGRES_PIPELINE_ABORTED;
}

/** Notices go nowhere: libpq would print them. */
void ignore_notice(void*, const PGresult*) {}

}  // namespace

pg_connection::pg_connection(serial_loop& loop, const connection_string& where)
    : where_{where}, socket_{loop.executor()},
      expiry_{loop,
              [](void* self) {
                  auto& late = *static_cast<pg_connection*>(self);
                  late.is_late_ = true;
                  late.socket_.cancel();
              },
              this}
{
}

task<std::unique_ptr<pg_connection>> pg_connection::open(const connection_string& where, server_address server,
                                                         std::string address, time_point deadline)
{
    serial_loop& loop = co_await this_task::loop();
    std::unique_ptr<pg_connection> opened{new pg_connection{loop, where}};
    opened->expiry_.arm_at(deadline);
    co_await opened->connect(std::move(server), std::move(address));
    opened->expiry_.disarm();
    co_return opened;
}

task<void> pg_connection::connect(server_address server, std::string address)
{
    const auto settings = where_.settings_for(server, address);
    std::vector<const char*> keywords;
    std::vector<const char*> values;
    for (const auto& [keyword, value] : settings) {
        keywords.push_back(keyword.c_str());
        values.push_back(value.c_str());
    }
    keywords.push_back(nullptr);
    values.push_back(nullptr);
    connection_.reset(PQconnectStartParams(keywords.data(), values.data(), 0));
    const std::string at = "PostgreSQL " + server.host + ":" + server.port;
    if (!connection_) throw error{errc::store_unavailable, at, "no memory for a connection"};
    PQsetNoticeReceiver(connection_.get(), ignore_notice, nullptr);
    PostgresPollingStatusType wanted = PGRES_POLLING_WRITING;
    while (PQstatus(connection_.get()) != CONNECTION_BAD && wanted != PGRES_POLLING_OK &&
           wanted != PGRES_POLLING_FAILED && !is_late_) {
        // libpq may change the socket at any step, so that each wait has its own.
        watch_socket();
        co_await wait_for_socket(wanted == PGRES_POLLING_READING, wanted == PGRES_POLLING_WRITING);
        socket_.close();
        if (!is_late_) wanted = PQconnectPoll(connection_.get());
    }
    if (is_late_) throw error{errc::store_unavailable, at, "connecting took too long"};
    if (PQstatus(connection_.get()) != CONNECTION_OK) {
        const std::string words = where_.scrub(PQerrorMessage(connection_.get()));
        const bool asks_for_password = PQconnectionNeedsPassword(connection_.get()) != 0;
        const bool is_final = asks_for_password || words.find("FATAL:  password") != std::string::npos ||
                              words.find("FATAL:  no pg_hba") != std::string::npos ||
                              words.find("does not exist") != std::string::npos;
        throw error{is_final ? errc::store_refused : errc::store_unavailable, at, words};
    }
    if (PQserverVersion(connection_.get()) < 140'000)
        throw error{errc::store_refused, at, "the server is older than PostgreSQL 14"};
    if (PQsetnonblocking(connection_.get(), 1) != 0 || PQenterPipelineMode(connection_.get()) != 1)
        throw error{errc::store_unavailable, at, where_.scrub(PQerrorMessage(connection_.get()))};
    watch_socket();
}

/** Opens a descriptor of our own for libpq's socket. libpq closes that one by itself when the connection is lost; the
 *  number may be another connection's by the time this one is destroyed. */
void pg_connection::watch_socket()
{
    const int descriptor = ::fcntl(PQsocket(connection_.get()), F_DUPFD_CLOEXEC, 0);
    boost::system::error_code failed{descriptor < 0 ? errno : 0, boost::system::system_category()};
    if (!failed) socket_.assign(descriptor, failed);
    if (!failed) return;
    if (descriptor >= 0) ::close(descriptor);
    throw error{errc::store_unavailable, where_.label(), "the socket cannot be watched: " + failed.message()};
}

namespace {

using socket_descriptor = boost::asio::posix::basic_stream_descriptor<loop_executor>;

task<void> wait_until_ready(socket_descriptor& socket, socket_descriptor::wait_type for_what)
{
    const auto waited = co_await socket.async_wait(for_what, use_task_result);
    static_cast<void>(waited);  // an error shows when libpq reads, and a stop is seen by who waits
}

}  // namespace

/** Returns when the socket is ready, and also when the deadline has come. */
task<void> pg_connection::wait_for_socket(bool to_read, bool to_write)
{
    if (is_late_) co_return;
    if (to_read && to_write) {
        task<void> reading = wait_until_ready(socket_, socket_descriptor::wait_read);
        task<void> writing = wait_until_ready(socket_, socket_descriptor::wait_write);
        co_await race(std::move(reading), std::move(writing));
    } else {
        const auto for_what = to_read ? socket_descriptor::wait_read : socket_descriptor::wait_write;
        co_await wait_until_ready(socket_, for_what);
    }
    co_await async_detail::stop_check{};
}

task<void> pg_connection::wait_for_news()
{
    if (!is_late_) co_await wait_until_ready(socket_, socket_descriptor::wait_read);
    const bool is_stopped = co_await this_task::stop_requested();
    if (is_stopped) co_return;
    if (PQconsumeInput(connection_.get()) == 0 || PQstatus(connection_.get()) == CONNECTION_BAD)
        lose(PQerrorMessage(connection_.get()));
}

std::vector<std::string> pg_connection::take_notifications()
{
    struct freer {
        void operator()(PGnotify* notification) const noexcept { PQfreemem(notification); }
    };
    std::vector<std::string> payloads;
    while (!is_lost_) {
        const std::unique_ptr<PGnotify, freer> next{PQnotifies(connection_.get())};
        if (!next) break;
        payloads.emplace_back(next->extra);
    }
    return payloads;
}

void pg_connection::lose(std::string why)
{
    if (is_lost_) return;
    is_lost_ = true;
    lost_because_ = where_.scrub(why);
}

void pg_connection::send(const sql_step& step, bool is_prepared)
{
    const std::size_t count = step.parameters.size();
    std::vector<const char*> values(count);
    std::vector<int> lengths(count);
    const std::vector<int> formats(count, binary_format);
    std::vector<Oid> types(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = step.parameters.data(i);
        lengths[i] = step.parameters.length(i);
        types[i] = type_oid(step.statement->types[i]);
    }
    const int sent =
        is_prepared ? PQsendQueryPrepared(connection_.get(), step.statement->name, static_cast<int>(count),
                                          values.data(), lengths.data(), formats.data(), binary_format)
                    : PQsendQueryParams(connection_.get(), step.statement->text, static_cast<int>(count), types.data(),
                                        values.data(), lengths.data(), formats.data(), binary_format);
    if (sent != 1) lose(PQerrorMessage(connection_.get()));
}

task<batch_end> pg_connection::prepare(std::span<const sql_statement* const> statements, time_point deadline)
{
    expiry_.arm_at(deadline);
    for (const sql_statement* statement : statements) {
        std::vector<Oid> types;
        for (const char* letter = statement->types; *letter; ++letter) types.push_back(type_oid(*letter));
        if (PQsendPrepare(connection_.get(), statement->name, statement->text, static_cast<int>(types.size()),
                          types.data()) != 1)
            lose(PQerrorMessage(connection_.get()));
    }
    std::vector<awaited> asked(1, awaited{statements.size()});
    return finish_batch(std::move(asked));
}

task<batch_end> pg_connection::run(std::vector<const sql_request*> requests, time_point deadline, batch_tail tail)
{
    expiry_.arm_at(deadline);
    std::vector<awaited> asked;
    asked.reserve(requests.size());
    if (tail.reaches_disk_last) send(sql_step{&sql::wait_for_no_disk, sql_parameters{}}, true);
    for (const sql_request* request : requests) {
        for (const sql_step& step : request->steps())
            if (!is_lost_) send(step, true);
        asked.push_back({request->steps().size(), request->packs().get()});
    }
    return finish_batch(std::move(asked), tail);
}

task<batch_end> pg_connection::run_once(const sql_request& request, time_point deadline)
{
    expiry_.arm_at(deadline);
    for (const sql_step& step : request.steps())
        if (!is_lost_) send(step, false);
    std::vector<awaited> asked(1, awaited{request.steps().size()});
    return finish_batch(std::move(asked));
}

batch_end pg_connection::lost_batch() const
{
    batch_end end;
    end.what = batch_end::kind::lost;
    end.failure = failure_of("", lost_because_);
    return end;
}

sql_failure pg_connection::failure_in(const sql_result& result) const
{
    const char* state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
    const char* words = PQresultErrorField(result.get(), PG_DIAG_MESSAGE_PRIMARY);
    const std::string message = where_.scrub(words ? words : PQresultErrorMessage(result.get()));
    return failure_of(state ? state : "", message);
}

/** Ends a transaction. */
void pg_connection::synchronise()
{
    if (!is_lost_ && PQpipelineSync(connection_.get()) != 1) lose(PQerrorMessage(connection_.get()));
}

/** Reads what became of one statement and of its transaction. */
task<bool> pg_connection::finish_step()
{
    const sql_result result = co_await next_result();
    if (is_lost_) co_return false;
    const bool is_done = !is_failed(PQresultStatus(result.get()));
    const sql_result sync = co_await next_result();
    if (!is_lost_ && PQresultStatus(sync.get()) != PGRES_PIPELINE_SYNC) lose("the end of a transaction failed");
    co_return is_done && !is_lost_;
}

void pg_connection::send_tail(const batch_tail& tail)
{
    if (tail.announcement && !is_lost_) {
        send(*tail.announcement, true);
        synchronise();
    }
    if (tail.reaches_disk_last && !is_lost_) {
        send(sql_step{&sql::reach_disk, sql_parameters{}}, true);
        synchronise();
    }
}

/** Ends what was sent with a synchronisation point and reads everything up to it.
 *  @param asked  Of each request. */
task<batch_end> pg_connection::finish_batch(std::vector<awaited> asked, batch_tail tail)
{
    synchronise();
    send_tail(tail);
    if (tail.reaches_disk_last && !is_lost_) static_cast<void>(co_await next_result());
    batch_end end;
    end.results.resize(asked.size());
    bool has_failed = false;
    for (std::size_t request = 0; request < asked.size(); ++request) {
        row_packs* const packs = asked[request].packs;
        for (std::size_t step = 0; step < asked[request].steps && !is_lost_; ++step) {
            sql_result result = co_await next_result();
            if (is_lost_) break;
            if (is_failed(PQresultStatus(result.get())) && !std::exchange(has_failed, true))
                end.failure = failure_in(result);
            if (packs && !has_failed) packs->add(result);
            end.results[request].push_back(packs ? sql_result{} : std::move(result));
        }
    }
    if (!is_lost_) {
        const sql_result sync = co_await next_result();
        // What fails here is the commit itself.
        if (!is_lost_ && PQresultStatus(sync.get()) != PGRES_PIPELINE_SYNC) lose("the end of a transaction failed");
    }
    if (has_failed && end.failure.kind == failure_kind::lost) lose(end.failure.detail);
    bool is_lost = is_lost_;
    if (tail.announcement && !is_lost_) end.is_followed = co_await finish_step();
    if (tail.reaches_disk_last && !is_lost) {
        bool is_on_disk = false;
        if (!is_lost_) is_on_disk = co_await finish_step();
        // What a crash would leave of the batch is unknown then.
        if (!is_on_disk) lose("what was written may not be on disk");
        is_lost = !is_on_disk;
    }
    expiry_.disarm();
    if (is_lost) co_return lost_batch();
    if (has_failed) end.what = batch_end::kind::failed;
    co_return end;
}

/** The next result, past the null that ends those of each statement; none if the connection is lost. */
task<sql_result> pg_connection::next_result()
{
    for (int nulls = 0; nulls < 3; ++nulls) {
        co_await flush();
        while (!is_lost_ && PQisBusy(connection_.get()) != 0) {
            co_await wait_for_socket(true, false);
            if (is_late_) lose("the server did not answer in time");
            if (!is_lost_ && PQconsumeInput(connection_.get()) == 0) lose(PQerrorMessage(connection_.get()));
        }
        if (is_lost_) co_return sql_result{};
        sql_result result{PQgetResult(connection_.get())};
        if (result.get()) {
            if (PQstatus(connection_.get()) == CONNECTION_BAD) lose(PQresultErrorMessage(result.get()));
            co_return result;
        }
        if (PQstatus(connection_.get()) == CONNECTION_BAD) lose(PQerrorMessage(connection_.get()));
    }
    lose("the server left a statement without an answer");
    co_return sql_result{};
}

/** Sends everything. Reads meanwhile: a server that cannot get rid of its answers takes no more questions. */
task<void> pg_connection::flush()
{
    while (!is_lost_) {
        const int left = PQflush(connection_.get());
        if (left == 0) co_return;
        if (left < 0) lose(PQerrorMessage(connection_.get()));
        if (is_lost_) co_return;
        co_await wait_for_socket(true, true);
        if (is_late_) lose("the server did not take the statements in time");
        if (!is_lost_ && PQconsumeInput(connection_.get()) == 0) lose(PQerrorMessage(connection_.get()));
    }
}

}  // namespace weft::postgres_detail
