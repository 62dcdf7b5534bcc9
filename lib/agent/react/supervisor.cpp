#include <weft/agent/supervisor.hpp>

#include "agent/guard/guard_checks.hpp"
#include "agent/prompt/object_schema.hpp"
#include "react_loop.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/tool/call/messages_key.hpp>
#include <weft/tool/call/node_tools.hpp>
#include <weft/tool/call/remote_results.hpp>

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
    delegate_tasks(std::string messages, std::size_t count_max)
        : messages_{std::move(messages)}, count_max_{count_max}
    {
    }
    command operator()(node_context& node) const
    {
        std::vector<send> items;
        for (delegation& one : delegation_plan{messages_key{node, messages_}.read(), count_max_}.accepted) {
            send& item = items.emplace_back(one.worker);
            item.input(delegated_task, std::move(one));
        }
        return command::fan_out(std::move(items));
    }

private:
    std::string messages_;
    std::size_t count_max_;
};

/** The workers' answers as results of the calls, in their order. */
class collect_results {
public:
    collect_results(std::string messages, std::size_t count_max, tool_runner inspecting)
        : messages_{std::move(messages)}, count_max_{count_max}, inspecting_{std::move(inspecting)}
    {
    }
    task<void> operator()(node_context& node) const { return collect(*this, node); }

private:
    static task<void> collect(collect_results self, node_context& node)
    {
        // Branches that failed lead here too, and a worker whose guardrail tripped must not become a result.
        agent_detail::refuse_trip(node);
        messages_key conversation{node, self.messages_};
        const list<message> said = conversation.read();
        const delegation_plan plan{said, self.count_max_};
        const std::vector<delegation_result> results = node.value_or(delegation_results, {});
        const std::vector<tool_call> open = open_tool_calls(said);
        std::vector<message> answers;
        for (const tool_call& call : open) {
            tool_answer answer{call};
            if (const std::optional<std::size_t> branch = index_of(plan, call.id)) {
                answer.result = result_of(node, results, call.id, *branch);
                task<void> looking = self.inspecting_.inspect(answer, tool_context_of(node));
                co_await std::move(looking);
            } else {
                answer.result = tool_result::error("Not done: " + std::to_string(self.count_max_) +
                                                   " tasks are given for this request already. Answer the user.");
            }
            answers.push_back(answer.to_message());
        }
        conversation.add(answers);
        node.overwrite(delegation_results, std::vector<delegation_result>{});
    }

    static std::optional<std::size_t> index_of(const delegation_plan& plan, const std::string& call)
    {
        const auto found = std::find_if(plan.accepted.begin(), plan.accepted.end(),
                                        [&](const delegation& one) { return one.call_id == call; });
        if (found == plan.accepted.end()) return std::nullopt;
        return static_cast<std::size_t>(found - plan.accepted.begin());
    }

    static tool_result result_of(const node_context& node, const std::vector<delegation_result>& results,
                                 const std::string& call, std::size_t branch)
    {
        for (const delegation_result& one : results)
            if (one.call_id == call) return tool_result::text(one.text);
        for (const branch_result& one : node.branches())
            if (one.index == branch && one.error)
                return tool_result::error("It could not be done: " + one.error->message);
        return tool_result::error("It could not be done: there is no answer.");
    }

    std::string messages_;
    std::size_t count_max_;
    tool_runner inspecting_;
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
    std::vector<any_state_key> shared = options.keys;
    std::erase_if(shared, [](const any_state_key& key) { return agent_detail::is_default_key(key.name); });
    return make_node_body(subgraph{.graph = what,
                                   .shares_keys = false,
                                   .inputs = agent_detail::same_names(shared),
                                   .make_inputs = begins,
                                   .take_outputs = ends,
                                   .steps_max = agent_detail::steps_of(options, 2)});
}

