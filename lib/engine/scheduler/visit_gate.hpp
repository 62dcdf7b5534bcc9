#pragma once

#include "branch_flow.hpp"

namespace weft {

/** Lets branches into their nodes. It counts visits and keeps the limits of a run: nodes in flight, steps, visits in a
 *  row, time. A branch that may not go on leaves by an edge of its node that is there for that, or the run stops.
 *
 *  @par Thread safety   None.
 *  @par Lifetimes       The schedule outlives it.
 */
class visit_gate {
public:
    explicit visit_gate(schedule& now) noexcept : now_{now} {}

    /** Lets the next branch that may into its node; `no_index` if none may, or something else is to be done first. */
    [[nodiscard]] branch_index next_start();
    /** The node that would start next; `no_node` if none would. */
    [[nodiscard]] node_index next_node() const;

    /** As `walk_on` of a scheduler: in one step what the end of a node, its edge and the next beginning come to. */
    [[nodiscard]] const graph_node* walk_on(branch_index index);

    /** The time of the run is used up. What runs stops; where its node has an edge for that, its branch goes on there,
     *  and other branches have failed with `cause`. Without any such edge the run stops. */
    void run_out_of_time(const failure_ptr& cause);

private:
    [[nodiscard]] branch_flow flow() const noexcept { return branch_flow{now_}; }
    [[nodiscard]] bool is_full() const noexcept
    {
        return now_.limits.in_flight_max != 0 && now_.nodes.running() >= now_.limits.in_flight_max;
    }
    [[nodiscard]] bool start(branch_index index);
    /** A visit that is not passed over begins. */
    void count_visit(run_branch& t)
    {
        t.visit = now_.branches.count_visit(t.node);
        t.attempt = 0;
        ++t.step;
        t.is_counted = true;
    }
    /** Whether nothing but the branch itself has a say in where it goes and that it starts next. */
    [[nodiscard]] bool may_walk(const run_branch& t) const noexcept
    {
        return !t.is_stopping && now_.ready.is_empty() && now_.actions.is_empty() && now_.course.may_start() &&
               !now_.branches.where().extras && now_.saves.saves_nothing() && !now_.actions.gives_notices() &&
               (now_.limits.in_flight_max == 0 || now_.nodes.running() <= now_.limits.in_flight_max);
    }
    void skip_node(branch_index index);
    void clear_stale(branch_index index);
    /** Whether a branch may begin a further visit. */
    [[nodiscard]] bool may_visit(const run_branch& t) const noexcept
    {
        const schedule_limits& limits = now_.limits;
        if (now_.course.out_of_time() && !t.is_leaving) return false;
        if (limits.in_a_row_max != 0 && t.in_a_row >= limits.in_a_row_max) return false;
        if (limits.steps_max == 0) return true;
        const std::uint64_t reserve = t.is_leaving ? limits.steps_reserve : 0;
        return now_.branches.where().steps < limits.steps_max + reserve;
    }
    void stop_at_limit(branch_index index);
    [[nodiscard]] failure_ptr limit_failure(branch_index index) const;
    [[nodiscard]] failure_ptr time_failure(branch_index index) const;
    [[nodiscard]] bool take_way_out(branch_index index, failure_ptr cause);
    [[nodiscard]] bool has_way_out(errc code) const noexcept;
    void end_for_want_of_time(branch_index index);

    schedule& now_;
};

}  // namespace weft
