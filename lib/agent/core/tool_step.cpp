#include "tool_step.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/tool/call/node_tools.hpp>

#include <functional>
#include <string>
#include <utility>

namespace weft::agent_detail {

namespace {

void warn_of_handoffs(const tool_turn& turn, node_context& node)
{
    for (const tool_answer& answer : turn.answers)
        if (const std::string& to = answer.result.go_to; !to.empty())
            node.emit(agent_event::warning, "the call " + answer.call.id + " hands over to " + to +
                                                ", which this node does not do: the agent goes on");
}

}  // namespace

task<tool_turn> tool_step(const tool_runner& runner, std::vector<tool_call> calls, node_context& node,
                          std::shared_ptr<activity_flag> activity)
{
    std::function<void()> on_progress;
    if (activity) on_progress = [activity] { activity->show(); };
    tool_turn turn = co_await call_tools_in_node(runner, std::move(calls), node, std::move(on_progress));
    // First of all: results of a turn that was cut short must not reach the state.
    refuse_cancelled(turn, node);
    refuse_remote_calls(turn);
    co_return turn;
}

task<std::vector<message>> tool_step_messages(const tool_runner& runner, std::vector<tool_call> calls,
                                              node_context& node, std::shared_ptr<activity_flag> activity)
{
    tool_turn turn = co_await tool_step(runner, std::move(calls), node, std::move(activity));
    warn_of_handoffs(turn, node);
    std::vector<message> answers = tool_messages(turn);
    write_tool_updates(turn, node);
    co_return answers;
}

}  // namespace weft::agent_detail
