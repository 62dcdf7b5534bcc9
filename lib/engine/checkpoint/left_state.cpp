#include "left_state.hpp"

#include "engine/scheduler/scheduler.hpp"

#include <weft/engine/checkpoint/thread_snapshot.hpp>

#include <utility>

namespace weft {

namespace {

bool is_under_way(token_phase phase)
{
    return phase != token_phase::free && phase != token_phase::forked && phase != token_phase::broken_off;
}

}  // namespace

/** A run that goes on there and is stopped before any of its nodes starts leaves just that. */
state left_state(const graph& of, const frontier& where, checkpoint_kind last)
{
    if (!is_unfinished(where)) return where.root->root();
    frontier at{where};
    for (token& each : at.tokens) {
        if (is_under_way(each.phase)) each.phase = token_phase::ready;
        if (last != checkpoint_kind::cancel) each.own.reset();
    }
    scheduler ending{of, std::move(at), schedule_limits{}};
    ending.stop();
    return ending.where().root->root();
}

}  // namespace weft
