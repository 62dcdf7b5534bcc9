#include "stop_polling.hpp"

#include "run_core.hpp"
#include "run_extras.hpp"

#include <memory>

namespace weft {

bool stop_polling::is_cancel_due(const run_core& core) const noexcept
{
    // From the tokens themselves: a plain node holds the loop, which carries stops out.
    return core.request.stop_token().stop_requested() ||
           (cancel_asked_ && cancel_asked_->load(std::memory_order_relaxed)) || (around_ && around_->stop_is_due());
}

stop_polling::cause stop_polling::due(const run_core& core, branch_index branch, time_point timeout_at) const noexcept
{
    if (is_cancel_due(core)) return cause::cancelled;
    // The clock is read only where nothing else has decided.
    const time_point now = core.loop.now();
    if (core.extras && core.extras->timers.is_run_late(now)) return cause::run_timeout;
    if (core.extras && core.extras->timers.late_branch(branch, now) != no_index) return cause::branch_timeout;
    return timeout_at <= now ? cause::node_timeout : cause::none;
}

void carry_out(run_core& core, stop_polling::cause cause, branch_index branch)
{
    switch (cause) {
    case stop_polling::cause::cancelled:
        if (core.extras) core.extras->inner.note_places();
        return core.scheduler.stop();
    case stop_polling::cause::run_timeout: return core.extras->timers.end_run_time();
    case stop_polling::cause::branch_timeout: return core.extras->timers.end_branch_time(branch);
    case stop_polling::cause::node_timeout:
        if (node_run* const work = core.nodes.find(branch)) work->note_timeout();
        return;
    case stop_polling::cause::none: return;
    }
}

}  // namespace weft
