#pragma once

#include "node_run.hpp"

namespace weft {

struct run_core;

/** A node is parked while all that it does is wait for answers: it does not count as running, and its timeout stands
 *  still. A run within a node whose nodes are all parked counts as a question of the node around it. */

/** The questions and effects of a node's visit; made when they are first asked for. */
[[nodiscard]] visit_places& places_of(run_core& core, node_run& work);
/** Tells the scheduler whether a node is parked, after its questions or effects have changed. */
void update_parking(run_core& core, node_run& work);
/** A node has ended: it is not parked any more. */
void end_parking(run_core& core, node_run& work);
/** Takes a parked node down because the run pauses. */
void drop_parked(run_core& core, branch_index branch);
/** Tells the run around this one, if there is one, whether everything in this run is parked. */
void park_in_outer(run_core& core, bool is_parked);

/** An effect, or a call of the journal, that is under way: the node does more than wait for answers. */
class work_under_way {
public:
    work_under_way(run_core& core, node_run& work);
    ~work_under_way();
    work_under_way(const work_under_way&) = delete;
    work_under_way& operator=(const work_under_way&) = delete;

private:
    run_core& core_;
    node_run& work_;
};

}  // namespace weft
