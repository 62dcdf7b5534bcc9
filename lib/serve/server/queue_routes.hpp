#pragma once

#include "serve/http/route_table.hpp"
#include "serve/run/serve_core.hpp"

namespace weft::serve_detail {

/** The queue of the store for those who operate servers and workers: how deep it is for the caller's tenant, what no
 *  worker can run, and which workers there are. */
void add_queue_routes(route_table& routes, serve_core& core);

}  // namespace weft::serve_detail
