#pragma once

#include "serve/http/route_table.hpp"
#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>

namespace weft::serve_detail {

/** The routes of the webhooks of `server_options::entries`.
 *  @par Errors   `errc::invalid_configuration`: a path is taken. */
void add_entry_routes(route_table& routes, serve_core& core);

/** Brings the crons of the store in line with the timers of `server_options::entries`: those that are new or were
 *  changed, and those of entries of this server's graphs that are no longer there. */
[[nodiscard]] task<void> enter_timers(serve_core& core);

}  // namespace weft::serve_detail
