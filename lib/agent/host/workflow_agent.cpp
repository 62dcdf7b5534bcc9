#include <weft/agent/host/workflow_agent.hpp>

#include "agent/chat_agent/agent_definition.hpp"
#include "agent/guard/guard_checks.hpp"
#include "agent/playbook/playbook_steps.hpp"
#include "agent/prompt/object_schema.hpp"
#include "agent/text/key_text.hpp"

#include <weft/agent/chat_agent/agent_state.hpp>
#include <weft/agent/conversation/agent_labels.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace weft {

namespace {

constexpr std::string_view start_tool = "start_workflow";
constexpr std::size_t result_bytes_max = 30'000;

boost::json::object start_schema(const playbook_library& library)
{
    std::vector<std::string> names;
    for (const auto& [name, playbook] : library) names.push_back(name);
    return agent_detail::object_schema({{"workflow", agent_detail::one_of_schema(names)},
                                        {"input", agent_detail::text_schema("What the workflow is started with.")}});
}

tool_result start_of(const boost::json::object& arguments)
{
    agent_workflow wanted;
    wanted.name = peek_text(arguments, "workflow");
    wanted.input = peek_text(arguments, "input");
    std::string text = "The workflow '" + wanted.name +
                       "' begins when you end this turn, and its result is told to you. Do not do its work yourself.";
    return tool_result::text(std::move(text)).set(agent_keys::workflows, std::move(wanted));
}

/** The agent's own tools and the one that starts a workflow. */
std::shared_ptr<const tool_set> tools_with_start(const agent_options& agent, const playbook_library& library)
{
    std::string words = "Starts a workflow. There are:";
    for (const auto& [name, playbook] : library)
        words.append("\n- ").append(name).append(playbook.description.empty() ? "" : ": ").append(playbook.description);
    tool_set tools = agent.tools ? *agent.tools : tool_set{};
    tools.add(std::string{start_tool}, std::move(words), start_schema(library),
              [](const boost::json::object& arguments) { return start_of(arguments); });
    return std::make_shared<const tool_set>(std::move(tools));
}

/** What the first of the workflows that wait begins with. */
state_update first_values_of_workflow(const node_context& outer, std::uint32_t workflows_max)
{
    if (outer.visit() > workflows_max)
        throw error{errc::limit_reached, "node '" + std::string{outer.node()} + "'",
                    "more than " + std::to_string(workflows_max) +
                        " workflows in one turn: does the agent repeat them?"};
    const agent_workflow& next = outer.get(agent_keys::workflows).front();
    playbook_transfer to;
    to.workflow = next.name;
    to.payload = next.input;
    state_update first;
    first.set(playbook_keys::transfer, std::move(to));
    if (const conversation* const history = outer.find(agent_keys::conversation))
        first.set(playbook_keys::conversation, *history);
    return first;
}

std::string text_of_workflow(const state& left)
{
    if (const std::string* const said = left.find(playbook_keys::response); said && !said->empty()) return *said;
    std::string text;
    const boost::json::object* const outputs = left.find(playbook_keys::outputs);
    if (!outputs) return "It has no result.";
    for (const auto& one : *outputs) {
        const boost::json::value* const result = one.value().as_object().if_contains("result");
        if (!result || result->is_null()) continue;
        text.append(text.empty() ? "- " : "\n- ").append(std::string_view{one.key()}).append(": ");
        text += agent_detail::readable_text(*result);
    }
    return text;
}

command take_workflow(const state& left, node_context& outer)
{
    std::vector<agent_workflow> waiting = outer.get(agent_keys::workflows);
    waiting.front().result = agent_detail::shortened(text_of_workflow(left), result_bytes_max);
    outer.overwrite(agent_keys::workflows, std::move(waiting));
    return command::next();
}

/** Tells the agent what has become of the first of the workflows that wait, and takes it out. */
command end_workflow(node_context& node, std::uint32_t workflows_max)
{
    agent_detail::refuse_trip(node);
    const failure* const why = node.previous_failure();
    std::vector<agent_workflow> waiting = node.get(agent_keys::workflows);
    const agent_workflow ended = std::move(waiting.front());
    waiting.erase(waiting.begin());
    const std::string text = "[Workflow '" + ended.name + (why ? "' failed]\n" : "' completed]\n") +
                             (why ? agent_detail::shortened(why->message, result_bytes_max) : ended.result);
    node.emit(why ? "workflow_failed" : "workflow_completed", ended.name);
    conversation::options how;
    how.label = agent_labels::workflow;
    conversation history = node.value_or(agent_keys::conversation, {});
    node.set(agent_keys::conversation, history.add(message::system(text),
                                        agent_detail::provenance_at(node, message_author::program), std::move(how)));
    if (node.visit() > workflows_max) {
        agent_status status = node.value_or(agent_keys::status, {});
        status.stop = agent_stop::max_loops;
        node.set(agent_keys::status, std::move(status));
        waiting.clear();
        node.overwrite(agent_keys::workflows, std::move(waiting));
        return command::label("end");
    }
    const bool has_more = !waiting.empty();
    node.overwrite(agent_keys::workflows, std::move(waiting));
    return command::label(has_more ? "workflow" : "agent");
}

void add_workflow(graph_builder& builder, const playbook_options& playbooks, std::uint32_t workflows_max)
{
    node_options runs;
    runs.description = "The workflow that the agent has started.";
    runs.timeout = std::chrono::hours{24 * 365};  // its nodes have limits of their own
    const auto first = [workflows_max](const node_context& outer) {
        return first_values_of_workflow(outer, workflows_max);
    };
    node_options tells;
    tells.description = "Tells the agent what became of the workflow.";
    const auto end_it = [workflows_max](node_context& node) { return end_workflow(node, workflows_max); };
    builder
        .node("workflow",
              subgraph{.graph = agent_detail::playbook_library_graph(playbooks),
                       .shares_keys = false,
                       .make_inputs = first,
                       .take_outputs = take_workflow,
                       .steps_max = agent_detail::playbook_steps_max},
              std::move(runs))
        .node("workflow_end", end_it, std::move(tells))
        .edge("workflow", "workflow_end")
        .edge_on_failure("workflow", "workflow_end")
        .edge_label("workflow_end", {{"agent", "agent"}, {"workflow", "workflow"}, {"end", std::string{end}}});
}

}  // namespace

graph workflow_agent_graph(workflow_agent_options options)
{
    const playbook_library* const library = options.workflows.library.get();
    if (!library || library->empty())
        throw error{errc::invalid_configuration, "workflow_agent_graph", "it has no workflows: give it a library"};
    options.agent.tools = tools_with_start(options.agent, *library);
    graph_builder builder{options.agent.name};
    agent_detail::add_agent_nodes(builder, std::move(options.agent), {{"workflow", "workflow"}});
    builder.state(agent_keys::workflows);
    add_workflow(builder, options.workflows, options.workflows_max);
    return builder.build();
}

subgraph workflow_agent_inside(graph agent, std::uint32_t workflows_max)
{
    const std::uint32_t of_one = agent_detail::agent_visits_max + 2;  // the workflow, its end, and the agent behind it
    subgraph inside = agent_inside(std::move(agent));
    inside.steps_max = 1 + of_one * (workflows_max + 1);
    return inside;
}

}  // namespace weft
