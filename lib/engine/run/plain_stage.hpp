#pragma once

#include <weft/async/task/task_context.hpp>
#include <weft/base/clock.hpp>
#include <weft/engine/scheduler/frontier.hpp>
#include <weft/graph/node/command.hpp>
#include <weft/graph/node_context.hpp>

namespace weft {

struct run_core;

/** Runs plain nodes, one after another: a plain node needs no frame, no stop scope and no timer of its own.
 *
 *  Where nodes follow one another in a straight line and nothing but their calls is due, it goes along that line
 *  without a way through the scheduler for each: the nodes, their visits and the path are those of the long way.
 *
 *  @par Thread safety   None: on the run's loop only.
 *  @par Lifetimes       The run outlives it. It is there while the run performs.
 */
class plain_stage final : public outer_stop_scope {
public:
    explicit plain_stage(run_core& core) noexcept;

    /** Runs the node of a branch and reports its end.
     *  @param left  How many more may run behind it; less by those that have.
     *  @return      The coroutine node that has begun behind them; mostly null. */
    [[nodiscard]] const graph_node* run(branch_index branch, const graph_node& node, int& left);
    /** That of the node that runs. */
    [[nodiscard]] branch_index branch() const noexcept { return at_; }

private:
    bool is_due() const noexcept override;
    void report_thrown(node_context& context);
    [[nodiscard]] bool ends_bare(const node_context& context) const noexcept;
    [[nodiscard]] bool counts_as_stopped(node_context& context);
    void report(const graph_node& node, node_context& context, time_point began);

    run_core& core_;
    task_context task_;
    command answer_;  // bare between nodes
    branch_index at_ = no_index;
    mutable bool saw_stop_ = false;
    time_point timeout_at_ = time_point::max();
};

}  // namespace weft
