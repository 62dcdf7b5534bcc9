#include <weft/agent/agent_graph.hpp>

#include "agent/guard/guard_checks.hpp"
#include "agent_definition.hpp"

#include <weft/agent/prompt/prompt_layers.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/model/chat/token_estimate.hpp>
#include <weft/model/decorator/budgeted_model.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

prompt_section agent_surrounding(std::string_view id, const std::string& text)
{
    prompt_section section;
    section.id = id;
    section.text = text;
    section.source = "agent " + section.id;
    section.phase = prompt_phase::constraint;
    section.is_sticky = true;
    return section;
}

std::shared_ptr<agent_detail::agent_definition> define_agent(agent_options options)
{
    if (!options.model) throw error{errc::invalid_configuration, "agent_graph", "it has no model: give it one"};
    agent_detail::require_sound(options.guards, "agent_graph");
    auto definition = std::make_shared<agent_detail::agent_definition>();
    definition->model = std::make_shared<budgeted_model>(options.model);
    definition->summary_model = options.summary_model ? options.summary_model : options.model;
    if (options.tools && !options.tools->empty()) {
        definition->runner.emplace(options.tools, options.tool_options);
        chat_request only_tools;
        for (tool_spec& tool : options.tools->specs()) only_tools.tool(std::move(tool));
        definition->tools_estimate = estimate_input(only_tools);
        definition->tools = std::move(only_tools.tools);
    }
    if (!options.prompt.tells_time) definition->prompt = agent_detail::agent_prompt_text(options.prompt);
    definition->options = std::move(options);
    return definition;
}

}  // namespace

std::string agent_detail::agent_prompt_text(const agent_prompt& from, std::optional<std::chrono::sys_seconds> minute)
{
    prompt_layers layers;
    layers.identity = from.base;
    layers.surroundings.push_back(agent_surrounding("channel", from.channel));
    layers.surroundings.push_back(agent_surrounding("directive", from.directive));
    layers.preamble = completion_instructions();
    layers.notice = from.surroundings;
    layers.now = minute;
    return compose(layers).text;
}

summary_rules agent_options::agent_summary_rules()
{
    summary_rules rules;
    rules.attempts_max = 2;
    rules.timeout = std::chrono::seconds{20};
    return rules;
}

graph agent_graph(agent_options options)
{
    graph_builder builder{options.name};
    agent_detail::add_agent_nodes(builder, std::move(options));
    return builder.build();
}

void agent_detail::add_agent_nodes(graph_builder& builder, agent_options options, std::vector<labelled_target> ways)
{
    const std::shared_ptr<agent_definition> made = define_agent(std::move(options));
    made->runs_workflows = !ways.empty();
    const std::shared_ptr<const agent_definition> definition = made;
    ways.insert(ways.begin(), {{"again", "agent"}, {"end", std::string{end}}});
    builder.state(agent_keys::input, agent_keys::conversation, agent_keys::input_times, agent_keys::diagnostics,
                  agent_keys::status, agent_keys::estimator, agent_keys::workflow_running, agent_keys::last_view);
    node_options handles_input;
    handles_input.description = "Looks at what somebody says and adds it to the talk.";
    node_options works;
    works.description = "Asks the model, with its tools, until it says how it stands.";
    // A visit has up to `calls_max` calls of the model and their tools, each with a limit of its own.
    works.timeout = std::chrono::hours{1};
    builder
        .node(
            "input_handler", [definition](node_context& node) { handle_input(*definition, node); },
            std::move(handles_input))
        .node("agent", [definition](node_context& node) { return work_as_agent(definition, node); }, std::move(works))
        .edge(start, "input_handler")
        .edge("input_handler", "agent")
        .edge_label("agent", std::move(ways))
        .in_a_row_max(agent_visits_max, step_limit_action::return_with_flag);
}

run_options agent_run_options()
{
    run_options limits;
    limits.in_a_row_max(agent_detail::agent_visits_max).at_limit(step_limit_action::return_with_flag);
    return limits;
}

subgraph agent_inside(graph agent)
{
    return subgraph{.graph = std::move(agent),
                    .shares_keys = false,
                    .steps_max = 1 + agent_detail::agent_visits_max,  // the input handler is the one
                    .at_limit = step_limit_action::return_with_flag};
}

}  // namespace weft
