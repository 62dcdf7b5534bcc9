#pragma once

#include "notice_queue.hpp"
#include "pg_session.hpp"
#include "sql_queue.hpp"
#include "store/record/batch_gathering.hpp"

#include <weft/async/retry_policy.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft::postgres_detail {

/** One connection and the calls that wait for it.
 *
 *  It connects when there is something to do, and again when the connection was lost. While one batch is under way the
 *  next one gathers, and callers that were just answered are waited for a little: the busier the store, the more
 *  checkpoints share a transaction.
 *
 *  @par Thread safety   `submit` from any OS thread; the rest on one loop.
 */
class pg_lane {
public:
    /** @param settings   Outlive the lane. */
    explicit pg_lane(const pg_settings& settings);

    /** @par Errors   `errc::store_unavailable`: too many calls wait. */
    void submit(sql_call_ptr call);

    /** Whether it has a connection and nothing to do. From any OS thread: it may have by the time this is known. */
    [[nodiscard]] bool is_idle() const { return is_ready_.load(std::memory_order_relaxed) && queue_.empty(); }

    /** Uses a connection that is open already and has prepared statements. */
    void adopt(std::unique_ptr<pg_connection> opened) noexcept { connection_ = std::move(opened); }

    /** Lets the notice of an entry go out with it. @param queue  Outlives what is carried out. */
    void announce_by(notice_queue& queue) noexcept { notices_ = &queue; }

    /** Carries out what is submitted, until a stop. */
    [[nodiscard]] task<void> serve();
    /** Gives calls up that could not be sent in time, until a stop. */
    [[nodiscard]] task<void> expire();
    /** Lets go of the connection, which must not outlive its loop. */
    void disconnect() noexcept { connection_.reset(); }
    /** Nothing more is carried out. */
    void close();

private:
    [[nodiscard]] std::chrono::milliseconds time_to_wait() const noexcept;
    [[nodiscard]] task<void> connect();
    [[nodiscard]] task<void> wait_for_work();
    [[nodiscard]] task<void> gather();
    [[nodiscard]] task<void> carry_out(std::vector<sql_call_ptr> batch);
    [[nodiscard]] task<void> replay(std::vector<sql_call_ptr> batch);
    [[nodiscard]] task<batch_end> send(std::vector<const sql_request*> requests, batch_tail tail = batch_tail{});
    [[nodiscard]] std::optional<sql_step> announcement_of(const std::vector<sql_call_ptr>& batch) const;
    void settle(sql_call& call, const sql_failure& failure);
    void lose(std::vector<sql_call_ptr> calls, const std::string& why);
    void fail_all(std::vector<sql_call_ptr> calls, errc code, const std::string& why);

    const pg_settings& settings_;
    sql_queue queue_;
    store_detail::batch_gathering gathering_;
    std::atomic<std::size_t> wanted_{1};   // how many calls have to wait before `serve` is told
    intrusive_ptr<remote_signal> work_;    // for `serve`
    intrusive_ptr<remote_signal> queued_;  // for `expire`
    notice_queue* notices_ = nullptr;
    std::unique_ptr<pg_connection> connection_;
    std::atomic<bool> is_ready_{false};  // connected, and waiting for work
    retry_policy backoff_;
    int failed_attempts_ = 0;
    std::atomic<bool> is_away_{false};  // the last attempt to connect has failed
    std::string last_failure_;
};

}  // namespace weft::postgres_detail
