#include <weft/agent/playbook_graph.hpp>

#include "playbook_steps.hpp"

#include <weft/base/error.hpp>
#include <weft/engine/engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/model/budgeted_model.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

using playbook_stack = std::vector<std::string>;

graph make_playbook_graph(const playbook_definition& of, const playbook_options& options, playbook_stack stack);

/** What a playbook needs of the program and does not find. */
void check_playbook_surroundings(const playbook_definition& of, const playbook_options& options,
                                 const playbook_stack& stack, std::vector<playbook_mistake>& mistakes)
{
    const tool_set* const tools = options.agent.tools.get();
    for (std::size_t i = 0; i < of.nodes.size(); ++i) {
        const playbook_node& node = of.nodes[i];
        const std::string path = "$.nodes[" + std::to_string(i) + "]";
        const bool asks = node.subtype == "agent" || node.subtype == "router" ||
                          (node.subtype == "loop" && node.condition_mode == "llm");
        if (asks && !options.agent.model) mistakes.push_back({path, "needs a model: give the playbook one"});
        if (node.subtype == "tool-call" && (!tools || !tools->find(node.tool)))
            mistakes.push_back({path + ".tool", (tools ? *tools : tool_set{}).explain_unknown(node.tool)});
        if (node.subtype != "sub-workflow" && node.subtype != "transfer") continue;
        if (!options.library || options.library->find(node.workflow) == options.library->end())
            mistakes.push_back({path + ".workflow", "there is no playbook '" + node.workflow + "' in the library"});
        if (node.subtype != "sub-workflow") continue;
        if (std::find(stack.begin(), stack.end(), node.workflow) != stack.end())
            mistakes.push_back({path + ".workflow", "'" + node.workflow + "' comes back to itself: use a transfer"});
        else if (stack.size() > options.depth_max)
            mistakes.push_back({path + ".workflow", "is nested too deep: at most " + std::to_string(options.depth_max)});
    }
}

std::shared_ptr<const agent_detail::playbook_parts> playbook_parts_of(const playbook_definition& of,
                                                                      const playbook_options& options)
{
    auto parts = std::make_shared<agent_detail::playbook_parts>();
    parts->of = of;
    parts->options = options;
    agent_options agent = options.agent;
    agent.is_sub_agent = true;
    if (agent.model) {
        parts->model = std::make_shared<budgeted_model>(agent.model);
        parts->agent.emplace(agent_graph(agent));
    }
    parts->runner.emplace(agent.tools ? agent.tools : std::make_shared<const tool_set>(), agent.tool_options);
    return parts;
}

node_options playbook_node_options(const playbook_node& node, const watchdog_limits& watch)
{
    node_options how;
    how.description = node.name();
    const double unit = node.unit == "hours" ? 3600 : node.unit == "minutes" ? 60 : 1;
    how.timeout = watch.elapsed_max + std::chrono::minutes{1};
    if (node.subtype == "wait")
        how.timeout += std::chrono::milliseconds{static_cast<std::int64_t>(node.amount * unit * 1000)};
    how.faces_client = node.subtype == "user-input";
    return how;
}

/** The ways out of a node that has them by name: those that lead nowhere end. */
std::vector<labelled_target> labelled_ways(const playbook_definition& of, const playbook_node& node)
{
    std::vector<labelled_target> ways;
    if (node.subtype == "condition") ways = {{"condition-true", ""}, {"condition-false", ""}};
    else if (node.subtype == "loop") ways = {{"loop-body", ""}, {"loop-exit", ""}};
    else if (node.subtype == "router")
        for (std::size_t i = 0; i < node.routes.size(); ++i) ways.push_back({"route-" + std::to_string(i), ""});
    for (labelled_target& way : ways) {
        way.target = end;
        for (const playbook_edge& edge : of.edges)
            if (edge.source == node.id && edge.handle == way.label) way.target = edge.target;
    }
    return ways;
}

