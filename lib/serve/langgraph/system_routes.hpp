#pragma once

#include "serve/http/route_table.hpp"
#include "serve/run/serve_core.hpp"

namespace weft::serve_detail {

/** Whether the server lives, is ready, and what it is: `/ok`, `/livez`, `/readyz`, `/info`.
 *  @par Lifetimes   The core outlives the routes. */
void add_system_routes(route_table& routes, serve_core& core);

}  // namespace weft::serve_detail
