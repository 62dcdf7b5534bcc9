#pragma once

#include "serve/http/route_table.hpp"
#include "serve/run/serve_core.hpp"

namespace weft::serve_detail {

/** `/store…`: items by namespace and key.
 *  @par Lifetimes   The core outlives the routes. */
void add_item_routes(route_table& routes, serve_core& core);

}  // namespace weft::serve_detail
