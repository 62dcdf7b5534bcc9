#include "playbook_agent.hpp"

#include "agent/guard/guard_checks.hpp"
#include "agent/text/recorded_cause.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>

#include <boost/describe/class.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft::agent_detail {

/** What an agent of a playbook left. Not unnamed: it is the type of a key. */
struct playbook_hand_back {
    playbook_hand_back() {}

    std::string reply{};
    agent_stop stop = agent_stop::none;
    std::string failure{};
    std::optional<std::string> cause{};
};
BOOST_DESCRIBE_STRUCT(playbook_hand_back, (), (reply, stop, failure, cause))

namespace {

constexpr state_key<std::string> agent_task{"task"};
constexpr state_key<std::string> task_maker{"before"};
constexpr state_key<std::string> result_maker{"after"};
constexpr state_key<playbook_hand_back> handed_back{"handed_back"};

/** Makes the agent's task. */
task<void> make_agent_task(std::shared_ptr<const compiled_playbook> playbook, node_context& node)
{
    std::string question = node.get(task_maker) + "\n\nWrite the task of the agent, and nothing else. It is about:\n\n";
    question += node.get(agent_task);
    std::string text = co_await ask_playbook_model(*playbook, std::move(question), node, playbook_question::choice);
    if (!text.empty()) node.set(agent_task, std::move(text));
}

/** Makes the node's result of what the agent handed back. */
task<void> make_agent_result(std::shared_ptr<const compiled_playbook> playbook, node_context& node)
{
    playbook_hand_back back = node.get(handed_back);
    // What is blocked or failed is told as it is: a model would make a result of it.
    if (back.stop != agent_stop::done) co_return;
    std::string question =
        node.get(result_maker) + "\n\nWrite the result, and nothing else. The agent handed back:\n\n" + back.reply;
    std::string text = co_await ask_playbook_model(*playbook, std::move(question), node, playbook_question::result);
    if (!text.empty()) back.reply = std::move(text);
    node.set(handed_back, std::move(back));
}

state_update first_values_of_playbook_agent(const node_context& outer)
{
    state_update first;
    first.set(agent_keys::input, outer.get(agent_task) + "\n\n" + std::string{hand_back_instructions()});
    return first;
}

command take_playbook_agent(const state& inner, node_context& outer)
{
    playbook_hand_back back;
    if (const agent_status* const status = inner.find(agent_keys::status)) {
        back.reply = status->reply;
        back.stop = status->stop;
        back.failure = status->failure;
        back.cause = status->cause;
    }
    if (back.stop == agent_stop::none) {
        back.stop = agent_stop::max_loops;
        back.failure = "it went round too often";
    }
    outer.set(handed_back, std::move(back));
    return command::next();
}

graph graph_around_agent(const std::shared_ptr<const compiled_playbook>& playbook, const playbook_node& what)
{
    node_options works;
    works.timeout = playbook->options.watch.elapsed_max;
    subgraph agent = agent_inside(*playbook->agent);
    agent.make_inputs = first_values_of_playbook_agent;
    agent.take_outputs = take_playbook_agent;
    graph_builder builder{"agent " + what.name()};
    builder.state(agent_task, task_maker, result_maker, handed_back, playbook_keys::conversation)
        .node("agent", std::move(agent), std::move(works));
    if (what.before.empty()) {
        builder.edge(start, "agent");
    } else {
        builder.node("before", [playbook](node_context& node) { return make_agent_task(playbook, node); })
            .edge(start, "before")
            .edge("before", "agent");
    }
    if (what.after.empty()) {
        builder.edge("agent", end);
    } else {
        builder.node("after", [playbook](node_context& node) { return make_agent_result(playbook, node); })
            .edge("agent", "after")
            .edge("after", end);
    }
    return builder.build();
}

}  // namespace

subgraph playbook_agent(std::shared_ptr<const compiled_playbook> playbook, std::size_t index)
{
    const playbook_node& what = playbook->of.nodes[index];
    const auto first = [playbook, index](const node_context& outer) {
        refuse_trip(outer);
        const playbook_node& node = playbook->of.nodes[index];
        state_update values;
        values.set(agent_task, fill_in_node(outer, node.prompt));
        values.set(task_maker, fill_in_node(outer, node.before));
        values.set(result_maker, fill_in_node(outer, node.after));
        if (const conversation* const history = outer.find(playbook_keys::conversation))
            values.set(playbook_keys::conversation, *history);
        return values;
    };
    const auto last = [playbook, index](const state& left, node_context& outer) {
        const playbook_node& node = playbook->of.nodes[index];
        const playbook_hand_back& back = left.get(handed_back);
        if (back.stop != agent_stop::done && back.stop != agent_stop::blocked)
            throw error{recorded_cause(back.cause, errc::node_failed), "playbook node '" + node.id + "'",
                        "the agent did not come to an end: " + (back.failure.empty() ? back.reply : back.failure)};
        const bool is_blocked = back.stop == agent_stop::blocked;
        const std::string result = is_blocked ? "[BLOCKED] " + back.reply : back.reply;
        const std::string thread =
            std::string{outer.thread()} + "/" + node.id + "#" + std::to_string(outer.visit());
        keep_playbook_output(outer, node, boost::json::string_view{result}, thread);
        return command::next();
    };
    return subgraph{.graph = graph_around_agent(playbook, what),
                    .shares_keys = false,
                    .make_inputs = first,
                    .take_outputs = last};
}

}  // namespace weft::agent_detail
