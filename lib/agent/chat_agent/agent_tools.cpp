#include "agent_tools.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/tool/call/node_tools.hpp>

#include <string>
#include <utility>

namespace weft::agent_detail {

namespace {

void warn_of_hand_overs(const tool_turn& turn, node_context& node)
{
    for (const tool_answer& answer : turn.answers)
        if (const std::string& to = answer.result.go_to; !to.empty())
            node.emit(agent_event::warning, "the call " + answer.call.id + " hands over to " + to +
                                     ", which this node does not do: the agent goes on");
}

}  // namespace

task<std::vector<message>> use_tools_in_node(const tool_runner& runner, std::vector<tool_call> calls,
                                             node_context& node, std::shared_ptr<life_sign> life)
{
    std::function<void()> on_progress;
    if (life) on_progress = [life] { life->show(); };
    tool_turn turn = co_await call_tools_in_node(runner, std::move(calls), node, std::move(on_progress));
    refuse_cancelled(turn, node);
    refuse_remote_calls(turn);
    warn_of_hand_overs(turn, node);
    std::vector<message> answers = tool_messages(turn);
    write_tool_updates(turn, node);
    co_return answers;
}

}  // namespace weft::agent_detail
