#pragma once

#include "notice_queue.hpp"
#include "pg_lane.hpp"
#include "pg_session.hpp"
#include "pg_settings.hpp"
#include "store/postgres/sql/sql_statements.hpp"

#include <weft/base/clock.hpp>
#include <weft/store/role/store_news.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace weft::postgres_detail {

/** Carries notices between the stores of a schema, by LISTEN and NOTIFY.
 *
 *  Notices go out in transactions of their own, at once when none is under way, else together some milliseconds later:
 *  NOTIFY inside the transaction of a state change would make all of these wait for one lock of the server. Where a
 *  write says before what it will announce, the notice goes out with it, and needs no way of its own. They come
 *  in on a connection of their own, once there is a listener. A notice to itself shows that this connection lives:
 *  until it has come back, and when one does not, `store_news::is_complete` is false.
 *
 *  Notices of events have a channel of their own, which is listened to once a listener wants them: there are many, and
 *  most processes follow no run. They are queued apart, so that nothing else waits behind them.
 *
 *  @par Thread safety   `news` from any OS thread; the tasks on the loop of the connections.
 *  @par Lifetimes       Settings and lane outlive it, and it its tasks.
 */
class pg_news {
public:
    /** @param out  What the notices are sent by. */
    pg_news(const pg_settings& settings, pg_lane& out, hash_key key, std::function<store_news::due_task()> next_due);

    [[nodiscard]] store_news& news() noexcept { return news_; }
    /** By which a lane sends notices right behind the writes that they are about. */
    [[nodiscard]] notice_queue& queue() noexcept { return queue_; }
    /** Sends what is announced but events, until a stop. */
    [[nodiscard]] task<void> send() { return send_from(queue_, sql::notify); }
    /** Sends what is announced of events, until a stop. */
    [[nodiscard]] task<void> send_events() { return send_from(event_queue_, sql::notify_of_events); }
    /** Hears what others announce, until a stop. */
    [[nodiscard]] task<void> listen();
    /** What was announced goes out before the store closes, if it does so soon. Blocks the OS thread. */
    void drain()
    {
        queue_.drain(std::chrono::milliseconds{200});
        event_queue_.drain(std::chrono::milliseconds{200});
    }
    /** Lets go of the connection, which must not outlive its loop. */
    void disconnect() noexcept { connection_.reset(); }

private:
    void enqueue(const store_notice& notice);
    [[nodiscard]] task<void> send_from(notice_queue& queue, const sql_statement& notify);
    [[nodiscard]] task<void> send_payloads(std::vector<std::string> payloads, const sql_statement& notify);
    [[nodiscard]] task<bool> connect();
    [[nodiscard]] task<bool> listen_to(std::string channel);
    [[nodiscard]] task<void> hear();
    [[nodiscard]] task<void> hear_events();
    void take_in(time_point now);

    const pg_settings& settings_;
    pg_lane& out_;
    const std::string origin_;
    notice_queue queue_{origin_};
    notice_queue event_queue_{origin_};
    store_news news_;
    const intrusive_ptr<remote_signal> wanted_ = make_counted<remote_signal>();
    std::atomic<bool> wants_events_{false};
    bool hears_events_ = false;  // on this connection
    std::unique_ptr<pg_connection> connection_;
    time_point echo_due_{};                    // when the next one is asked for
    std::optional<time_point> echo_deadline_;  // one was asked for
};

}  // namespace weft::postgres_detail
