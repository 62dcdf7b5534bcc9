#pragma once

#include "serve/http/route_table.hpp"
#include "serve/run/serve_core.hpp"

namespace weft::serve_detail {

/** LangGraph's second protocol: `/threads/{thread_id}/commands` and `/threads/{thread_id}/stream/events`.
 *
 *  A client names a thread, which need not be there, watches it by streams that stay open between runs, and begins and
 *  answers runs by commands. What is wrong with a command is told with status 200, as its clients expect. A WebSocket
 *  on the path of the events carries both: see `thread_socket`.
 *
 *  @par Lifetimes   The core outlives the routes.
 *  @par Source      The agent streaming protocol of LangGraph, version 0.0.21. */
void add_thread_protocol_routes(route_table& routes, serve_core& core);

}  // namespace weft::serve_detail
