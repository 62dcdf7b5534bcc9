#pragma once

#include "action_queue.hpp"
#include "branch_queue.hpp"
#include "branch_table.hpp"
#include "region_table.hpp"
#include "restart_point.hpp"
#include "run_course.hpp"
#include "running_nodes.hpp"
#include "save_gate.hpp"
#include "schedule_limits.hpp"

#include <utility>

namespace weft {

/** Whether a run pauses before a node, or behind it. */
[[nodiscard]] inline bool pauses_at(const graph_node& node, pause_point where) noexcept
{
    return node.pauses == where || node.pauses == pause_point::both;
}

/** The values that the schedule of one run consists of. Each keeps its own invariant; `branch_flow` and `visit_gate`
 *  decide what happens to several of them at once.
 *
 *  @par Lifetimes   The graph outlives it. It stays where it is: some of its values refer to others.
 */
struct schedule {
    /** @param from   A frontier, or the state of a run that begins: see `branch_table`. */
    template <class From>
    schedule(const weft::graph& of, From&& from, const schedule_limits& bounds)
        : branches{of, std::forward<From>(from)}, actions{bounds.notices}, restart{branches, bounds},
          regions{branches}, saves{bounds}, limits{bounds}
    {
    }
    schedule(const schedule&) = delete;
    schedule& operator=(const schedule&) = delete;

    branch_table branches;
    branch_queue ready;
    action_queue actions;
    run_course course;
    restart_point restart;
    // What follows needs no more than four bytes to align, and lies in the last ones of the regions: a waiting run is
    // counted in bytes.
    [[no_unique_address]] region_table regions;
    [[no_unique_address]] running_nodes nodes;
    [[no_unique_address]] save_gate saves;
    const schedule_limits limits;

    [[nodiscard]] const weft::graph& graph() const noexcept { return branches.graph(); }
    /** The node that a branch is at. */
    [[nodiscard]] const graph_node& node_of(branch_index index) const noexcept
    {
        return graph().node(branches[index].node);
    }
    /** The frontier is not the one that was saved. Of a run that is stopping only the end is worth keeping: its
     *  branches are half gone. */
    void changed(checkpoint_kind moment, node_index node) noexcept
    {
        if (!course.is_stopping()) saves.note_change(moment, node);
    }
};

}  // namespace weft
