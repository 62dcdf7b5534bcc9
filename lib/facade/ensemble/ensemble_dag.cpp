#include <weft/facade/ensemble/ensemble_dag.hpp>

#include <map>
#include <string>
#include <utility>

namespace weft {

namespace {

/** What a state is as a task; empty parts are told by the graph itself. */
drawn_task drawn_task_of(const ensemble_graph::state_info& state, const ensemble_inputs& inputs)
{
    drawn_task drawn;
    if (!state.task) return drawn;
    drawn.description = resolve_known_variables(state.task->description, inputs);
    drawn.expected_output = resolve_known_variables(state.task->expected_output, inputs);
    drawn.role = !state.task->role.empty() ? state.task->role : state.agent ? "(synthesized)" : "(deterministic)";
    return drawn;
}

}  // namespace

drawing_options drawing_of(const ensemble_graph& of, const ensemble_inputs& inputs)
{
    std::map<std::string, drawn_task, std::less<>> tasks;
    for (const ensemble_graph::state_info& state : of.states())
        tasks.emplace(state.name, drawn_task_of(state, inputs));
    return {.tasks = std::move(tasks)};
}

drawing_options drawing_of(const ensemble_graph& of, const ensemble_result& ran)
{
    drawing_options options = drawing_of(of, ran.inputs);
    options.overlay = ran.overlay;
    return options;
}

boost::json::object to_dag_json(const ensemble_graph& of, const ensemble_inputs& inputs)
{
    return to_dag_json(of.graph(), drawing_of(of, inputs));
}

boost::json::object to_dag_json(const ensemble_graph& of, const ensemble_result& ran)
{
    return to_dag_json(of.graph(), drawing_of(of, ran));
}

}  // namespace weft
