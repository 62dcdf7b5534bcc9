#pragma once

#include "branch_table.hpp"
#include "schedule_limits.hpp"

#include <weft/base/budget_ledger.hpp>

#include <chrono>
#include <memory>
#include <vector>

namespace weft {

/** Where a resume of a run goes on. That is where the run stands, until it is cancelled or fails: then its branches are
 *  taken apart, and a copy of the frontier is kept from before.
 *
 *  @par Thread safety   None.
 *  @par Lifetimes       The branches outlive it.
 */
class restart_point {
public:
    restart_point(branch_table& branches, const schedule_limits& limits) noexcept
        : branches_{branches}, is_for_save_{limits.saves_end}, is_wanted_{limits.leaves_restart}
    {
    }

    /** From now on the run leaves it when it is cancelled or fails: `schedule_limits::leaves_restart`. */
    void leave() noexcept { is_wanted_ = true; }
    /** The end of the run is not saved after all. */
    void forget_save() noexcept { is_for_save_ = false; }
    [[nodiscard]] bool is_left() const noexcept { return is_for_save_ || is_wanted_; }

    /** The run is about to be cancelled: its nodes start again when it is resumed. */
    void mark();
    /** The run has failed, and its branches are broken off: in the copy, those that a resume begins again are ready. */
    void mark_failed();
    /** What a node that is stopped meanwhile had published joins what its branch had. May throw as reducers do. */
    void add_published(branch_index branch, const write_set& writes);

    /** What a save keeps: where the run stands; once it is cancelled where it stood, with what was published since;
     *  once it has failed where a resume goes on. */
    [[nodiscard]] const frontier& to_save()
    {
        if (marked_) return *marked_;
        branches_.where().write_trail(branches_.graph());
        return branches_.where();
    }
    /** Of a run that is over: null if it leaves nothing. */
    [[nodiscard]] std::shared_ptr<const frontier> take() { return std::move(marked_); }

    /** Where the graph inside of a node stands, for a resume; null: it begins at its beginning. That stays known while
     *  the node's visit may begin again, and no longer than that: a retry begins the graph anew. */
    void note_inner(branch_index branch, const std::shared_ptr<const frontier>& inner);
    /** What the run has spent so far. */
    void note_spent(const spending& so_far);
    /** How long the run has run so far. */
    void note_elapsed(std::chrono::nanoseconds so_far);

private:
    void take_up(branch_index index);
    void take_up_branches(region& r);

    branch_table& branches_;
    std::unique_ptr<frontier> marked_;
    bool is_for_save_;
    bool is_wanted_;
};

/** A branch failed or was stopped in an open fan-out. What it was about to do is marked, for a resume that takes it up:
 *  its node runs again, unless the branch is behind it. */
void mark_broken_off(run_branch& branch) noexcept;
/** The nodes that a run which pauses or stops has not finished. */
[[nodiscard]] std::vector<node_index> nodes_under_way(const frontier& where);
/** The nodes that a resume of a failed run begins with. */
[[nodiscard]] std::vector<node_index> nodes_broken_off(const graph& of, const frontier& where);

}  // namespace weft
