#include "pg_news.hpp"

#include "notice_text.hpp"

#include <weft/async/race.hpp>
#include <weft/async/retry_policy.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/task/stop_check.hpp>
#include <weft/base/error.hpp>
#include <weft/store/record/content_hash.hpp>

#include <boost/system/system_error.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace weft::postgres_detail {

namespace {

using namespace std::chrono_literals;

constexpr auto echo_every = 10s;
constexpr auto echo_patience = 3s;

/** Two stores of one process have two. */
std::string new_origin() { return content_hash{new_hash_key().bytes}.text().substr(0, 16); }

task<void> sleep_in_race(std::chrono::nanoseconds span) { co_await sleep_for(span); }

task<void> wait_in_race(intrusive_ptr<remote_signal> wanted) { co_await wanted->wait(); }

}  // namespace

pg_news::pg_news(const pg_settings& settings, pg_lane& out, hash_key key,
                 std::function<store_news::due_task()> next_due)
    : settings_{settings}, out_{out}, origin_{new_origin()},
      news_{key,
            {.next_due = std::move(next_due),
             .to_others = [this](const store_notice& notice) { enqueue(notice); },
             .on_first_listener = [this] { wanted_->notify(); },
             .on_first_for_events =
                 [this] {
                     wants_events_ = true;
                     wanted_->notify();
                 }}}
{
    news_.set_complete(false);
}

void pg_news::enqueue(const store_notice& notice)
{
    (notice.what == store_notice::kind::events ? event_queue_ : queue_).push(notice);
}

/** @param queue   It and the statement outlive the task. */
task<void> pg_news::send_from(notice_queue& queue, const sql_statement& notify)
{
    for (;;) {
        co_await queue.wait();
        std::vector<std::string> payloads = queue.take();
        if (payloads.empty()) continue;
        co_await send_payloads(std::move(payloads), notify);
        queue.sent();
        co_await sleep_for(notice_queue::send_pause);
    }
}

task<void> pg_news::send_payloads(std::vector<std::string> payloads, const sql_statement& notify)
{
    sql_parameters parameters;
    parameters.texts(payloads);
    sql_request request;
    request.step(notify, std::move(parameters)).of_workers().by_itself();
    sql_call_ptr call = make_counted<sql_call>(std::move(request));
    call->deadline = real_clock().now() + settings_.request_timeout;
    try {
        out_.submit(call);
        static_cast<void>(co_await sql_call::wait(std::move(call)));
    } catch (const error& e) {
        // A hint that is lost costs its listeners a look.
        if (e.code() == errc::cancelled) throw;
    }
}

task<void> pg_news::listen()
{
    retry_policy backoff;
    backoff.initial = 50ms;
    backoff.delay_max = 2s;
    co_await wanted_->wait();
    for (int failures = 0;;) {
        const bool is_connected = co_await connect();
        if (is_connected) {
            failures = 0;
            co_await hear();
        }
        connection_.reset();
        news_.set_complete(false);
        failures = std::min(failures + 1, 20);
        serial_loop& loop = co_await this_task::loop();
        co_await sleep_for(backoff.delay_before(failures + 1, loop.random().uniform()));
    }
}

task<bool> pg_news::connect()
{
    hears_events_ = false;
    try {
        connection_ = co_await open_session(settings_);
        co_return co_await listen_to("weft." + settings_.schema);
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;
    } catch (const boost::system::system_error&) {
        // No descriptor is left, for instance; the next attempt may get one.
    }
    co_return false;
}

task<bool> pg_news::listen_to(std::string channel)
{
    const std::string text = "LISTEN \"" + channel + '"';
    const sql_statement listen{"listen", "", text.c_str()};
    sql_request request;
    request.step(listen, sql_parameters{});
    serial_loop& loop = co_await this_task::loop();
    const batch_end end = co_await connection_->run_once(request, loop.now() + settings_.request_timeout);
    co_return end.what == batch_end::kind::completed;
}

/** A listener wants events from now on: those of before were not heard. */
task<void> pg_news::hear_events()
{
    hears_events_ = co_await listen_to("weft." + settings_.schema + ".events");
    if (hears_events_) news_.pass_on(store_notice{});
    else connection_->lose("it cannot listen to events");
}

task<void> pg_news::hear()
{
    serial_loop& loop = co_await this_task::loop();
    echo_due_ = loop.now();
    echo_deadline_.reset();
    // What others wrote before this connection listened was not heard.
    news_.pass_on(store_notice{});
    while (connection_->is_usable()) {
        const time_point now = loop.now();
        take_in(now);
        if (echo_deadline_ && now >= *echo_deadline_) connection_->lose("its notifications do not come");
        if (connection_->is_usable() && wants_events_ && !hears_events_) co_await hear_events();
        if (!connection_->is_usable()) break;
        if (!echo_deadline_ && now >= echo_due_) {
            echo_deadline_ = now + echo_patience;
            queue_.push_echo();
        }
        task<void> heard = connection_->wait_for_news();
        task<void> later = sleep_in_race(echo_deadline_.value_or(echo_due_) - now);
        task<void> wanted = wait_in_race(wanted_);
        co_await race(std::move(heard), std::move(later), std::move(wanted));
        co_await async_detail::stop_check{};
    }
}

void pg_news::take_in(time_point now)
{
    for (const std::string& payload : connection_->take_notifications()) {
        const std::optional<notice_batch> batch = read_notices(payload);
        if (!batch) continue;
        if (batch->origin == origin_) {
            echo_deadline_.reset();
            echo_due_ = now + echo_every;
            news_.set_complete(true);
            continue;  // those who listen here have heard it
        }
        for (const store_notice& each : batch->notices) news_.pass_on(each);
    }
}

}  // namespace weft::postgres_detail
