#pragma once

#include "engine/scheduler/scheduler.hpp"

#include <weft/async/task.hpp>
#include <weft/engine/run_event.hpp>
#include <weft/graph/graph.hpp>

#include <string>
#include <string_view>

namespace weft {

class node_run;
struct run_core;
class written_mapping;

/** Asks the conditions of the edges that leave a node. What follows from the answers is the scheduler's. */
class run_routing {
public:
    explicit run_routing(run_core& core) noexcept;

    /** Reports the edge that a branch takes. */
    void choose_edge(branch_index branch);

private:
    [[nodiscard]] failure_ptr answer_condition(edge_choice& choice, const run_branch& t, const state_view& view,
                                               const written_mapping& output);
    void notify_condition_error(const graph_edge& edge, node_index source, const std::string& error);
    [[nodiscard]] failure_ptr condition_failure(const graph_edge& edge, const run_branch& t, errc code,
                                                std::string detail) const;
    [[nodiscard]] bool is_watched() const noexcept;

    run_core& core_;
    const graph& graph_;
    scheduler& scheduler_;
};

/** Asks the run's decider which `llm` edge of a branch's node to take. @return A command with its answer as text.
 *  @par Errors  `invalid_configuration` if the run has no decider, and what the decider throws.
 *  @par Lifetimes  The run outlives the task. */
[[nodiscard]] task<command> ask_decider(run_core& core, branch_index branch);

/** Where a run goes on after its decider was asked. */
struct route_choice {
    node_index target = no_node;
    std::string_view name;        ///< Of the target; belongs to the graph.
    run_event::kind what = run_event::kind::route_fallback;
    std::string text;             ///< The reasoning of the model, or why the fallback is taken.
};

/** Reads what became of `ask_decider`. The node's fallback stands in for a useless answer, for a failure, and for none
 *  in time. */
[[nodiscard]] route_choice choose_route(const graph& graph, const graph_node& node, node_run& asked);

}  // namespace weft
