#include "resting_scheduler.hpp"

namespace weft {

// What a scheduler that is made from the place would have otherwise is looked at here and in `branch_table::leave`.
std::optional<resting_place> leave_place(scheduler& of)
{
    schedule& now = of.now_;
    const bool is_plain = now.course.is_plain() && now.saves.saves_nothing() && !now.restart.is_left() &&
                          !now.nodes.is_kept_awake() && now.ready.is_empty() && now.actions.is_empty() &&
                          !now.actions.gives_notices();
    return is_plain ? now.branches.leave() : std::nullopt;
}

}  // namespace weft