tool_set tools_with_workers(const react_options& agent, const std::vector<supervisor_worker>& workers)
{
    tool_set tools = agent.tools;
    for (const supervisor_worker& worker : workers) {
        const std::string& name = worker.agent.name;
        tools.add_remote(std::string{delegation_prefix} + name,
                         worker.when.empty() ? "Gives a task to " + name + "." : worker.when,
                         agent_detail::object_schema(
                             {{"task", agent_detail::text_schema("What to do, with all that is needed to know.")}}));
    }
    return tools;
}

void check_supervisor(const react_options& agent, const std::vector<supervisor_worker>& workers)
{
    const auto refuse = [&](std::string why) {
        throw error{errc::invalid_configuration, "supervisor '" + agent.name + "'", std::move(why)};
    };
    const auto has_key = [](const react_options& one, const any_state_key& key) {
        return std::any_of(one.keys.begin(), one.keys.end(), [&](const any_state_key& has) {
            return has.name == key.name && has.type == key.type;
        });
    };
    const auto answers_as_usual = [&](const react_options& one) {
        return has_key(one, react_messages) && has_key(one, react_answer) &&
               one.settings.messages == react_messages.name() && one.writes == std::vector<std::string>{"answer"};
    };
    if (workers.empty()) refuse("it has no workers: add one");
    if (!agent.settings.hands_over.empty()) refuse("it cannot hand over: put it into a team as a node's graph");
    for (const supervisor_worker& worker : workers)
        if (!answers_as_usual(worker.agent) || !worker.agent.settings.hands_over.empty())
            refuse("the worker '" + worker.agent.name +
                   "' has a conversation or an answer of its own, or hands over: it answers its task only");
}

}  // namespace

delegation_plan::delegation_plan(const list<message>& conversation, std::size_t count_max)
{
    const std::vector<tool_call> open = open_tool_calls(conversation);
    std::size_t before = count_delegations(conversation);
    // Open calls are those that are to be judged now: the count is of tasks that were given before them.
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
    for (const any_state_key& key : agent.keys) builder.declare(key);
    builder.state(react_turns, react_next, delegated_task, delegation_results);
    const std::shared_ptr<chat_model> asked = agent.hooks.around(model, agent.name);
    agent_detail::add_react_loop(builder, asked, agent, tools_with_workers(agent, workers), "delegate");
    node_options fans;
    for (const supervisor_worker& worker : workers) fans.goes_to.push_back(worker.agent.name);
    const std::string& messages = agent.settings.messages;
    builder.node("delegate", delegate_tasks{messages, options.delegations_max}, std::move(fans));
    const tool_runner inspecting{std::make_shared<const tool_set>(), agent_detail::tool_options_of(agent, asked)};
    builder.node("collect", collect_results{messages, options.delegations_max, inspecting});
    for (supervisor_worker& worker : workers) {
        const std::string name = worker.agent.name;
        react_options of = worker.agent;
        const react_agent works{worker.model ? std::move(worker.model) : model, std::move(of)};
        builder.node(name, make_worker(works.graph(), worker.agent));
        builder.edge(name, "collect");
    }
    fan_out_options branches;
    // A worker that fails is a result like others: the rest goes on.
    branches.on_failure = branch_policy::wait_all;
    branches.concurrency_max = options.concurrency_max;
    branches.branch_timeout = options.worker_timeout;
    builder.fan_out("delegate", branches).fan_in("delegate", "collect");
    agent_detail::add_next_turn(builder, "collect", agent);
    return builder.build();
}

std::uint32_t supervisor_steps_max(const react_options& agent, const supervisor_options& options)
{
    return agent_detail::steps_of(agent, 4) + static_cast<std::uint32_t>(options.delegations_max);
}

template struct compiled_value<delegation>;
template struct compiled_value<std::vector<delegation_result>>;
template struct compiled_key<delegation>;
template struct compiled_key<std::vector<delegation_result>, append>;

}  // namespace weft
