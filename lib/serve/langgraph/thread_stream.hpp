#pragma once

#include "serve/http/route_table.hpp"
#include "serve/run/serve_core.hpp"

namespace weft::serve_detail {

/** `GET /threads/{thread_id}/stream`: the frames of all runs of a thread, as the first protocol makes them, run after
 *  run, until the client goes.
 *  @par Lifetimes   The core outlives the routes. */
void add_thread_stream_routes(route_table& routes, serve_core& core);

}  // namespace weft::serve_detail
