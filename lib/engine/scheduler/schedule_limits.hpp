#pragma once

#include <cstdint>

namespace weft {

/** Bounds of a run that the scheduler keeps. */
struct schedule_limits {
    std::uint32_t steps_max = 1000;     ///< Node visits; 0: unlimited.
    /** Further visits when `steps_max` is used up, or the time of the run, for branches whose node has an edge for
     *  that: `on_budget` or `on_failure`. 0: such edges are not taken then. */
    std::uint32_t steps_reserve = 0;
    std::uint32_t in_flight_max = 64;   ///< Nodes running at once; 0: unlimited.
    std::uint32_t in_a_row_max = 0;     ///< Visits of one node by one branch without another between; 0: unlimited.
    bool fails_at_limit : 1 = true;         ///< Whether a limit of steps fails the run, or only ends it where it is.
    bool fails_in_a_row : 1 = true;         ///< The same of `in_a_row_max`.
    bool saves : 1 = false;                 ///< Whether `save` is wanted after each step.
    bool saves_starts : 1 = false;          ///< Whether it is wanted before nodes start as well; with `holds_for_save`.
    bool saves_end : 1 = false;             ///< Whether it is wanted before `finish`, which then waits for its `saved`.
    /** Whether a `save` holds the run: no node starts until it is reported. Nodes that run go on meanwhile; what they
     *  complete is covered by the next save. One save is under way at a time. */
    bool holds_for_save : 1 = false;
    /** Whether a run that is cancelled or fails leaves where a resume goes on, `restart_point::take`, also without
     *  `saves_end`: of a run within a node. */
    bool leaves_restart : 1 = false;
    bool notices : 1 = false;               ///< Whether `notice` is wanted.
};

}  // namespace weft
