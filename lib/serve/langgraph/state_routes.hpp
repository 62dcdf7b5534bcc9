#pragma once

#include "serve/http/route_table.hpp"
#include "serve/run/serve_core.hpp"

namespace weft::serve_detail {

/** `/threads/{thread_id}/state…` and `/history`: where a thread stands and stood.
 *  @par Lifetimes   The core outlives the routes. */
void add_state_routes(route_table& routes, serve_core& core);

}  // namespace weft::serve_detail
