#pragma once

#include "serve/http/route_table.hpp"
#include "serve/run/serve_core.hpp"

namespace weft::serve_detail {

/** What clients of LangGraph's Agent Server call in its first protocol.
 *  @par Lifetimes   The core outlives the routes. */
void add_langgraph_routes(route_table& routes, serve_core& core);

}  // namespace weft::serve_detail
