#pragma once

#include "serve/http/route_table.hpp"
#include "serve/run/serve_core.hpp"

namespace weft::serve_detail {

/** `/assistants…`: graphs with a configuration, their drawings and schemas.
 *  @par Lifetimes   The core outlives the routes. */
void add_assistant_routes(route_table& routes, serve_core& core);

}  // namespace weft::serve_detail
