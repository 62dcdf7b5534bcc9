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
