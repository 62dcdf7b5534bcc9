#include "pg_lane.hpp"

#include "store/postgres/sql/merged_commits.hpp"
#include "store/postgres/sql/sql_statements.hpp"

#include <weft/async/race.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/task/stop_check.hpp>
#include <weft/base/error.hpp>

#include <boost/system/system_error.hpp>

#include <algorithm>
#include <optional>

namespace weft::postgres_detail {

namespace {

constexpr int single_attempts_max = 5;
constexpr std::chrono::milliseconds expiry_period{25};
constexpr std::chrono::milliseconds gather_max{1};

task<void> wait_for(intrusive_ptr<remote_signal> news) { co_await news->wait(); }

}  // namespace

pg_lane::pg_lane(const pg_settings& settings)
    : settings_{settings}, queue_{settings.waiting_max}, gathering_{batch_limits::calls_max, gather_max},
      work_{make_counted<remote_signal>()}, queued_{make_counted<remote_signal>()}
{
    backoff_.initial = std::chrono::milliseconds{50};
    backoff_.delay_max = std::chrono::seconds{2};
}

void pg_lane::submit(sql_call_ptr call)
{
    call->deadline = std::min(call->deadline, real_clock().now() + time_to_wait());
    const std::optional<std::size_t> waiting = queue_.push(std::move(call));
    if (!waiting)
        throw error{errc::store_unavailable, settings_.where.label(),
                    std::to_string(settings_.waiting_max) + " calls wait for the server already"};
    if (*waiting == 1) queued_->notify();
    if (*waiting == 1 || *waiting == wanted_) work_->notify();
}

task<void> pg_lane::serve()
{
    for (;;) {
        if (queue_.empty()) {
            co_await wait_for_work();
        } else if (!connection_) {
            co_await connect();
        } else {
            co_await gather();
            std::vector<sql_call_ptr> batch = queue_.take_batch();
            if (!batch.empty()) co_await carry_out(std::move(batch));
        }
        if (connection_ && !connection_->is_usable()) connection_.reset();
    }
}

/** A connection that dies while it is not used is noticed here, before a write is lost on it. */
task<void> pg_lane::wait_for_work()
{
    task<void> work = wait_for(work_);
    if (!connection_) {
        co_await std::move(work);
        co_return;
    }
    task<void> news = connection_->wait_for_news();
    is_ready_.store(true, std::memory_order_relaxed);
    co_await race(std::move(work), std::move(news));
    is_ready_.store(false, std::memory_order_relaxed);
    // The wait for news does not throw: that costs ten times what the wait does, and it loses nearly each race.
    co_await async_detail::stop_check{};
}

task<void> pg_lane::gather()
{
    // A loop's timers are no finer than this: a transaction that takes less is not waited for.
    if (gathering_.pause() < gather_max / 2) co_return;
    serial_loop& loop = co_await this_task::loop();
    if (loop.now() >= gathering_.until()) co_return;
    wanted_ = gathering_.wanted();
    bool is_told = true;
    while (is_told && queue_.size() < gathering_.wanted()) is_told = co_await work_->wait_until(gathering_.until());
    wanted_ = 1;
}

/** One attempt, and the pause after one that failed. */
task<void> pg_lane::connect()
{
    std::optional<error> why;
    try {
        connection_ = co_await open_prepared_session(settings_);
    } catch (const error& e) {
        why = e;
    } catch (const boost::system::system_error& e) {
        why = error{errc::store_unavailable, settings_.where.label(), e.what()};  // no descriptor left, for instance
    }
    is_away_.store(why.has_value(), std::memory_order_relaxed);
    if (!why) {
        failed_attempts_ = 0;
        last_failure_.clear();
        co_return;
    }
    if (why->code() == errc::cancelled) throw *why;
    last_failure_ = why->what();
    // Those that came before it was known that the server is away wait no longer than those that come now.
    queue_.bring_forward(real_clock().now() + time_to_wait());
    if (why->code() != errc::store_unavailable) fail_all(queue_.take_all(), why->code(), why->detail());
    failed_attempts_ = std::min(failed_attempts_ + 1, 20);
    serial_loop& loop = co_await this_task::loop();
    co_await sleep_for(backoff_.delay_before(failed_attempts_ + 1, loop.random().uniform()));
}

task<void> pg_lane::expire()
{
    serial_loop& loop = co_await this_task::loop();
    for (;;) {
        co_await queued_->wait();
        while (!queue_.empty()) {
            co_await sleep_for(expiry_period);
            std::vector<sql_call_ptr> expired = queue_.take_expired(loop.now());
            if (expired.empty()) continue;
            std::string why = "could not be sent within " + std::to_string(time_to_wait().count()) + " ms";
            if (!last_failure_.empty()) why += ": " + last_failure_;
            fail_all(std::move(expired), errc::store_unavailable, why);
        }
    }
}

std::chrono::milliseconds pg_lane::time_to_wait() const noexcept
{
    const bool is_away = is_away_.load(std::memory_order_relaxed) && settings_.away_timeout.count() > 0;
    return is_away ? std::min(settings_.away_timeout, settings_.request_timeout) : settings_.request_timeout;
}

void pg_lane::close() { fail_all(queue_.take_all(), errc::store_unavailable, "the store was closed"); }

task<batch_end> pg_lane::send(std::vector<const sql_request*> requests, batch_tail tail)
{
    serial_loop& loop = co_await this_task::loop();
    co_return co_await connection_->run(std::move(requests), loop.now() + settings_.request_timeout, tail);
}

/** What tells others of the only entry in a batch; those of several gather in the queue. */
std::optional<sql_step> pg_lane::announcement_of(const std::vector<sql_call_ptr>& batch) const
{
    const entry_notice* entry = nullptr;
    for (const sql_call_ptr& call : batch) {
        if (!call->request.notice()) continue;
        if (entry) return std::nullopt;
        entry = &*call->request.notice();
    }
    if (!entry || !notices_) return std::nullopt;
    const std::string payload = notices_->pass_by(entry->what, real_clock().now());
    if (payload.empty()) return std::nullopt;
    sql_step step{&sql::notify_of_entry, sql_parameters{}};
    step.parameters.text(payload).id(entry->run);
    return step;
}

task<void> pg_lane::carry_out(std::vector<sql_call_ptr> batch)
{
    std::vector<const sql_request*> asked;
    asked.reserve(batch.size());
    for (const sql_call_ptr& call : batch) asked.push_back(&call->request);
    const merged_commits merged{asked};
    std::vector<const sql_request*> requests = merged.requests();
    serial_loop& loop = co_await this_task::loop();
    const time_point begin = loop.now();
    const std::optional<sql_step> announcement = announcement_of(batch);
    batch_tail tail;
    if (announcement) tail.announcement = &*announcement;
    // Others hear of an entry that is alone while it goes to disk. What shares its transaction with others is on disk
    // before it is seen: a checkpoint or an end that was seen must not be undone by a crash.
    tail.reaches_disk_last = announcement && batch.size() == 1 && batch.front()->request.notice()->is_all;
    batch_end end = co_await send(std::move(requests), tail);
    gathering_.ended(batch.size(), queue_.size(), begin, loop.now());
    switch (end.what) {
        case batch_end::kind::lost: lose(std::move(batch), end.failure.detail); co_return;
        case batch_end::kind::failed:
            if (batch.size() == 1 && end.failure.kind != failure_kind::again) {
                settle(*batch.front(), end.failure);
                co_return;
            }
            break;
        case batch_end::kind::completed: {
            std::vector<sql_answer> answers = merged.apart(std::move(end.results));
            for (std::size_t i = 0; i < batch.size(); ++i) {
                answers[i].is_announced = end.is_followed && batch[i]->request.notice();
                batch[i]->answer(std::move(answers[i]));
            }
            co_return;
        }
    }
    co_await replay(std::move(batch));
}

/** Each call in a transaction of its own: one that fails spoils nothing for the others. */
task<void> pg_lane::replay(std::vector<sql_call_ptr> batch)
{
    for (std::size_t i = 0; i < batch.size();) {
        sql_call& call = *batch[i];
        const merged_commits alone{std::vector<const sql_request*>(1, &call.request)};
        std::vector<const sql_request*> one = alone.requests();
        batch_end end = co_await send(std::move(one));
        ++call.attempts;
        if (end.what == batch_end::kind::lost) {
            for (std::size_t left = batch.size() - 1; left > i; --left) queue_.push_front(std::move(batch[left]));
            batch.resize(i + 1);
            batch.erase(batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(i));
            lose(std::move(batch), end.failure.detail);
            co_return;
        }
        if (end.what == batch_end::kind::failed) {
            if (end.failure.kind == failure_kind::again && call.attempts < single_attempts_max) continue;
            settle(call, end.failure);
        } else {
            std::vector<sql_answer> answers = alone.apart(std::move(end.results));
            call.answer(std::move(answers.front()));
        }
        ++i;
    }
}

void pg_lane::settle(sql_call& call, const sql_failure& failure)
{
    if (failure.kind != failure_kind::duplicate)
        return call.fail(error{failure.code, settings_.where.label(), failure.detail});
    sql_answer answer;
    answer.is_duplicate = true;
    call.answer(std::move(answer));
}

/** What only reads is asked again on the next connection, if there is time left. */
void pg_lane::lose(std::vector<sql_call_ptr> calls, const std::string& why)
{
    last_failure_ = why;
    while (!calls.empty()) {
        sql_call_ptr call = std::move(calls.back());
        calls.pop_back();
        if (call->request.writes())
            call->fail(error{errc::store_outcome_unknown, settings_.where.label(), why});
        else
            queue_.push_front(std::move(call));
    }
    if (!queue_.empty()) queued_->notify();
}

void pg_lane::fail_all(std::vector<sql_call_ptr> calls, errc code, const std::string& why)
{
    for (const sql_call_ptr& call : calls) call->fail(error{code, settings_.where.label(), why});
}

}  // namespace weft::postgres_detail
