#include "pg_core.hpp"

#include "embedding_schema.hpp"
#include "pooler_check.hpp"
#include "schema.hpp"
#include "store/postgres/sql/sql_statements.hpp"
#include "tenant_rows.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/base/error.hpp>

#include <algorithm>
#include <functional>
#include <optional>

namespace weft::postgres_detail {

namespace {

pg_settings for_tenants(pg_settings settings)
{
    settings.session_role = settings.tenant_role;
    return settings;
}

std::vector<std::unique_ptr<pg_lane>> make_lanes(const pg_settings& settings)
{
    std::vector<std::unique_ptr<pg_lane>> lanes;
    for (std::size_t i = 0; i < std::max<std::size_t>(settings.connections, 1); ++i)
        lanes.push_back(std::make_unique<pg_lane>(settings));
    return lanes;
}

}  // namespace

pg_core::pg_core(pg_settings settings)
    : settings_{std::move(settings)}, tenant_settings_{for_tenants(settings_)}, workers_{settings_},
      searches_{settings_}, lanes_{make_lanes(settings_)}
{
    if (!settings_.tenant_role.empty()) {
        tenant_lanes_ = make_lanes(tenant_settings_);
        tenant_searches_ = std::make_unique<pg_lane>(tenant_settings_);
    }
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
    const task_context& context = co_await this_task::context();
    const bool is_of_tenant = mark_tenant(request, context);
    sql_call_ptr call = submit(std::move(request), is_of_tenant);
    sql_answer answer = co_await sql_call::wait(std::move(call));
    if (is_of_tenant && !answer.results.empty()) answer.results.erase(answer.results.begin());
    co_return answer;
}

task<void> pg_core::run_giving(sql_request request, blob_receiver& into)
{
    const task_context& context = co_await this_task::context();
    const bool is_of_tenant = mark_tenant(request, context);
    sql_call_ptr call = submit(std::move(request), is_of_tenant);
    co_await sql_call::wait_giving(std::move(call), into);
}

bool pg_core::mark_tenant(sql_request& request, const task_context& caller) const
{
    if (!caller.tenant || tenant_lanes_.empty() || request.is_of_engine()) return false;
    sql_parameters mark;
    mark.text(tenant_mark(*caller.tenant));
    request.led_by(sql::set_tenant, std::move(mark));
    return true;
}

sql_call_ptr pg_core::submit(sql_request request, bool is_of_tenant)
{
    sql_call_ptr call = make_counted<sql_call>(std::move(request));
    call->deadline = real_clock().now() + settings_.request_timeout;
    lane_for(call->request, is_of_tenant).submit(call);
    return call;
}

store_news::due_task pg_core::next_due()
{
    sql_request request;
    request.step(sql::next_due, sql_parameters{}).of_engine();
    const sql_answer answer = co_await run(std::move(request));
    std::optional<std::chrono::milliseconds> span;
    if (!answer.results[0].is_null(0, 0)) span.emplace(std::max<std::int64_t>(answer.results[0].integer(0, 0), 0));
    co_return span;
}

/** One thread's calls share a lane, so that they keep their order; one that reads what was there before goes by. */
pg_lane& pg_core::lane_for(const sql_request& request, bool is_of_tenant) noexcept
{
    if (request.is_of_workers()) return workers_;
    if (request.is_search()) return is_of_tenant ? *tenant_searches_ : searches_;
    const auto& lanes = is_of_tenant ? tenant_lanes_ : lanes_;
    pg_lane& own = *lanes[std::hash<std::string>{}(request.lock_order()) % lanes.size()];
    if (!request.is_anywhere() || own.is_idle()) return own;
    const auto idle = std::find_if(lanes.begin(), lanes.end(), [](const auto& lane) { return lane->is_idle(); });
    return idle == lanes.end() ? own : **idle;
}

std::vector<pg_lane*> pg_core::all_lanes()
{
    std::vector<pg_lane*> all{&workers_, &searches_};
    if (tenant_searches_) all.push_back(tenant_searches_.get());
    for (const auto* lanes : {&lanes_, &tenant_lanes_})
        for (const auto& lane : *lanes) all.push_back(lane.get());
    return all;
}

void pg_core::work(std::stop_token stop)
{
    try {
        run_blocking(serve(), std::move(stop));
    } catch (const error& e) {
        // Before it was open the caller hears of it; a stop is the only end afterwards.
        opened_->fail(e);
    }
    for (pg_lane* const lane : all_lanes()) lane->close();
}

void pg_core::disconnect() noexcept
{
    if (news_) news_->disconnect();
    for (pg_lane* const lane : all_lanes()) lane->disconnect();
}

task<void> pg_core::serve()
{
    const auto close = [](pg_core* core) noexcept { core->disconnect(); };
    const std::unique_ptr<pg_core, decltype(close)> connected{this, close};
    std::unique_ptr<pg_connection> first = co_await open_session(settings_);
    co_await refuse_shared_sessions(*first, settings_);
    key_ = co_await open_schema(*first, settings_);
    co_await open_tenant_rows(*first, settings_);
    const bool has_unfilled = co_await open_embeddings(*first, settings_);
    first.reset();
    std::unique_ptr<pg_connection> prepared = co_await open_prepared_session(settings_);
    lanes_.front()->adopt(std::move(prepared));
    news_.emplace(settings_, workers_, key_, [this] { return next_due(); });
    // The role of tenants would not see the run that it has just entered: its notices go by the queue.
    for (const auto& lane : lanes_) lane->announce_by(news_->queue());
    sql_answer done;
    opened_->answer(std::move(done));

    const task_context& context = co_await this_task::context();
    scope lanes{context};
    lanes.spawn(news_->send());
    lanes.spawn(news_->send_events());
    lanes.spawn(news_->listen());
    if (has_unfilled) lanes.spawn(fill_behind(settings_));
    for (pg_lane* const lane : all_lanes()) {
        lanes.spawn(lane->serve());
        lanes.spawn(lane->expire());
    }
    co_await lanes.join();
}

}  // namespace weft::postgres_detail
