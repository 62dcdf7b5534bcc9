#pragma once

#include <weft/async/serial_loop.hpp>
#include <weft/async/stop_scope.hpp>

namespace weft {

/** What every coroutine of one await chain shares: where it runs and what can stop it.
 *
 *  Handed down from promise to promise when a task is awaited, so that no coroutine passes it by hand.
 */
struct task_context {
    serial_loop* loop = nullptr;
    stop_scope* scope = nullptr;
};

}  // namespace weft
