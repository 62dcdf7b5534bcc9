#include <weft/tool/call/node_tools.hpp>

#include <weft/base/budget_ledger.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/tool/call/messages_key.hpp>

#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>

namespace weft {

namespace {

/** Takes the calls from the run's budget. They count even if the turn is torn down: some may have been carried out.
 *  All but calls and context outlives it. */
task<tool_turn> call_tools_on(const tool_runner& runner, std::vector<tool_call> calls, tool_context context,
                              std::shared_ptr<budget_ledger> ledger)
{
    spending wanted;
    wanted.tool_calls = static_cast<std::int64_t>(calls.size());
    const budget_ledger::reservation counted = ledger->reserve(wanted);
    tool_turn turn = co_await runner.run(std::move(calls), std::move(context));
    co_return turn;
}

/** The call of a message that a result answers, if a remote tool carries it out; else null. */
const tool_call* remote_call_of(const message& asking, const std::string& id, const tool_set& tools)
{
    for (const tool_call& call : asking.tool_calls) {
        if (call.id != id) continue;
        const tool_entry* const known = tools.find(call.name);
        return known && known->traits.is_remote ? &call : nullptr;
    }
    return nullptr;
}

/** A result as it was posted. */
tool_answer posted_answer(const tool_call& call, const message& posted)
{
    tool_answer answer{call};
    answer.status = posted.is_error ? tool_status::runtime_failure : tool_status::success;
    answer.result.is_error = posted.is_error;
    for (const content_part& part : posted.content) {
        if (const text_part* const text = std::get_if<text_part>(&part)) answer.result.content.emplace_back(*text);
        if (const image_part* const picture = std::get_if<image_part>(&part))
            answer.result.content.emplace_back(*picture);
    }
    return answer;
}

/** Where the messages behind the assistant's last one begin. */
std::size_t end_of_asking(const list<message>& said)
{
    std::size_t end = said.size();
    while (end > 0 && said[end - 1].role != role::assistant) --end;
    return end;
}

}  // namespace

task<void> inspect_posted_results(const tool_runner& runner, messages_key& conversation, node_context& node)
{
    const list<message> said = conversation.read();
    const std::size_t first = end_of_asking(said);
    std::map<std::size_t, message> changed;
    for (std::size_t i = first; first > 0 && i < said.size(); ++i) {
        const message& posted = said[i];
        const tool_call* const call = remote_call_of(said[first - 1], posted.tool_call_id, runner.tools());
        if (posted.role != role::tool || !call) continue;
        tool_answer answer = posted_answer(*call, posted);
        const message before = answer.to_message();
        co_await runner.inspect(answer, tool_context_of(node));
        message after = answer.to_message();
        if (!(after == before)) changed.emplace(i, std::move(after));
    }
    if (changed.empty()) co_return;
    // A list only grows at its end: a change in the middle is a new list.
    list<message> whole;
    for (std::size_t i = 0; i < said.size(); ++i) {
        const auto other = changed.find(i);
        whole.push_back(other == changed.end() ? said[i] : other->second);
    }
    conversation.replace(whole);
}

tool_context tool_context_of(node_context& node, std::function<void()> on_progress)
{
    tool_context context;
    context.thread = node.thread();
    context.node = &node;
    context.progress = [&node](std::string_view kind, std::string_view text) { node.emit(kind, text); };
    if (on_progress) {
        context.progress = [&node, tell = std::move(on_progress)](std::string_view kind, std::string_view text) {
            // A tool that reports progress is alive: watchdogs hear of it even if no watcher does.
            tell();
            node.emit(kind, text);
        };
    }
    context.is_watched = [&node] { return node.is_watched(); };
    return context;
}

task<tool_turn> call_tools_in_node(const tool_runner& runner, std::vector<tool_call> calls, node_context& node)
{
    return call_tools_in_node(runner, std::move(calls), node, std::function<void()>{});
}

task<tool_turn> call_tools_in_node(const tool_runner& runner, std::vector<tool_call> calls, node_context& node,
                                   std::function<void()> on_progress)
{
    tool_context context = tool_context_of(node, std::move(on_progress));
    std::shared_ptr<budget_ledger> ledger = node.budget();
    if (!ledger) return runner.run(std::move(calls), std::move(context));
    return call_tools_on(runner, std::move(calls), std::move(context), std::move(ledger));
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
