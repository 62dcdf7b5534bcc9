#pragma once

#include "serve/http/route_table.hpp"
#include "serve/run/serve_core.hpp"

namespace weft::serve_detail {

/** `/runs…` and `/threads/{thread_id}/runs…`: runs are begun, followed, joined and cancelled.
 *  @par Lifetimes   The core outlives the routes. */
void add_run_routes(route_table& routes, serve_core& core);

}  // namespace weft::serve_detail
