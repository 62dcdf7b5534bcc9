#pragma once

#include <weft/engine/scheduler/frontier.hpp>
#include <weft/engine/scheduler/open_question.hpp>
#include <weft/facade/ensemble/ensemble_task.hpp>
#include <weft/graph/build/run_overlay.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** One step of an ensemble. */
struct ensemble_step {
    std::string state_name;         ///< Where it was.
    std::uint32_t step_number = 0;  ///< From 1.
    ensemble_output output;         ///< What the task of the state gave.
    std::string next_state;         ///< `__END__` at the end; empty if the routing failed on the last permitted step.
};

/** A trace in AgentEnsemble's form; `to_json` gives its JSON.
 *
 *  Members have the names of that form, which other programs read. */
struct ensemble_trace {
    struct step {
        std::string stateName;
        std::uint32_t stepNumber = 0;
        std::string nextState;
    };

    std::string graphName;
    std::string startState;
    std::string terminationReason;
    std::uint32_t stepsRun = 0;
    std::uint32_t maxSteps = 0;
    std::vector<step> steps;
};
BOOST_DESCRIBE_STRUCT(ensemble_trace::step, (), (stateName, stepNumber, nextState))
BOOST_DESCRIBE_STRUCT(ensemble_trace, (), (graphName, startState, terminationReason, stepsRun, maxSteps, steps))

/** What became of an ensemble. @par Thread safety As a value. */
struct ensemble_result {
    std::string graph_name;
    std::string start_state;
    std::uint32_t max_steps = 0;           ///< What the run was allowed, and not what it took.
    std::string termination_reason;  ///< `terminal`, `maxSteps` or `paused`.
    bool was_terminated_by_max_steps = false;  ///< Told for `step_limit_action::return_with_flag` only.
    std::vector<ensemble_step> history;    ///< In the order of the steps; of a state that came twice, both.
    std::shared_ptr<const frontier> paused_at;  ///< Of a paused run; null otherwise.
    std::vector<open_question> questions;  ///< Of a paused run; see `ensemble_request::answer`.
    /** What the run did, for drawings of `ensemble_graph::what`; of a run that was resumed its last part. */
    run_overlay overlay;
    ensemble_inputs inputs;                ///< The values of the variables.
    /** Which task is each state's. */
    std::vector<std::pair<std::string, std::shared_ptr<const ensemble_task>>> tasks;

    [[nodiscard]] std::uint32_t steps_run() const noexcept { return static_cast<std::uint32_t>(history.size()); }
    /** Of the last step; empty if there was none. */
    [[nodiscard]] ensemble_output final_output() const;
    /** What each state gave on each of its visits. */
    [[nodiscard]] std::map<std::string, std::vector<ensemble_output>> state_outputs_by_name() const;
    /** Of the last visit of a state; null if there was none. */
    [[nodiscard]] const ensemble_output* last_output_for_state(std::string_view name) const noexcept;
    /** Of the last visit of any state with this very task; null if there was none. */
    [[nodiscard]] const ensemble_output* output_of(const std::shared_ptr<const ensemble_task>& task) const noexcept;
    /** The history without the outputs. */
    [[nodiscard]] ensemble_trace trace() const;
};

}  // namespace weft
