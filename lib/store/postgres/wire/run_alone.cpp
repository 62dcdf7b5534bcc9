#include "run_alone.hpp"

#include <weft/base/error.hpp>

#include <utility>

namespace weft::postgres_detail {

task<std::vector<sql_result>> run_alone(pg_connection& connection, const pg_settings& settings, sql_request request,
                                        std::chrono::milliseconds limit)
{
    serial_loop& loop = co_await this_task::loop();
    batch_end end = co_await connection.run_once(request, loop.now() + limit);
    if (end.what != batch_end::kind::completed)
        throw error{end.failure.code, settings.where.label(), end.failure.detail};
    co_return std::move(end.results[0]);
}

}  // namespace weft::postgres_detail
