#pragma once

#include "serve/http/route_table.hpp"
#include "serve/run/serve_core.hpp"

namespace weft::serve_detail {

/** `/runs/batch`, `/runs/cancel`, `/threads/prune`: what is done to many at once.
 *  @par Lifetimes   The core outlives the routes. */
void add_bulk_routes(route_table& routes, serve_core& core);

}  // namespace weft::serve_detail
