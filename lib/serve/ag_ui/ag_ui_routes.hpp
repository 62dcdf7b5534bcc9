#pragma once

#include "serve/http/route_table.hpp"
#include "serve/run/serve_core.hpp"

namespace weft::serve_detail {

/** `POST /ag-ui/{assistant_id}`: runs an agent for a client of AG-UI.
 *  @par Lifetimes   The core outlives the routes. */
void add_ag_ui_routes(route_table& routes, serve_core& core);

}  // namespace weft::serve_detail
