#include "ensemble_checks.hpp"

#include <weft/facade/ensemble_loop.hpp>

#include <weft/base/error.hpp>

#include <algorithm>
#include <chrono>
#include <set>

namespace weft {

namespace {

using plan = ensemble_graph::plan;

task<void> run_state(node_context& node, const ensemble_graph::state_info& state,
                     const ensemble_task_context::window_function& window)
{
    ensemble_task_context context{node, {state.task->description, state.task->expected_output}, window};
    ensemble_output output = co_await state.task->work(context);
    const boost::json::value json = to_json(output);
    node.emit(engine_detail::ensemble_output_label, boost::json::serialize(json));
    node.set(ensemble_history_key, ensemble_visit{state.name, std::move(output)});
}

/** Gives the node a graph with a history of its own; the variables are the same. */
subgraph nested(const ensemble_graph::state_info& state)
{
    const auto give_inputs = [](const node_context& outer) {
        state_update first;
        if (const ensemble_inputs* inputs = outer.find(ensemble_inputs_key)) first.set(ensemble_inputs_key, *inputs);
        return first;
    };
    const auto take_output = [name = state.name, give = state.give](const weft::state& inner, node_context& outer) {
        const ensemble_history* visits = inner.find(ensemble_history_key);
        ensemble_output output = visits ? give(*visits) : ensemble_output{};
        outer.emit(engine_detail::ensemble_output_label, boost::json::serialize(to_json(output)));
        outer.set(ensemble_history_key, ensemble_visit{name, std::move(output)});
        return command::next();
    };
    // A flag of an inner graph has no place in the output of a state: its last output stands for it.
    const step_limit_action action = state.inner->on_max_steps();
    const bool is_flag = action == step_limit_action::return_with_flag;
    // Its history is its own: of the outer one it would see visits of states that it does not have.
    return subgraph{.graph = state.inner->graph(),
                    .shares_keys = false,
                    .make_inputs = give_inputs,
                    .take_outputs = take_output,
                    .steps_max = state.inner->max_steps(),
                    .at_limit = is_flag ? step_limit_action::return_last : action};
}

/** Gives the node the agent that does its task. */
subgraph of_agent(const ensemble_graph::state_info& state, const ensemble_task_view::window_function& window)
{
    const auto give_prompt = [task = state.task, window](const node_context& outer) {
        const ensemble_task_view view{outer, {task->description, task->expected_output}, window};
        state_update first;
        first.set(ensemble_agent_keys::prompt, view.prompt_with_context());
        return first;
    };
    const auto take_output = [name = state.name](const weft::state& inner, node_context& outer) {
        ensemble_output output = inner.get(ensemble_agent_keys::output);
        outer.emit(engine_detail::ensemble_output_label, boost::json::serialize(to_json(output)));
        outer.set(ensemble_history_key, ensemble_visit{name, std::move(output)});
        return command::next();
    };
    // What the agent is to know stands in its prompt, which has the window of the history that was asked for.
    return subgraph{.graph = state.agent->what,
                    .shares_keys = false,
                    .make_inputs = give_prompt,
                    .take_outputs = take_output,
                    .steps_max = state.agent->steps_max};
}

/** Makes agents of the tasks of words. @return   Why there is none, by state. */
engine_detail::missing_agents synthesise(plan& of)
{
    engine_detail::missing_agents missing;
    if (!of.agents) return missing;
    for (auto& state : of.states) {
        if (!state.task || state.task->work || engine_detail::is_blank(state.task->description)) continue;
        try {
            state.agent = std::make_shared<const ensemble_agent>(of.agents(state.name, *state.task));
        } catch (const error& e) {
            // Kept until `build` has found all other mistakes, which are reported together.
            missing.emplace(state.name, e.detail());
        }
    }
    return missing;
}

edge_predicate condition_of(const ensemble_graph::edge_info& edge)
{
    return [predicate = edge.predicate, from = edge.from](const state_view& state) {
        const ensemble_history& history = state.get(ensemble_history_key);
        const auto step = static_cast<std::uint32_t>(history.size());
        return predicate({from, history.back().output, step, history});
    };
}

// Each system has a name of its own for the end.
std::string_view target_name(std::string_view name) { return name == ensemble_graph::end ? weft::end : name; }

/** States that no edge leads to, which the source system allows. */
std::vector<std::string> unreachable_states(const plan& of)
{
    std::set<std::string> reached{of.start};
    const auto reach = [&reached](const std::string& from, const std::string& to) {
        return reached.contains(from) && reached.insert(to).second;
    };
    // Until nothing is added: edges stand in the order of their making, not in that of the way.
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (const auto& edge : of.edges) has_grown |= reach(edge.from, edge.to);
        for (const auto& fan_out : of.fan_outs)
            for (const std::string& target : fan_out.targets) has_grown |= reach(fan_out.from, target);
        for (const auto& decision : of.decisions) {
            for (const std::string& target : decision.targets) has_grown |= reach(decision.from, target);
            has_grown |= reach(decision.from, decision.options.fallback);
        }
    }
    std::vector<std::string> others;
    for (const auto& state : of.states)
        if (!reached.contains(state.name)) others.push_back(state.name);
    return others;
}

void add_states(graph_builder& to, const std::shared_ptr<const plan>& from)
{
    const auto has = [](const auto& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    for (const auto& state : from->states) {
        node_options options;
        options.gives_feedback = from->injects_feedback && !has(from->no_feedback, state.name);
        if (state.task) options.description = state.task->description;
        // The engine refuses states that it finds unreachable.
        if (state.name == from->start) options.goes_to = unreachable_states(*from);
        const auto forks = [&](const auto& fan_out) { return fan_out.from == state.name; };
        if (std::any_of(from->fan_outs.begin(), from->fan_outs.end(), forks)) options.routing = routing::every_match;
        if (state.agent) options.timeout = std::chrono::hours{24 * 365};  // its nodes have limits of their own
        if (state.inner)
            to.node(state.name, nested(state), std::move(options));
        else if (state.agent)
            to.node(state.name, of_agent(state, from->window), std::move(options));
        else
            to.node(state.name, [from, &state](node_context& node) { return run_state(node, state, from->window); },
                    std::move(options));
    }
}

void add_edges(graph_builder& to, const plan& from)
{
    std::set<std::string> decided;  // states with an unconditional edge: what is declared behind it is never taken
    for (const auto& edge : from.edges) {
        if (!edge.is_unconditional()) {
            to.edge_when(edge.from, target_name(edge.to), condition_of(edge), {.label = edge.label});
        } else if (decided.insert(edge.from).second) {
            to.edge(edge.from, target_name(edge.to), {.label = edge.label});
        }
    }
    for (const auto& fan_out : from.fan_outs) {
        for (const std::string& target : fan_out.targets) to.edge(fan_out.from, target_name(target));
        to.fan_out(fan_out.from, fan_out.options);
    }
    for (const auto& decision : from.decisions) {
        std::vector<std::string> targets;
        for (const std::string& target : decision.targets) targets.emplace_back(target_name(target));
        llm_options options = decision.options;
        options.fallback = target_name(options.fallback);
        to.edge_llm(decision.from, std::move(targets), std::move(options));
    }
}

}  // namespace

ensemble_graph::builder& ensemble_graph::builder::add(state_info state)
{
    if (engine_detail::is_blank(state.name)) throw graph_error{plan_.name, {"State name must be non-blank"}};
    for (const auto& other : plan_.states)
        if (other.name == state.name) throw graph_error{plan_.name, {"Duplicate state name '" + state.name + "'"}};
    plan_.states.push_back(std::move(state));
    return *this;
}

ensemble_graph::builder& ensemble_graph::builder::state(std::string name, ensemble_task task)
{
    return state(std::move(name), std::make_shared<const ensemble_task>(std::move(task)));
}

ensemble_graph::builder& ensemble_graph::builder::state(std::string name, std::shared_ptr<const ensemble_task> task)
{
    return add({std::move(name), std::move(task), nullptr, {}, nullptr});
}

ensemble_graph::builder& ensemble_graph::builder::state(std::string name, ensemble_graph inner)
{
    return add({std::move(name), nullptr, std::make_shared<const ensemble_graph>(std::move(inner)),
                [](const ensemble_history& visits) { return visits.back().output; }, nullptr});
}

ensemble_graph::builder& ensemble_graph::builder::state(std::string name, const ensemble_loop& inner)
{
    return add({std::move(name), nullptr, std::make_shared<const ensemble_graph>(inner.graph()),
                [inner](const ensemble_history& visits) { return inner.as_one(visits); }, nullptr});
}

ensemble_graph::builder& ensemble_graph::builder::state_no_feedback(std::string name, ensemble_task task)
{
    state(name, std::move(task));
    return no_feedback(std::move(name));
}

ensemble_graph::builder& ensemble_graph::builder::edge(std::string from, std::string to, ensemble_predicate predicate,
                                                       std::string label)
{
    plan_.edges.push_back({std::move(from), std::move(to), std::move(predicate), std::move(label)});
    return *this;
}

ensemble_graph::builder& ensemble_graph::builder::edge_llm(std::string from, std::vector<std::string> targets,
                                                           llm_options options)
{
    plan_.decisions.push_back({std::move(from), std::move(targets), std::move(options)});
    return *this;
}

ensemble_graph::builder& ensemble_graph::builder::fan_out(std::string from, std::vector<std::string> targets,
                                                          fan_out_options options)
{
    plan_.fan_outs.push_back({std::move(from), std::move(targets), options});
    return *this;
}

ensemble_graph ensemble_graph::builder::build() const
{
    plan complete = plan_;
    const engine_detail::missing_agents missing = synthesise(complete);
    if (auto mistakes = engine_detail::mistakes_of(complete, missing); !mistakes.empty())
        throw graph_error{plan_.name, std::move(mistakes)};
    const auto kept = std::make_shared<const plan>(std::move(complete));
    graph_builder made{kept->name};
    made.state(ensemble_history_key, ensemble_inputs_key).routing(routing::first_match);
    add_states(made, kept);
    made.edge(weft::start, kept->start);
    add_edges(made, *kept);
    return ensemble_graph{kept, made.build()};
}

}  // namespace weft
