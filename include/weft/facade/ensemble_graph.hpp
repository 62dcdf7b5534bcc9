#pragma once

#include <weft/base/chrono.hpp>
#include <weft/engine/run_event.hpp>
#include <weft/engine/run_options.hpp>
#include <weft/facade/ensemble/ensemble_agent.hpp>
#include <weft/facade/ensemble/ensemble_result.hpp>
#include <weft/facade/ensemble/ensemble_task.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/graph_builder.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

class ensemble_loop;

/** What the condition of an edge sees. */
struct ensemble_routing_context {
    std::string_view current_state;
    const ensemble_output& last_output;   ///< Of the state that has just completed.
    std::uint32_t step_number;            ///< From 1.
    const ensemble_history& history;      ///< With this step.

    /** What a state gave on each of its visits. */
    [[nodiscard]] std::vector<ensemble_output> outputs_of(std::string_view state) const;
};

/** Decides whether an edge is taken; what it throws ends the run and reaches the coroutine that awaits it. */
using ensemble_predicate = std::function<bool(const ensemble_routing_context&)>;

/** Tells that a state has completed and where the run goes on. */
struct ensemble_state_completed {
    std::string graph_name;
    std::string state_name;
    std::uint32_t step_number = 0;
    std::uint32_t max_steps = 0;
    ensemble_output output;
    std::string next_state;               ///< Several names, joined by ", ", at a fan-out.
    std::chrono::nanoseconds step_duration{0};
};

/** What to run an ensemble with.
 *
 *      weft::ensemble_request request;
 *      request.inputs({{"topic", "rivers"}}).stop(token);
 */
class ensemble_request {
public:
    ensemble_request() {}

    /** Values of the variables in task descriptions. */
    ensemble_request& inputs(ensemble_inputs values) { inputs_ = std::move(values); return *this; }
    /** Called on the run's loop after every step. What it throws is swallowed. */
    ensemble_request& on_state_completed(std::function<void(const ensemble_state_completed&)> listener)
    {
        listeners_.push_back(std::move(listener));
        return *this;
    }
    /** Limits beside the graph's `max_steps`, the decider of `edge_llm`, `on_save`. */
    ensemble_request& options(run_options limits) { options_ = std::move(limits); return *this; }
    /** Goes on from a frontier kept by `run_options::on_save`, or from `ensemble_result::paused_at`. */
    ensemble_request& resume(std::shared_ptr<const frontier> from)
    {
        from_ = std::move(from);
        return *this;
    }
    /** Answers to the questions of a paused run, by address; see `ensemble_result::questions`. */
    ensemble_request& answer(std::string address, boost::json::value value)
    {
        answers_.insert_or_assign(std::move(address), std::move(value));
        return *this;
    }
    /** Names the thread that the run belongs to: memory scopes are kept for each of them. */
    ensemble_request& thread(std::string name) { thread_ = std::move(name); return *this; }
    /** Called with every event of the run, on its loop, as `run_request::on_event`: for a `run_overlay_recorder` of
     *  `ensemble_graph::what`, logs, and texts of models as they come. */
    ensemble_request& on_event(std::function<void(const run_event&)> listener)
    {
        on_event_ = std::move(listener);
        return *this;
    }
    /** Cancels the run: `run` stops the task at work and throws `errc::cancelled`. */
    ensemble_request& stop(std::stop_token token) { stop_ = std::move(token); return *this; }

private:
    friend class ensemble_graph;
    friend class ensemble_run;
    ensemble_inputs inputs_;
    std::vector<std::function<void(const ensemble_state_completed&)>> listeners_;
    run_options options_;
    std::shared_ptr<const frontier> from_;
    question_answers answers_;
    std::string thread_;
    std::function<void(const run_event&)> on_event_;
    std::stop_token stop_;
};

/** AgentEnsemble's graph on weft's engine: states with tasks, edges of which the first that matches is taken, a limit
 *  of steps with its action, feedback on a further visit. It only configures a `weft::graph`.
 *
 *  @par Thread safety   From any OS thread; runs share the graph.
 *  @par Example         samples/facades.cpp [ensemble]
 */
