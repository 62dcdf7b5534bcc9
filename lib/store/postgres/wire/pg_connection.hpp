#pragma once

#include "connection_string.hpp"
#include "store/postgres/sql/sql_error.hpp"
#include "store/postgres/sql/sql_request.hpp"
#include "store/postgres/sql/sql_result.hpp"

#include <weft/async/loop/loop_executor.hpp>
#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/task.hpp>

#include <boost/asio/posix/stream_descriptor.hpp>

#include <libpq-fe.h>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace weft::postgres_detail {

/** What became of a batch. */
struct batch_end {
    batch_end() noexcept {}

    enum class kind : unsigned char {
        completed,  ///< `results` has those of each request.
        failed,     ///< A statement failed, so nothing of the batch was done: `failure`.
        lost,       ///< The connection is gone or useless: `failure` says how; the batch may have been done.
    };
    kind what = kind::completed;
    std::vector<std::vector<sql_result>> results;
    sql_failure failure;
    bool is_followed = false;  ///< What was to be done behind it is done.
};

/** What is done behind a batch whatever became of it, in transactions of their own that are sent with it. */
struct batch_tail {
    batch_tail() noexcept {}

    const sql_step* announcement = nullptr;  ///< Null, or a statement that was prepared. Outlives the task.
    /** The batch is seen by others, and the announcement goes out, before it is on disk. The task ends when it is. */
    bool reaches_disk_last = false;
};

/** A connection of libpq on a loop: never blocking, always in pipeline mode, one synchronisation point per batch.
 *
 *  @par Thread safety   None: it belongs to one loop.
 */
class pg_connection {
public:
    /** Connects to one server.
     *  @param address   Where it is; empty for a local socket. Names are looked up by the caller.
     *  @par Errors      `errc::store_unavailable`, `errc::store_refused`: why not.
     *                   `errc::cancelled`. */
    [[nodiscard]] static task<std::unique_ptr<pg_connection>> open(const connection_string& where,
                                                                   server_address server, std::string address,
                                                                   time_point deadline);
    pg_connection(const pg_connection&) = delete;
    pg_connection& operator=(const pg_connection&) = delete;

    /** Prepares statements, all at once. */
    [[nodiscard]] task<batch_end> prepare(std::span<const sql_statement* const> statements, time_point deadline);
    /** Carries requests out as one transaction. Their statements were prepared before.
     *  @param requests   Outlive the task. */
    [[nodiscard]] task<batch_end> run(std::vector<const sql_request*> requests, time_point deadline,
                                      batch_tail tail = batch_tail{});
    /** Carries statements out as one transaction that were not prepared, such as those that make tables. */
    [[nodiscard]] task<batch_end> run_once(const sql_request& request, time_point deadline);
    /** Until the server says something by itself: that it ends the connection, or a notification, if it listens. A stop
     *  ends it without an exception: it is there to lose races. */
    [[nodiscard]] task<void> wait_for_news();
    /** The payloads of the notifications that have come. */
    [[nodiscard]] std::vector<std::string> take_notifications();

    /** The process of the server, as the other end named it when the connection was made. */
    [[nodiscard]] int named_process() const noexcept { return PQbackendPID(connection_.get()); }

    /** Gives the connection up. */
    void lose(std::string why);
    /** False once the connection is good for nothing any more. */
    [[nodiscard]] bool is_usable() const noexcept { return !is_lost_; }

private:
    pg_connection(serial_loop& loop, const connection_string& where);

    [[nodiscard]] task<void> connect(server_address server, std::string address);
    void watch_socket();
    [[nodiscard]] task<void> wait_for_socket(bool to_read, bool to_write);
    /** What is awaited of a request. */
    struct awaited {
        std::size_t steps;
        row_packs* packs = nullptr;  // that its rows go to, if they do not come with the answer
    };
    [[nodiscard]] task<batch_end> finish_batch(std::vector<awaited> asked, batch_tail tail = batch_tail{});
    [[nodiscard]] task<bool> finish_step();
    void send_tail(const batch_tail& tail);
    void synchronise();
    [[nodiscard]] task<sql_result> next_result();
    [[nodiscard]] task<void> flush();
    [[nodiscard]] batch_end lost_batch() const;
    [[nodiscard]] sql_failure failure_in(const sql_result& result) const;
    void send(const sql_step& step, bool is_prepared);

    struct finisher {
        void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
    };
    const connection_string& where_;
    std::unique_ptr<PGconn, finisher> connection_;
    /** Only for waiting: a second descriptor of the socket, which libpq does not close. */
    boost::asio::posix::basic_stream_descriptor<loop_executor> socket_;
    loop_timer expiry_;
    std::string lost_because_;
    bool is_lost_ = false;
    bool is_late_ = false;
};

}  // namespace weft::postgres_detail
