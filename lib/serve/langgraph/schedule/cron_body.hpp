#pragma once

#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/store/service/cron_table.hpp>

#include <boost/json/object.hpp>

namespace weft::serve_detail {

/** Reads what a client says about a cron over what is known of it: what it does not name stays. The members of its runs
 *  (input, config, webhook, …) are its `cron::input`, as a body of `/runs`. `end_time` as null ends its end.
 *
 *  The moment of the next run is that after now, if anything was changed that it depends on.
 *
 *  @par Errors   `http_error` 422 with the member: a schedule, zone, moment or body of runs that is none, or an
 *                assistant that is not there. */
[[nodiscard]] task<cron> read_cron(serve_core& core, cron known, boost::json::object body);

/** Whether the thread of each run goes with it: of crons without a thread of their own, unless they say `keep`. */
[[nodiscard]] bool payload_forgets_thread(const boost::json::object& payload);

/** A cron as LangGraph's clients know it. */
[[nodiscard]] boost::json::object view_of(const cron& shown);

}  // namespace weft::serve_detail
