#include <weft/store/postgres_store.hpp>

#include "claim_watermark.hpp"
#include "pg_core.hpp"
#include "sql_statements.hpp"
#include "store/record/limit_checks.hpp"

namespace weft {

namespace pg_sql = postgres_detail::sql;
using postgres_detail::sql_answer;
using postgres_detail::sql_parameters;
using postgres_detail::sql_request;

task<worker_id> postgres_store::enter(std::string name, std::chrono::milliseconds lifetime)
{
    check_name_limit(name, "worker");
    sql_parameters parameters;
    parameters.text(name).integer(lifetime.count());
    sql_request request;
    request.step(pg_sql::enter, std::move(parameters)).writing().of_workers();
    const sql_answer answer = co_await core_->run(std::move(request));
    co_return answer.results[0].integer(0, 0);
}

task<heartbeat_report> postgres_store::heartbeat(worker_id worker, std::chrono::milliseconds lifetime)
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

task<void> postgres_store::leave(worker_id worker)
{
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
    watermark_->forget();
}

task<std::size_t> postgres_store::reap(std::size_t runs_max)
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
    co_return count;
}

}  // namespace weft
