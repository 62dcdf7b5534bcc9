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
    /** Pauses the run within the node of a token. @return Whether there is one. */
    bool pause_in(token_index token);
    /** Notes where the running ones stand, so that a run that is broken off knows it. */
    void note_places();

    [[nodiscard]] bool is_empty() const noexcept { return inner_.empty(); }
    /** Where the graph within a node stands that has ended paused; null of any other node. */
    [[nodiscard]] std::shared_ptr<const frontier> take_paused(token_index token);

private:
    struct inner_run {
        token_index token;
        run* running;                            // null of one that has ended paused
        std::shared_ptr<const frontier> paused;  // where it stands, if it ended paused
    };
    [[nodiscard]] run_request request_for(const node_context& node, const subgraph& what, token_index token);
    void give_input(run_request& request, const node_context& node, const subgraph& what, token_index token) const;
    void keep_with_outer(run_options& options, token_index token);
    void tell_in_outer(run_request& request, const node_context& node);
    void note_end(token_index token, run& inner, const run_result& result);

    run_core& core_;
    std::vector<inner_run> inner_;
};

}  // namespace weft
