#pragma once

#include "serve/http/route_table.hpp"
#include "serve/run/serve_core.hpp"

namespace weft::serve_detail {

/** The routes below `/v1`: graphs for clients of OpenAI, as models.
 *  @par Lifetimes   The core outlives the routes. */
void add_openai_routes(route_table& routes, serve_core& core);

void add_completion_routes(route_table& routes, serve_core& core);
void add_response_routes(route_table& routes, serve_core& core);
void add_conversation_routes(route_table& routes, serve_core& core);

}  // namespace weft::serve_detail
