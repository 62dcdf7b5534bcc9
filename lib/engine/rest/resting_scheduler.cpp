#include "resting_scheduler.hpp"

namespace weft {

namespace {

/** Whether a branch is in the first attempt of a node, came to it alone, and nothing was asked of it. */
bool is_plainly_at_work(const run_branch& t) noexcept
{
    const bool is_marked = t.is_stopping || t.has_paused || t.is_parked || t.has_failed || t.is_leaving;
    return t.phase == branch_phase::running && t.attempt == 1 && t.in_a_row == 1 && !is_marked && !t.past;
}

bool is_bare(const schedule_limits& limits) noexcept
{
    return !limits.saves && !limits.saves_end && !limits.leaves_restart && !limits.notices;
}

}  // namespace

// All that the scheduler which is made from this place would have otherwise.
std::optional<line_place> place_on_line(const scheduler& of) noexcept
{
    const schedule& now = of.now_;
    const frontier& where = now.branches.where();
    if (!where.is_on_line || where.extras || where.branches.size() != 1) return std::nullopt;
    const run_branch& t = where.branches.front();
    const bool is_plain = is_plainly_at_work(t) && now.course.is_plain() && is_bare(now.limits) &&
                          !now.restart.is_left() && !now.nodes.is_kept_awake() && now.ready.is_empty() &&
                          now.actions.is_empty() && !now.actions.gives_notices();
    if (!is_plain || where.is_degraded || where.retries != 0) return std::nullopt;
    return line_place{t.node, where.steps};
}

}  // namespace weft