void add_playbook_edges(graph_builder& builder, const playbook_definition& of, const playbook_node& node)
{
    if (node.subtype == "trigger") builder.edge(start, node.id);
    std::vector<labelled_target> ways = labelled_ways(of, node);
    if (!ways.empty()) {
        builder.edge_label(node.id, std::move(ways));
        return;
    }
    std::size_t count = 0;
    for (const playbook_edge& edge : of.edges) {
        if (edge.source != node.id) continue;
        builder.edge(node.id, edge.target);
        ++count;
    }
    if (count == 0) builder.edge(node.id, end);
    if (count < 2) return;
    fan_out_options settles;
    settles.on_failure =
        node.strategy == "first" ? branch_policy::first_success : branch_policy::continue_others;
    builder.fan_out(node.id, settles);
}

graph make_playbook_graph(const playbook_definition& of, const playbook_options& options, playbook_stack stack)
{
    std::vector<playbook_mistake> mistakes = mistakes_of(of);
    stack.push_back(of.name);
    check_playbook_surroundings(of, options, stack, mistakes);
    if (!mistakes.empty()) throw playbook_error{of.name, std::move(mistakes)};
    const std::shared_ptr<const agent_detail::playbook_parts> parts = playbook_parts_of(of, options);
    graph_builder builder{of.name};
    builder.state(playbook_keys::trigger, playbook_keys::outputs, playbook_keys::loops, playbook_keys::response,
                  playbook_keys::transfer);
    for (std::size_t i = 0; i < of.nodes.size(); ++i) {
        const playbook_node& node = of.nodes[i];
        node_options how = playbook_node_options(node, options.watch);
        if (node.subtype == "sub-workflow") {
            graph inner = make_playbook_graph(options.library->find(node.workflow)->second, options, stack);
            builder.node(node.id, agent_detail::playbook_inside(parts, i, std::move(inner)), std::move(how));
        } else {
            builder.node(node.id, agent_detail::playbook_step{parts, i}, std::move(how));
        }
        add_playbook_edges(builder, of, node);
    }
    return builder.build();
}

playbook_event named_event(std::string_view name, const run_event& event)
{
    playbook_event told;
    told.name = name;
    told.node = event.address.empty() ? std::string{event.node} : event.address + "/" + std::string{event.node};
    told.text = event.text;
    return told;
}

}  // namespace

graph playbook_graph(const playbook_definition& of, const playbook_options& options)
{
    return make_playbook_graph(of, options, {});
}

task<playbook_result> run_playbook(std::string name, boost::json::value payload, playbook_options options,
                                   std::string thread)
{
    playbook_result result;
    for (;;) {
        const auto found = options.library ? options.library->find(name) : playbook_library::const_iterator{};
        if (!options.library || found == options.library->end())
            throw error{errc::unknown_node, "playbook '" + name + "'", "there is none of that name in the library"};
        const engine runs{playbook_graph(found->second, options)};
        run_request request{thread};
        std::move(request).input(playbook_keys::trigger, std::move(payload));
        result.workflows.push_back(name);
        run_result last = co_await runs.run(std::move(request));
        result.last = std::move(last);
        if (result.last.status != run_status::finished) co_return result;
        const playbook_transfer* const to = result.last.state.find(playbook_keys::transfer);
        if (!to || to->workflow.empty()) co_return result;
        if (result.workflows.size() > options.transfers_max)
            throw error{errc::limit_reached, "playbook '" + name + "'",
                        "more than " + std::to_string(options.transfers_max) + " transfers: do they go round?"};
        payload = boost::json::string_view{to->payload};
        name = to->workflow;
    }
}

std::optional<playbook_event> playbook_event_of(const run_event& event)
{
    using kind = run_event::kind;
    switch (event.what) {
    case kind::run_started: return named_event("workflow_started", event);
    case kind::run_finished:
        return named_event(event.text == "finished" ? "workflow_completed" : "workflow_failed", event);
    case kind::node_started: return named_event("node_started", event);
    case kind::node_succeeded: return named_event("node_completed", event);
    case kind::node_failed: return named_event("node_failed", event);
    case kind::question_asked: return named_event("node_waiting", event);
    case kind::edge_taken: return named_event("edge_activated", event);
    default: return std::nullopt;
    }
}

std::string_view playbook_loop_end(const playbook_loop& loop, std::int64_t max_iterations, bool has_body,
                                   bool holds) noexcept
{
    if (!has_body) return "no_body_connected";
    if (holds) return "condition_met";
    return loop.iterations >= max_iterations ? "max_iterations" : "";
}

}  // namespace weft
