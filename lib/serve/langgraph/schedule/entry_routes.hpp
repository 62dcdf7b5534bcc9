#pragma once

#include "serve/http/route_table.hpp"
#include "serve/run/serve_core.hpp"
#include "serve/schedule/timer_claims.hpp"

#include <weft/async/task.hpp>
#include <weft/store/service/cron_table.hpp>

#include <memory>

namespace weft::serve_detail {

/** The routes of the webhooks of entries, which share them.
 *  @par Errors   `errc::invalid_configuration`: a path is taken. */
void add_entry_routes(route_table& routes, serve_core& core, std::shared_ptr<const served_set> served);

/** Brings the crons of the store in line with the timers of the server's entries: those that are new or were changed,
 *  and those that no server on the store has any more. */
[[nodiscard]] task<void> enter_timers(serve_core& core, timer_claims& claims);

/** Begins the run of a cron whose moment has come, once; of a timer that this server does not have only while another
 *  one has it. A timer that no server has is removed.
 *  @par Errors   As `begin_cron_run`; `http_error` 503 if it is for another server to begin it. */
[[nodiscard]] task<void> begin_due_run(serve_core& core, timer_claims& claims, cron due);

}  // namespace weft::serve_detail
