#pragma once

#include <weft/facade/ensemble_graph.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft {

class ensemble_loop;

/** Describes an ensemble. `state` refuses blank and repeated names at once; everything else is checked by `build`.
 *
 *  @par Thread safety   None.
 */
class ensemble_graph::builder {
public:
    builder& name(std::string name) { plan_.name = std::move(name); return *this; }
    /** @par Errors  `graph_error`: "State name must be non-blank", "Duplicate state name 'x'". */
    builder& state(std::string name, ensemble_task task);
    /** The same task may serve several states; `ensemble_result::output_of` finds its last output. */
    builder& state(std::string name, std::shared_ptr<const ensemble_task> task);
    /** A state whose work is a graph with a history of its own; its output is that graph's last. */
    builder& state(std::string name, ensemble_graph inner);
    /** A state whose work is a loop; its output is what the loop's output mode keeps. */
    builder& state(std::string name, const ensemble_loop& inner);
    /** A state that gets no feedback on a further visit. */
    builder& state_no_feedback(std::string name, ensemble_task task);
    builder& no_feedback(std::string name) { plan_.no_feedback.push_back(std::move(name)); return *this; }
    /** @param predicate  Empty: always matches. */
    builder& edge(std::string from, std::string to, ensemble_predicate predicate = {}, std::string label = {});
    /** A model chooses among `targets` when no condition of the state matches. */
    builder& edge_llm(std::string from, std::vector<std::string> targets, llm_options options);
    /** All `targets` run at once when no condition of the state matches; the graph finds where they meet. */
    builder& fan_out(std::string from, std::vector<std::string> targets, fan_out_options options = {});
    builder& start(std::string state) { plan_.start = std::move(state); return *this; }
    builder& start_state(std::string state) { return start(std::move(state)); }
    builder& max_steps(std::int64_t count) { plan_.max_steps = count; return *this; }
    /** `return_last`, `raise` or `return_with_flag`; `fail` is as `raise`. */
    builder& on_max_steps(step_limit_action action) { plan_.on_max_steps = action; return *this; }
    builder& inject_feedback_on_revisit(bool is_on) { plan_.injects_feedback = is_on; return *this; }
    /** How much of the history each task sees. */
    builder& window(ensemble_task_context::window_function size) { plan_.window = std::move(size); return *this; }

    /** How tasks of words become agents; see `ensemble_agents`. */
    builder& agents(ensemble_synthesis make) { plan_.agents = std::move(make); return *this; }

    /** @par Errors  `graph_error` with every mistake, in the order in which the source system checks. */
    [[nodiscard]] ensemble_graph build() const;

private:
    builder& add(state_info state);
    plan plan_;
};

}  // namespace weft