class ensemble_graph {
public:
    static constexpr std::string_view end = "__END__";
    static constexpr std::uint32_t default_max_steps = 50;

    /** A state as it was added: it has a task, or runs a graph. */
    struct state_info {
        std::string name;
        std::shared_ptr<const ensemble_task> task;            ///< Null if the state runs a graph.
        std::shared_ptr<const ensemble_graph> inner;          ///< Null if it has a task.
        std::function<ensemble_output(const ensemble_history&)> give;  ///< How a graph's visits become one output.
        std::shared_ptr<const ensemble_agent> agent = nullptr;         ///< Does a task of words; else null.
    };
    /** An edge as it was added. Those of a state are asked in this order, and the first that matches is taken. */
    struct edge_info {
        std::string from;
        std::string to;
        ensemble_predicate predicate;     ///< Empty: always matches.
        std::string label;

        [[nodiscard]] bool is_unconditional() const noexcept { return !predicate; }
        /** `unconditional`, the label, or `predicate`. */
        [[nodiscard]] std::string_view condition_description() const noexcept;
    };
    class builder;
    struct plan;

    /** Runs from the start, or on from where the request says.
     *
     *  @return              What happened. Reaching END on the last permitted step is terminal.
     *  @par Errors
     *    - `errc::invalid_configuration`  a variable of a task has no value.
     *    - `errc::no_edge_matched`        the message lists the candidates.
     *    - `errc::steps_exceeded`         with `step_limit_action::raise`.
     *    - what a task or a predicate throws, as it was thrown.
     *
     *    On the last permitted step a routing that fails counts as the limit, not as an error.
     *  @par Cancellation    Stops the running task; then `errc::cancelled` is thrown. */
    [[nodiscard]] task<ensemble_result> run(ensemble_request request = {}) const;

    // What the builder was told, for drawings and checks.
    [[nodiscard]] const std::string& name() const noexcept;
    [[nodiscard]] const std::vector<state_info>& states() const noexcept;
    [[nodiscard]] const std::vector<edge_info>& edges() const noexcept;
    [[nodiscard]] std::vector<edge_info> outgoing_edges(std::string_view state) const;
    [[nodiscard]] const std::vector<std::string>& no_feedback_states() const noexcept;
    [[nodiscard]] const std::string& start() const noexcept;
    [[nodiscard]] std::uint32_t max_steps() const noexcept;
    [[nodiscard]] step_limit_action on_max_steps() const noexcept;
    [[nodiscard]] bool injects_feedback_on_revisit() const noexcept;
    /** The graph that is run. */
    [[nodiscard]] const weft::graph& graph() const noexcept { return graph_; }

private:
    ensemble_graph(std::shared_ptr<const plan> from, weft::graph of) : plan_{std::move(from)}, graph_{std::move(of)} {}

    std::shared_ptr<const plan> plan_;
    weft::graph graph_;
};

/** What a builder was told. */
struct ensemble_graph::plan {
    struct decision {
        std::string from;
        std::vector<std::string> targets;
        llm_options options;
    };
    struct fan_out {
        std::string from;
        std::vector<std::string> targets;
        fan_out_options options;
    };

    std::string name;
    std::vector<state_info> states;
    std::vector<edge_info> edges;
    std::vector<decision> decisions;
    std::vector<fan_out> fan_outs;
    std::vector<std::string> no_feedback;
    std::string start;
    std::int64_t max_steps = default_max_steps;
    step_limit_action on_max_steps = step_limit_action::return_last;
    bool injects_feedback = true;
    ensemble_task_context::window_function window;  ///< Of the history that tasks see; empty: all.
    ensemble_synthesis agents;                      ///< Of tasks of words; empty: these are refused.
};

}  // namespace weft

#include <weft/facade/ensemble/ensemble_graph_builder.hpp>
