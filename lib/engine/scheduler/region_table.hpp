#pragma once

#include "branch_table.hpp"
#include "fan_out_rules.hpp"
#include "partial_joins.hpp"

#include <cstddef>
#include <cstdint>

namespace weft {

/** The open fan-outs of a run: which branches they have started, which have ended and how, and what these leave for the
 *  join. `region::running` and the counts of successes and failures change here only. A slot whose fan-out has ended is
 *  used again.
 *
 *  @par Thread safety   None.
 *  @par Lifetimes       The branches outlive it.
 */
class region_table {
public:
    /** Takes up the fan-outs that are open in the frontier of `branches`. */
    explicit region_table(branch_table& branches);

    [[nodiscard]] region& operator[](region_index at) noexcept { return branches_.where().regions[at]; }
    [[nodiscard]] const region& operator[](region_index at) const noexcept { return branches_.where().regions[at]; }

    /** A fan-out of the branch `parent` behind its node, without branches as yet. */
    [[nodiscard]] region_index add(branch_index parent);
    /** Its branches may start from now on, at most `in_flight_max` of them at once; 0: unlimited. */
    void open(region_index at, std::uint32_t in_flight_max);

    /** The oldest fan-out that may start a branch; `no_index` if none may. */
    [[nodiscard]] region_index next_to_start();
    /** The first node of the branch that would start; `no_node` if none would. */
    [[nodiscard]] node_index next_first_node() const;
    /** Begins the next branch of a fan-out, with what is sent to it. */
    [[nodiscard]] branch_index begin_branch(region_index at);
    /** By number. The order in which fan-outs were opened is not part of a frontier, this one is. */
    void sort();

    /** Whether a branch that has succeeded wrote nothing and meets no condition, as most do: `end_plain` ends it. */
    [[nodiscard]] bool ends_plainly(const run_branch& branch) const noexcept
    {
        return !branch.own && !branch.is_leaving && !options_of(graph(), (*this)[branch.region]).until;
    }
    /** It has ended, with the result of `refusal_of` and `end_branch` in fewer steps. */
    void end_plain(const run_branch& branch)
    {
        region& r = (*this)[branch.region];
        --r.running;
        ++r.succeeded;
        r.ended.add_plain(branch.branch, r.size());
    }
    /** Judges a branch that has succeeded by what it wrote and by `until`.
     *  @param is_enough  Set if the branches that have succeeded are enough.
     *  @return           Why the branch has failed after all; null if it has not. */
    [[nodiscard]] failure_ptr refusal_of(branch_index index, bool& is_enough);
    /** A branch has ended. @param keeps_changes  Whether what it wrote joins although it was stopped. */
    void end_branch(branch_index index, branch_status status, failure_ptr cause, bool keeps_changes);
    /** Whether a fan-out around the branch ends at that node. */
    [[nodiscard]] bool meets_at(const run_branch& branch, node_index target) const noexcept
    {
        for (region_index r = branch.region; r != no_index; r = branches_[(*this)[r].parent].region)
            if ((*this)[r].join == target) return true;
        return false;
    }
    /** Of a branch that ends at `join` with no more than a success: the first node of the branch that starts in its
     *  place; `no_node` if another fan-out may be next, or something is due between the two. */
    [[nodiscard]] node_index next_straight(const run_branch& branch, node_index join) const noexcept;
    /** The branch ends, and in its slot that one begins. */
    void pass_on(run_branch& branch);
    /** Whether all has ended that a fan-out waits for, and it can close. */
    [[nodiscard]] bool is_settled(region_index at) const noexcept
    {
        const region& r = (*this)[at];
        return r.running == 0 && r.is_open && (r.is_decided || r.started == r.size());
    }
    /** What the branches wrote goes into the state of the branch that forked. May throw as reducers do.
     *  @return  How they ended. */
    [[nodiscard]] intrusive_ptr<const joined_branches> join(region_index at);
    /** The fan-out is closed, and its slot is free. */
    void release(region_index at);

    /** The time that a branch of a fan-out has; 0: unlimited. */
    [[nodiscard]] std::chrono::nanoseconds timeout_of(const run_branch& branch) const noexcept
    {
        return weft::timeout_of(graph(), (*this)[branch.region], branch.branch);
    }

    /** The innermost fan-out around a branch that has a branch which is meant; `no_index` if none has. Gives in `from`
     *  the branch of it that is, or contains, that branch. */
    [[nodiscard]] region_index region_meant(branch_index& from, const branch_choice& which) const;
    [[nodiscard]] bool is_meant(region_index at, std::uint32_t branch, const branch_choice& which) const;
    /** Cancels branches that have not begun, but for `own`. @return  How many. */
    [[nodiscard]] std::size_t cancel_unstarted(region_index at, std::uint32_t own, const branch_choice& which);

private:
    [[nodiscard]] const weft::graph& graph() const noexcept { return branches_.graph(); }
    void give_input(branch_index index, region& r);

    branch_table& branches_;
    pooled_vector<region_index> starting_;  // with branches still to start, oldest first
    partial_joins joins_;
    region_index free_ = no_index;          // the first of a chain through `region::parent`
};

}  // namespace weft
