#include "pg_core.hpp"

#include "embedding_schema.hpp"
#include "pooler_check.hpp"
#include "schema.hpp"
#include "store/postgres/sql/sql_statements.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/base/error.hpp>

#include <algorithm>
#include <functional>
#include <optional>

namespace weft::postgres_detail {

pg_core::pg_core(pg_settings settings) : settings_{std::move(settings)}, workers_{settings_}, searches_{settings_}
{
    for (std::size_t i = 0; i < std::max<std::size_t>(settings_.connections, 1); ++i)
        lanes_.push_back(std::make_unique<pg_lane>(settings_));
    opened_ = make_counted<sql_call>(sql_request{});
}

pg_core::~pg_core()
{
    if (news_) news_->drain();
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
}

task<std::unique_ptr<pg_core>> pg_core::open(pg_settings settings)
{
    std::unique_ptr<pg_core> core{new pg_core{std::move(settings)}};
    core->thread_ = std::jthread{[self = core.get()](std::stop_token stop) { self->work(std::move(stop)); }};
    co_await sql_call::wait(core->opened_);
    co_return core;
}

task<sql_answer> pg_core::run(sql_request request)
{
    sql_call_ptr call = make_counted<sql_call>(std::move(request));
    call->deadline = real_clock().now() + settings_.request_timeout;
    lane_for(call->request).submit(call);
    co_return co_await sql_call::wait(std::move(call));
}

store_news::due_task pg_core::next_due()
{
    sql_request request;
    request.step(sql::next_due, sql_parameters{});
    const sql_answer answer = co_await run(std::move(request));
    std::optional<std::chrono::milliseconds> span;
    if (!answer.results[0].is_null(0, 0)) span.emplace(std::max<std::int64_t>(answer.results[0].integer(0, 0), 0));
    co_return span;
}

/** One thread's calls share a lane, so that they keep their order. */
pg_lane& pg_core::lane_for(const sql_request& request) noexcept
{
    if (request.is_of_workers()) return workers_;
    if (request.is_search()) return searches_;
    return *lanes_[std::hash<std::string>{}(request.lock_order()) % lanes_.size()];
}

void pg_core::work(std::stop_token stop)
{
    try {
        run_blocking(serve(), std::move(stop));
    } catch (const error& e) {
        // Before it was open the caller hears of it; a stop is the only end afterwards.
        opened_->fail(e);
    }
    workers_.close();
    searches_.close();
    for (const auto& lane : lanes_) lane->close();
}

void pg_core::disconnect() noexcept
{
    if (news_) news_->disconnect();
    workers_.disconnect();
    searches_.disconnect();
    for (const auto& lane : lanes_) lane->disconnect();
}

task<void> pg_core::serve()
{
    const auto close = [](pg_core* core) noexcept { core->disconnect(); };
    const std::unique_ptr<pg_core, decltype(close)> connected{this, close};
    std::unique_ptr<pg_connection> first = co_await open_session(settings_);
    co_await refuse_shared_sessions(*first, settings_);
    key_ = co_await open_schema(*first, settings_);
    const bool has_unfilled = co_await open_embeddings(*first, settings_);
    first.reset();
    std::unique_ptr<pg_connection> prepared = co_await open_prepared_session(settings_);
    lanes_.front()->adopt(std::move(prepared));
    news_.emplace(settings_, workers_, key_, [this] { return next_due(); });
    for (const auto& lane : lanes_) lane->announce_by(news_->queue());
    sql_answer done;
    opened_->answer(std::move(done));

    const task_context& context = co_await this_task::context();
    scope lanes{context};
    lanes.spawn(workers_.serve());
    lanes.spawn(workers_.expire());
    lanes.spawn(news_->send());
    lanes.spawn(news_->send_events());
    lanes.spawn(news_->listen());
    lanes.spawn(searches_.serve());
    lanes.spawn(searches_.expire());
    if (has_unfilled) lanes.spawn(fill_behind(settings_));
    for (const auto& lane : lanes_) {
        lanes.spawn(lane->serve());
        lanes.spawn(lane->expire());
    }
    co_await lanes.join();
}

}  // namespace weft::postgres_detail
