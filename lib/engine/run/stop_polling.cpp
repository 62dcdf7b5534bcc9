#include "stop_polling.hpp"

#include "run_core.hpp"
#include "run_extras.hpp"

#include <memory>

namespace weft {

namespace {

bool is_cancel_due(const run_core& core) noexcept
{
    // From the tokens themselves: a plain node holds the loop, which carries stops out.
    return core.request.stop_token().stop_requested() || (core.waiter && core.waiter->is_stop_due());
}

}  // namespace

stop_cause due_stop(const run_core& core, branch_index branch, time_point timeout_at) noexcept
{
    if (is_cancel_due(core)) return stop_cause::cancelled;
    // The clock is read only where nothing else has decided.
    const time_point now = core.loop.now();
    if (core.extras && core.extras->timers.is_run_late(now)) return stop_cause::run_timeout;
    if (core.extras && core.extras->timers.late_branch(branch, now) != no_index) return stop_cause::branch_timeout;
    return timeout_at <= now ? stop_cause::node_timeout : stop_cause::none;
}

void carry_out(run_core& core, stop_cause cause, branch_index branch)
{
    switch (cause) {
    case stop_cause::cancelled:
        if (core.extras) core.extras->inner.note_places();
        return core.scheduler().stop();
    case stop_cause::run_timeout: return core.extras->timers.end_run_time();
    case stop_cause::branch_timeout: return core.extras->timers.end_branch_time(branch);
    case stop_cause::node_timeout:
        if (node_run* const work = core.nodes.find(branch)) work->note_timeout();
        return;
    case stop_cause::none: return;
    }
}

}  // namespace weft
