#include "left_state.hpp"

#include "engine/scheduler/scheduler.hpp"

#include <weft/engine/checkpoint/thread_snapshot.hpp>

#include <utility>

namespace weft {

namespace {

bool is_under_way(branch_phase phase)
{
    return phase != branch_phase::free && phase != branch_phase::forked && phase != branch_phase::broken_off;
}

}  // namespace

/** A run that goes on there and is stopped before any of its nodes starts leaves just that. */
state left_state(const graph& of, const frontier& where, checkpoint_kind last)
{
    if (!is_unfinished(where)) return where.root->root();
    frontier at{where};
    for (run_branch& each : at.branches) {
        if (is_under_way(each.phase)) each.phase = branch_phase::ready;
        if (last != checkpoint_kind::cancel) each.own.reset();
    }
    scheduler ending{of, std::move(at), schedule_limits{}};
    ending.stop();
    return ending.where().root->root();
}

}  // namespace weft
