#pragma once

#include "serve/http/route_table.hpp"
#include "serve/run/serve_core.hpp"

namespace weft::serve_detail {

/** `/threads…`: threads and events for them.
 *  @par Lifetimes   The core outlives the routes. */
void add_thread_routes(route_table& routes, serve_core& core);

}  // namespace weft::serve_detail
