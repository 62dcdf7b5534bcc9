#include <weft/agent/supervisor.hpp>

#include "last_request.hpp"
#include "react_loop.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/subgraph.hpp>
#include <weft/tool/remote_results.hpp>

#include <boost/json/object.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace weft {

namespace {

/** Tasks that were given since a user spoke last, and are answered. */
std::size_t count_delegations(const list<message>& conversation)
{
    std::size_t calls = 0;
    for (std::size_t i = conversation.size(); i-- > 0;) {
        const message& one = conversation[i];
        if (one.role == role::user) break;
        for (const tool_call& call : one.tool_calls) calls += call.name.starts_with(delegation_prefix) ? 1 : 0;
    }
    return calls;
}

/** A branch for each task. */
class delegate_tasks {
public:
    explicit delegate_tasks(std::size_t count_max) : count_max_{count_max} {}
    command operator()(node_context& node) const
    {
        std::vector<send> items;
        for (delegation& one : delegation_plan{node.get(react_messages), count_max_}.accepted) {
            send item{one.worker};
            items.push_back(std::move(item).input(delegated_task, std::move(one)));
        }
        return command::fan_out(std::move(items));
    }

private:
    std::size_t count_max_;
};

/** The workers' answers as results of the calls, in their order. */
class collect_results {
public:
    explicit collect_results(std::size_t count_max) : count_max_{count_max} {}
    void operator()(node_context& node) const
    {
        const delegation_plan plan{node.get(react_messages), count_max_};
        const std::vector<delegation_result> results = node.value_or(delegation_results, {});
        for (std::size_t i = 0; i < plan.accepted.size(); ++i) {
            const delegation& task = plan.accepted[i];
            const auto found = std::find_if(results.begin(), results.end(),
                                            [&](const delegation_result& r) { return r.call_id == task.call_id; });
            node.set(react_messages, found != results.end() ? message::tool_result(task.call_id, found->text)
                                                            : message::tool_error(task.call_id, why_not(node, i)));
        }
        for (const tool_call& call : plan.refused)
            node.set(react_messages,
                     message::tool_error(call.id, "Not done: " + std::to_string(count_max_) +
                                                      " tasks are given for this request already. Answer the user."));
        node.overwrite(delegation_results, std::vector<delegation_result>{});
    }

private:
    static std::string why_not(const node_context& node, std::size_t branch)
    {
        for (const branch_result& one : node.branches())
            if (one.index == branch && one.error) return "It could not be done: " + one.error->message;
        return "It could not be done: there is no answer.";
    }

    std::size_t count_max_;
};

std::shared_ptr<const node_body> make_worker(const graph& what, const react_options& options)
{
    const auto begins = [](const node_context& outer) {
        state_update first;
        first.set(react_messages, message::user(outer.get(delegated_task).task));
        return first;
    };
    const auto ends = [](const state& left, node_context& outer) {
        const std::string* const answer = left.find(react_answer);
        if (!answer) return command::fail("the worker gave no answer");
        outer.set(delegation_results, delegation_result{outer.get(delegated_task).call_id, *answer});
        return command::next();
    };
    return make_node_body(subgraph{what}
                              .inputs(std::vector<key_mapping>{})
                              .inputs(subgraph::input_function{begins})
                              .outputs(subgraph::output_function{ends})
                              .steps_max(agent_detail::steps_of(options, 2)));
}

tool_set tools_with_workers(const react_options& agent, const std::vector<supervisor_worker>& workers)
{
    namespace json = boost::json;
    tool_set tools = agent.tools;
    for (const supervisor_worker& worker : workers) {
        json::object schema{
            {"type", "object"},
            {"properties",
             {{"task", {{"type", "string"}, {"description", "What to do, with all that is needed to know."}}}}},
            {"required", {"task"}},
            {"additionalProperties", false}};
        const std::string& name = worker.agent.name;
        tools.add_remote(std::string{delegation_prefix} + name,
                         worker.when.empty() ? "Gives a task to " + name + "." : worker.when, std::move(schema));
    }
    return tools;
}

void check_supervisor(const react_options& agent, const std::vector<supervisor_worker>& workers)
{
    const auto refuse = [&](std::string why) {
        throw error{errc::invalid_configuration, "supervisor '" + agent.name + "'", std::move(why)};
    };
    const auto has_own_keys = [](const react_options& one) {
        const auto is = [&](std::size_t i, const any_state_key& key) {
            return one.keys[i].name == key.name && one.keys[i].type == key.type;
        };
        return one.keys.size() != 2 || !is(0, react_messages) || !is(1, react_answer) ||
               one.settings.messages != react_messages.name() || one.writes != std::vector<std::string>{"answer"};
    };
    if (workers.empty()) refuse("it has no workers: add one");
    if (has_own_keys(agent)) refuse("it has keys of its own: leave keys, writes and messages as they are");
    if (!agent.settings.hands_over.empty()) refuse("it cannot hand over: put it into a team as a node's graph");
    for (const supervisor_worker& worker : workers)
        if (has_own_keys(worker.agent) || !worker.agent.settings.hands_over.empty())
            refuse("the worker '" + worker.agent.name +
                   "' has keys of its own or hands over: it answers its task only");
}

}  // namespace

delegation_plan::delegation_plan(const list<message>& conversation, std::size_t count_max)
{
    const std::vector<tool_call> open = open_tool_calls(conversation);
    std::size_t before = count_delegations(conversation);
    for (const tool_call& call : open) before -= call.name.starts_with(delegation_prefix) ? 1 : 0;
    for (const tool_call& call : open) {
        if (!call.name.starts_with(delegation_prefix) || before + accepted.size() >= count_max) {
            refused.push_back(call);
            continue;
        }
        const boost::json::object arguments = parse_arguments(call);
        const boost::json::value* const task = arguments.if_contains("task");
        accepted.push_back({call.id, call.name.substr(delegation_prefix.size()),
                            task && task->is_string() ? std::string{task->as_string()} : std::string{}});
    }
}

graph make_supervisor(std::shared_ptr<chat_model> model, react_options agent, std::vector<supervisor_worker> workers,
                      supervisor_options options)
{
    check_supervisor(agent, workers);
    agent_detail::check_react(agent);
    graph_builder builder{agent.name};
    builder.state(react_messages, react_answer, react_turns, react_next, delegated_task, delegation_results);
    builder.state(agent_detail::request_before);
    agent_detail::add_react_loop(builder, agent.hooks.around(model, agent.name), agent,
                                 tools_with_workers(agent, workers), "delegate");
    node_options fans;
    for (const supervisor_worker& worker : workers) fans.goes_to.push_back(worker.agent.name);
    builder.node("delegate", delegate_tasks{options.delegations_max}, std::move(fans));
    builder.node("collect", collect_results{options.delegations_max});
    for (supervisor_worker& worker : workers) {
        const std::string name = worker.agent.name;
        react_options of = worker.agent;
        const react_agent works{worker.model ? std::move(worker.model) : model, std::move(of)};
        builder.node(name, make_worker(works.what(), worker.agent));
        builder.edge(name, "collect");
    }
    fan_out_options branches;
    branches.on_failure = branch_policy::wait_all;
    branches.concurrency_max = options.concurrency_max;
    branches.branch_timeout = options.worker_timeout;
    builder.fan_out("delegate", branches).fan_in("delegate", "collect");
    agent_detail::add_next_turn(builder, "collect", agent);
    return builder.build();
}

}  // namespace weft
