#pragma once

#include <weft/async/task.hpp>
#include <weft/engine/run_request.hpp>
#include <weft/engine/run_result.hpp>
#include <weft/engine/scheduler/frontier.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/graph/node_context.hpp>

#include <memory>
#include <vector>

namespace weft {

class run;
struct run_core;

/** The runs within the nodes of a run.
 *
 *  @par Thread safety   None: on the run's loop only.
 *  @par Lifetimes       The run owns it, and outlives the runs within its nodes.
 */
class inner_runs {
public:
    explicit inner_runs(run_core& core) noexcept : core_{core} {}
    inner_runs(const inner_runs&) = delete;
    inner_runs& operator=(const inner_runs&) = delete;

    /** Runs a graph as the work of a node. @par Lifetimes  `node` and `what` outlive the task.
     *  @par Errors  `cancelled`, and that with which the inner run has failed. */
    [[nodiscard]] task<command> run_inside(node_context& node, const subgraph& what);

    void pause_all();
    /** Pauses the run within the node of a branch. @return Whether there is one. */
    bool pause_in(branch_index branch);
    /** Notes where the running ones stand, so that a run that is broken off knows it. */
    void note_places();

    [[nodiscard]] bool is_empty() const noexcept { return inner_.empty(); }
    /** Where the graph within a node stands that has ended paused; null of any other node. */
    [[nodiscard]] std::shared_ptr<const frontier> take_paused(branch_index branch);

private:
    struct inner_run {
        branch_index branch;
        run* running;                            // null of one that has ended paused
        std::shared_ptr<const frontier> paused;  // where it stands, if it ended paused
    };
    [[nodiscard]] run_request request_for(const node_context& node, const subgraph& what, branch_index branch);
    void give_input(run_request& request, const node_context& node, const subgraph& what, branch_index branch) const;
    void save_with_outer(run_options& options, branch_index branch);
    void forward_events(run_request& request, const node_context& node);
    void note_end(branch_index branch, run& inner, const run_result& result);

    run_core& core_;
    std::vector<inner_run> inner_;
};

}  // namespace weft
