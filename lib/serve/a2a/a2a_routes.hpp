#pragma once

#include "a2a_push.hpp"
#include "serve/http/route_table.hpp"
#include "serve/run/serve_core.hpp"

namespace weft::serve_detail {

/** Adds what clients of A2A call: the cards, JSON-RPC at `/a2a/{assistant_id}`, and the binding HTTP+JSON below it.
 *  @par Lifetimes   Core and sender outlive the routes. */
void add_a2a_routes(route_table& routes, serve_core& core, a2a_push_sender& pushes);

}  // namespace weft::serve_detail
