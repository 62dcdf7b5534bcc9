#include <weft/store/postgres/postgres_worker_registry.hpp>

#include "claim_watermark.hpp"
#include "row_readers.hpp"
#include "store/postgres/sql/sql_statements.hpp"
#include "store/postgres/wire/pg_core.hpp"
#include "store/record/limit_checks.hpp"
#include "store/record/queue_texts.hpp"
#include "store/role/announcements.hpp"

#include <utility>

namespace weft {

namespace pg_sql = postgres_detail::sql;
using postgres_detail::sql_answer;
using postgres_detail::sql_parameters;
using postgres_detail::sql_request;

postgres_worker_registry::postgres_worker_registry(std::unique_ptr<postgres_detail::pg_core> core)
    : announcing_store{core->news()}, core_{std::move(core)},
      watermark_{std::make_unique<postgres_detail::claim_watermark>()}
{
}

postgres_worker_registry::~postgres_worker_registry() = default;

task<worker_id> postgres_worker_registry::enter(worker_entry entry)
{
    check_limits(entry);
    sql_parameters parameters;
    parameters.text(entry.name)
        .integer(entry.lifetime.count())
        .text(store_detail::text_of_abilities(entry.graphs));
    sql_request request;
    request.step(pg_sql::enter, std::move(parameters)).writing().of_workers();
    const sql_answer answer = co_await core_->run(std::move(request));
    co_return answer.results[0].integer(0, 0);
}

task<heartbeat_report> postgres_worker_registry::heartbeat(worker_id worker, std::chrono::milliseconds lifetime)
{
    sql_parameters parameters;
    parameters.integer(worker).integer(lifetime.count());
    sql_request request;
    request.step(pg_sql::heartbeat, std::move(parameters)).writing().of_workers();
    const sql_answer answer = co_await core_->run(std::move(request));
    heartbeat_report report;
    const postgres_detail::sql_result& rows = answer.results[0];
    report.is_alive = !rows.empty();
    for (std::size_t row = 0; row < rows.size(); ++row)
        if (!rows.is_null(row, 0))
            report.signals.push_back({run_id{rows.id(row, 0)}, static_cast<run_signal>(rows.integer(row, 1))});
    co_return report;
}

task<bool> postgres_worker_registry::change_graphs(worker_id worker, std::vector<graph_ability> graphs)
{
    check_limits(graphs);
    sql_parameters parameters;
    parameters.integer(worker).text(store_detail::text_of_abilities(graphs));
    sql_request request;
    request.step(pg_sql::change_graphs, std::move(parameters)).writing().of_workers();
    const sql_answer answer = co_await core_->run(std::move(request));
    // What it could not take before may be older than the mark.
    watermark_->forget();
    co_return !answer.results[0].empty();
}

task<void> postgres_worker_registry::leave(worker_id worker)
{
    // Each step takes its parameters with it.
    const auto only_worker = [&] {
        sql_parameters parameters;
        parameters.integer(worker);
        return parameters;
    };
    sql_request request;
    request.step(pg_sql::give_up_worker, only_worker())
        .step(pg_sql::fence_given_up, sql_parameters{})
        .step(pg_sql::leave_runs, only_worker())
        .step(pg_sql::remove_given_up, sql_parameters{});
    request.writing().of_workers().by_itself();
    const sql_answer answer = co_await core_->run(std::move(request));
    static_cast<void>(answer);
    // Its runs are ready again, and most of them are older than the mark.
    watermark_->forget();
    store_detail::announce_changes(core_->news(), true);
}

task<std::size_t> postgres_worker_registry::reap(std::size_t runs_max)
{
    sql_parameters limit;
    limit.integer(static_cast<std::int64_t>(runs_max));
    sql_request request;
    request.step(pg_sql::give_up_expired, sql_parameters{})
        .step(pg_sql::fence_given_up, sql_parameters{})
        .step(pg_sql::reap_runs, std::move(limit))
        .step(pg_sql::remove_given_up, sql_parameters{});
    request.writing().of_workers().by_itself();
    const sql_answer answer = co_await core_->run(std::move(request));
    const auto count = static_cast<std::size_t>(answer.results[2].integer(0, 0));
    if (count > 0) watermark_->forget();
    store_detail::announce_changes(core_->news(), count > 0);
    co_return count;
}

}  // namespace weft
