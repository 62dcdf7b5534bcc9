#pragma once

#include <weft/facade/ensemble_graph.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/** Which outputs of a loop are its result. */
enum class loop_output { last_iteration, final_task_only, all_iterations };

/** What the tasks of a loop see of its earlier outputs. */
class loop_memory {
public:
    [[nodiscard]] static loop_memory accumulate() { return loop_memory{0}; }
    /** Only what this iteration has brought so far. */
    [[nodiscard]] static loop_memory fresh_per_iteration() { return loop_memory{1}; }
    /** This iteration and those before it, `iterations` together; at least 1. */
    [[nodiscard]] static loop_memory window(std::uint32_t iterations)
    {
        return loop_memory{iterations == 0 ? 1 : iterations};
    }
    /** 0: all. */
    [[nodiscard]] std::uint32_t iterations() const noexcept { return iterations_; }

private:
    explicit loop_memory(std::uint32_t iterations) noexcept : iterations_{iterations} {}
    std::uint32_t iterations_;
};

/** What became of a loop. */
struct loop_result {
    std::uint32_t iterations_run = 0;         ///< Complete ones.
    std::string termination_reason;           ///< `predicate` or `maxIterations`.
    bool was_terminated_by_max_iterations = false;  ///< Told for `step_limit_action::return_with_flag` only.
    std::vector<ensemble_visit> outputs;      ///< What the output mode keeps, in order.
    std::vector<ensemble_visit> history;      ///< All of it.
};

/** A body of tasks that is repeated until a condition holds, a bounded number of times. An `ensemble_graph` whose last
 *  state leads back to the first; a state of a graph may be a loop.
 *
 *  @par Thread safety   From any OS thread; runs share the loop.
 */
class ensemble_loop {
public:
    static constexpr std::uint32_t default_max_iterations = 5;
    class builder;

    /** @param request   As for `ensemble_graph::run`.
     *  @par Errors  As for `ensemble_graph::run`. */
    [[nodiscard]] task<loop_result> run(ensemble_request request = {}) const;
    /** What the output mode keeps of a history. */
    [[nodiscard]] std::vector<ensemble_visit> settled_visits(const ensemble_history& history) const;
    /** The same as one output: the texts behind each other, with a blank line between; a single one as it is. */
    [[nodiscard]] ensemble_output as_one(const ensemble_history& history) const;
    [[nodiscard]] const ensemble_graph& graph() const noexcept { return graph_; }

private:
    ensemble_loop(ensemble_graph graph, loop_output outputs) : graph_{std::move(graph)}, outputs_{outputs} {}

    ensemble_graph graph_;
    loop_output outputs_;
};

/** Describes a loop. */
class ensemble_loop::builder {
public:
    builder& name(std::string name) { name_ = std::move(name); return *this; }
    /** The next task of the body. */
    builder& task(std::string name, ensemble_task task);
    builder& max_iterations(std::int64_t count) { max_iterations_ = count; return *this; }
    /** Looked at after each iteration; if it holds, the loop is over. */
    builder& until(ensemble_predicate holds) { until_ = std::move(holds); return *this; }
    builder& output_mode(loop_output mode) { outputs_ = mode; return *this; }
    /** `return_last`, `raise` or `return_with_flag`. */
    builder& on_max_iterations(step_limit_action action) { action_ = action; return *this; }
    builder& memory_mode(loop_memory mode) { memory_ = mode; return *this; }
    builder& inject_feedback(bool is_on) { injects_feedback_ = is_on; return *this; }

    /** @par Errors  `graph_error`: no name, an empty body, a name twice, `maxIterations` below 1. */
    [[nodiscard]] ensemble_loop build() const;

private:
    std::string name_;
    std::vector<std::pair<std::string, std::shared_ptr<const ensemble_task>>> body_;
    std::int64_t max_iterations_ = default_max_iterations;
    ensemble_predicate until_;
    loop_output outputs_ = loop_output::last_iteration;
    step_limit_action action_ = step_limit_action::return_last;
    loop_memory memory_ = loop_memory::accumulate();
    bool injects_feedback_ = true;
};

}  // namespace weft
