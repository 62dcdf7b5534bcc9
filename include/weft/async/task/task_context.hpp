#pragma once

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/loop/stop_scope.hpp>

#include <string>

namespace weft {

/** What every coroutine of one await chain shares: where it runs and what can stop it.
 *
 *  Handed down from promise to promise when a task is awaited, so that no coroutine passes it by hand.
 */
struct task_context {
    serial_loop* loop = nullptr;    ///< Where all of the chain runs.
    stop_scope* scope = nullptr;    ///< The innermost one, in which the waits of the chain register.
    /** The tenant that the chain works for, as `on_behalf_of` says it; null: the program itself. */
    const std::string* tenant = nullptr;

    /** A coroutine of the chain waits now; a stop reaches it by `operation`. The scope must not be stopped. */
    void begin_wait(stoppable& operation) const
    {
        scope->add(operation);
        if (loop->measures_steps()) scope->step_ended(loop->end_step());
    }
};

}  // namespace weft
