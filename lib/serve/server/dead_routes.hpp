#pragma once

#include "serve/http/route_table.hpp"
#include "serve/run/serve_core.hpp"

namespace weft::serve_detail {

/** Runs of the caller's tenant that have used up their attempts: list, retry and purge them. */
void add_dead_routes(route_table& routes, serve_core& core);

}  // namespace weft::serve_detail
