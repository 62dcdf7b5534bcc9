#pragma once

#include "serve/http/route_table.hpp"
#include "serve/run/serve_core.hpp"

namespace weft::serve_detail {

/** The API keys of the caller's tenant: list, make and revoke them while the server runs. A caller makes keys that may
 *  do what it may itself, and no more. */
void add_key_routes(route_table& routes, serve_core& core);

}  // namespace weft::serve_detail
