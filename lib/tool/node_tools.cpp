#include <weft/tool/node_tools.hpp>

#include <weft/base/budget_ledger.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/node_context.hpp>

#include <memory>
#include <string_view>
#include <utility>

namespace weft {

namespace {

/** Takes the calls from the run's budget. They count even if the turn is torn down: some may have been carried out. */
budget_ledger::reservation reserve_tool_calls(const node_context& node, std::size_t count)
{
    const std::shared_ptr<budget_ledger> ledger = node.budget();
    spending wanted;
    wanted.tool_calls = static_cast<std::int64_t>(count);
    return ledger ? ledger->reserve(wanted) : budget_ledger::reservation{};
}

}  // namespace

tool_context tool_context_of(node_context& node, std::function<void()> on_progress)
{
    tool_context context;
    context.thread = node.thread();
    context.node = &node;
    context.progress = [&node, tell = std::move(on_progress)](std::string_view kind, std::string_view text) {
        if (tell) tell();
        node.emit(kind, text);
    };
    return context;
}

task<tool_turn> call_tools_in_node(const tool_runner& runner, std::vector<tool_call> calls, node_context& node)
{
    return call_tools_in_node(runner, std::move(calls), node, std::function<void()>{});
}

task<tool_turn> call_tools_in_node(const tool_runner& runner, std::vector<tool_call> calls, node_context& node,
                                   std::function<void()> on_progress)
{
    const budget_ledger::reservation counted = reserve_tool_calls(node, calls.size());
    tool_context context = tool_context_of(node, std::move(on_progress));
    tool_turn turn = co_await runner.run(std::move(calls), std::move(context));
    co_return turn;
}

std::vector<message> tool_messages(const tool_turn& turn)
{
    std::vector<message> messages;
    messages.reserve(turn.answers.size());
    for (const tool_answer& answer : turn.answers)
        if (answer.status != tool_status::remote) messages.push_back(answer.to_message());
    return messages;
}

void refuse_remote_calls(tool_turn& turn)
{
    for (tool_answer& answer : turn.answers) {
        if (answer.status != tool_status::remote) continue;
        answer.status = tool_status::runtime_failure;
        answer.result = tool_result::error("Nobody is there to do it.");
    }
}

void refuse_cancelled(const tool_turn& turn, const node_context& node)
{
    if (turn.is_cancelled)
        throw error{errc::cancelled, "node '" + std::string{node.node()} + "'", "during its tool calls"};
}

void write_tool_updates(tool_turn& turn, node_context& node)
{
    for (tool_answer& answer : turn.answers)
        for (state_update::item& item : answer.result.update.items())
            node.write({node.layout().require(item.key, node.node()), item.is_overwrite, false, std::move(item.value)});
}

}  // namespace weft
