#pragma once

#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/store/service/cron_table.hpp>

namespace weft::serve_detail {

/** The id of the run that a cron has at the moment `cron::next`: the same in all servers, so that no second one
 *  is made. Its order among other runs is that of the moment. */
[[nodiscard]] run_id run_id_of(const cron& due);

/** Enters the run of `due.next` into the store, and lets it run; nothing if it was entered before.
 *  @par Errors   As `order_in_thread` and `run_launcher::launch`. */
[[nodiscard]] task<void> begin_cron_run(serve_core& core, cron due);

}  // namespace weft::serve_detail
