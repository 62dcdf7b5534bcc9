#include <weft/agent/playbook/playbook_graph.hpp>

#include "agent/text/names.hpp"
#include "playbook_agent.hpp"
#include "playbook_steps.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/model/decorator/budgeted_model.hpp>

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
        if (node.asks_model() && !options.agent.model)
            mistakes.push_back({path, "needs a model: give the playbook one"});
        if (node.calls_tool() && (!tools || !tools->find(node.tool)))
            mistakes.push_back({path + ".tool", (tools ? *tools : tool_set{}).explain_unknown(node.tool)});
        if (!node.is(playbook_subtype::sub_workflow) && !node.is(playbook_subtype::transfer)) continue;
        if (!options.library || options.library->find(node.workflow) == options.library->end())
            mistakes.push_back({path + ".workflow", "there is no playbook '" + node.workflow + "' in the library"});
        if (!node.is(playbook_subtype::sub_workflow)) continue;
        if (agent_detail::contains(stack, node.workflow))
            mistakes.push_back({path + ".workflow", "'" + node.workflow + "' comes back to itself: use a transfer"});
        else if (stack.size() > options.depth_max)
            mistakes.push_back(
                {path + ".workflow", "is nested too deep: at most " + std::to_string(options.depth_max)});
    }
}

std::shared_ptr<const agent_detail::compiled_playbook> compile_playbook(const playbook_definition& of,
                                                                      const playbook_options& options)
{
    auto playbook = std::make_shared<agent_detail::compiled_playbook>();
    playbook->of = of;
    playbook->options = options;
    agent_options agent = options.agent;
    agent.is_sub_agent = true;
    agent.watch = options.watch;
    if (agent.model) {
        playbook->model = std::make_shared<budgeted_model>(agent.model);
        playbook->agent.emplace(agent_graph(agent));
    }
    playbook->runner.emplace(agent.tools ? agent.tools : std::make_shared<const tool_set>(), agent.tool_options);
    return playbook;
}

node_options playbook_node_options(const playbook_node& node, const watchdog_limits& watch)
{
    constexpr std::chrono::minutes spare{1};  // so that what is inside ends first, and says why
    node_options how;
    how.description = node.name();
    // The watchdog inside ends first, and its error says what was silent.
    how.timeout = watch.elapsed_max + spare;
    if (node.is(playbook_subtype::agent)) how.timeout += 2 * watch.orchestrator_max;
    if (node.is(playbook_subtype::wait)) how.timeout += node.span().value_or(spare);
    // Its nodes have limits of their own.
    if (node.is(playbook_subtype::sub_workflow)) how.timeout = std::chrono::hours{24 * 365};
    how.faces_client = node.is(playbook_subtype::user_input);
    return how;
}

void add_playbook_node(graph_builder& builder, const std::shared_ptr<const agent_detail::compiled_playbook>& playbook,
                       std::size_t index, const playbook_stack& stack)
{
    const playbook_node& node = playbook->of.nodes[index];
    node_options how = playbook_node_options(node, playbook->options.watch);
    if (node.is(playbook_subtype::sub_workflow)) {
        const playbook_definition& other = playbook->options.library->find(node.workflow)->second;
        graph inner = make_playbook_graph(other, playbook->options, stack);
        builder.node(node.id, agent_detail::playbook_inside(playbook, index, std::move(inner)), std::move(how));
    } else if (node.is(playbook_subtype::agent)) {
        builder.node(node.id, agent_detail::playbook_agent(playbook, index), std::move(how));
    } else {
        const bool is_loop = node.is(playbook_subtype::loop);
        const auto work = is_loop ? agent_detail::do_playbook_loop : agent_detail::do_playbook_step;
        builder.node(
            node.id, [work, playbook, index](node_context& at) { return work(playbook, index, at); }, std::move(how));
    }
}

/** The ways out of a node that has them by name: those that lead nowhere end. */
std::vector<labelled_target> labelled_ways(const playbook_definition& of, const playbook_node& node)
{
    std::vector<labelled_target> ways;
    for (std::string& handle : node.handles()) {
        labelled_target& way = ways.emplace_back(labelled_target{std::move(handle), std::string{end}});
        for (const playbook_edge& edge : of.edges)
            if (edge.source == node.id && edge.handle == way.label) way.target = edge.target;
    }
    return ways;
}

void add_playbook_edges(graph_builder& builder, const playbook_definition& of, const playbook_node& node)
{
    if (node.is(playbook_subtype::trigger)) builder.edge(start, node.id);
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
    // Two plain edges are a fork; one that fails must not end the others, unless the first success is wanted.
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
    const std::shared_ptr<const agent_detail::compiled_playbook> playbook = compile_playbook(of, options);
    graph_builder builder{of.name};
    builder.state(playbook_keys::trigger, playbook_keys::outputs, playbook_keys::loops, playbook_keys::response,
                  playbook_keys::transfer, playbook_keys::conversation);
    for (std::size_t i = 0; i < of.nodes.size(); ++i) {
        add_playbook_node(builder, playbook, i, stack);
        add_playbook_edges(builder, of, of.nodes[i]);
    }
    return builder.build();
}

}  // namespace

graph playbook_graph(const playbook_definition& of, const playbook_options& options)
{
    return make_playbook_graph(of, options, {});
}

std::string_view playbook_loop_end(const playbook_loop& loop, std::int64_t max_iterations, bool has_body,
                                   bool holds) noexcept
{
    if (!has_body) return "no_body_connected";
    if (holds) return "condition_met";
    return loop.iterations >= max_iterations ? "max_iterations" : "";
}

template struct compiled_value<playbook_transfer>;
template struct compiled_key<playbook_transfer>;

}  // namespace weft
