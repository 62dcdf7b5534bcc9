#include "write_refusal.hpp"

#include "store/postgres/sql/sql_statements.hpp"

#include <utility>

namespace weft::postgres_detail {

task<commit_result> explain_refusal(pg_core& core, write_fence fence)
{
    sql_parameters parameters = naming(fence.thread);
    parameters.integer(fence.epoch).id(fence.run.value());
    sql_request request;
    request.step(sql::explain_refusal, std::move(parameters)).of(fence.thread);
    const sql_answer answer = co_await core.run(std::move(request));
    const sql_result& rows = answer.results[0];
    commit_result result;
    result.state = write_state::fenced;
    if (rows.empty()) co_return result;
    result.head = rows.integer(0, 1);
    if (rows.boolean(0, 0)) result.state = write_state::stale_head;
    co_return result;
}

}  // namespace weft::postgres_detail
