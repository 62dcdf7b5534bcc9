#include <weft/facade/ensemble/ensemble_result.hpp>

#include <algorithm>

namespace weft {

ensemble_output ensemble_result::final_output() const
{
    return history.empty() ? ensemble_output{} : history.back().output;
}

std::map<std::string, std::vector<ensemble_output>> ensemble_result::state_outputs_by_name() const
{
    std::map<std::string, std::vector<ensemble_output>> by_name;
    for (const ensemble_step& step : history) by_name[step.state_name].push_back(step.output);
    return by_name;
}

const ensemble_output* ensemble_result::last_output_for_state(std::string_view name) const noexcept
{
    const auto found = std::find_if(history.rbegin(), history.rend(),
                                    [name](const ensemble_step& step) { return step.state_name == name; });
    return found == history.rend() ? nullptr : &found->output;
}

const ensemble_output* ensemble_result::output_of(const std::shared_ptr<const ensemble_task>& task) const noexcept
{
    const auto is_its_own = [&](const ensemble_step& step) {
        return std::any_of(tasks.begin(), tasks.end(),
                           [&](const auto& t) { return t.second == task && t.first == step.state_name; });
    };
    const auto found = std::find_if(history.rbegin(), history.rend(), is_its_own);
    return found == history.rend() ? nullptr : &found->output;
}

ensemble_trace ensemble_result::trace() const
{
    ensemble_trace trace{graph_name, start_state, termination_reason, steps_run(), max_steps, {}};
    for (const ensemble_step& step : history)
        trace.steps.push_back({step.state_name, step.step_number, step.next_state});
    return trace;
}

}  // namespace weft
