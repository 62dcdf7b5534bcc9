#pragma once

#include "serve/http/route_table.hpp"
#include "serve/run/serve_core.hpp"

namespace weft::serve_detail {

/** `/runs/crons…` and `/threads/{thread_id}/runs/crons`: runs that begin again and again. */
void add_cron_routes(route_table& routes, serve_core& core);

}  // namespace weft::serve_detail
