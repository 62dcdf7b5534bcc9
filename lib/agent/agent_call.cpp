#include "agent_call.hpp"

#include <weft/async/deadline.hpp>
#include <weft/base/budget_ledger.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/model/model_error.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>

#include <utility>

namespace weft::agent_detail {

namespace {

class deltas_to_watchers final : public chat_sink {
public:
    explicit deltas_to_watchers(node_context& node) : node_{node} {}
    void on_text(std::string_view piece) override { node_.emit("delta", piece); }
    void on_retracted() override { node_.emit("retract", {}); }

private:
    node_context& node_;
};

void tell_agent_usage(node_context& node, const usage& used)
{
    if (used == usage{}) return;
    node.emit("usage", boost::json::serialize(boost::json::value_from(used)));
}

/** @par Lifetimes  `model` and `node` outlive the task. */
task<agent_reply> ask_agent_model(chat_model& model, chat_request request, node_context& node,
                                  std::chrono::nanoseconds limit)
{
    request.budget = node.budget();
    deltas_to_watchers sink{node};
    agent_reply kept;
    try {
        task<chat_reply> asking = model.reply(std::move(request), sink);
        chat_reply whole = co_await with_deadline(std::move(asking), limit);
        kept.message = std::move(whole.message);
        kept.usage = whole.usage;
        kept.stop = whole.stop;
    } catch (const model_error& failed) {
        tell_agent_usage(node, failed.partial().usage);
        throw;
    }
    tell_agent_usage(node, kept.usage);
    co_return kept;
}

/** An agent graph has no node that waits for results from elsewhere, and none to hand over to. */
void refuse_what_leads_away(tool_answer& answer, node_context& node)
{
    if (answer.status == tool_status::remote) {
        answer.status = tool_status::runtime_failure;
        answer.result = tool_result::error("Nobody is there to do it.");
    }
    if (answer.result.go_to.empty()) return;
    node.emit("warning", "the call " + answer.call.id + " hands over to " + answer.result.go_to +
                             ", which an agent graph does not do");
}

}  // namespace

// Not unnamed: the frames of coroutines have it as a field.

/** A call whose reply is written down. */
class kept_agent_call {
public:
    kept_agent_call(chat_model& model, chat_request request, node_context& node, std::chrono::nanoseconds limit)
        : model_{model}, request_{std::move(request)}, node_{node}, limit_{limit}
    {
    }
    task<agent_reply> operator()(const effect_context& effect) const
    {
        chat_request request = request_;
        if (request.call_id.empty()) request.call_id = effect.key();
        return ask_agent_model(model_, std::move(request), node_, limit_);
    }

private:
    chat_model& model_;
    chat_request request_;
    node_context& node_;
    std::chrono::nanoseconds limit_;
};

task<agent_reply> ask_in_node(chat_model& model, chat_request request, node_context& node,
                              std::chrono::nanoseconds limit)
{
    if (!node.host().keeps_effects()) co_return co_await ask_agent_model(model, std::move(request), node, limit);
    const kept_agent_call call{model, std::move(request), node, limit};
    agent_reply reply = co_await node.once("reply", call);
    co_return reply;
}

task<std::vector<message>> use_tools_in_node(const tool_runner& runner, std::vector<tool_call> calls,
                                             node_context& node)
{
    spending wanted;
    wanted.tool_calls = static_cast<std::int64_t>(calls.size());
    const std::shared_ptr<budget_ledger> ledger = node.budget();
    const budget_ledger::reservation counted = ledger ? ledger->reserve(wanted) : budget_ledger::reservation{};
    tool_context context;
    context.thread = node.thread();
    context.node = &node;
    context.progress = [&node](std::string_view kind, std::string_view text) { node.emit(kind, text); };
    tool_turn turn = co_await runner.run(std::move(calls), std::move(context));
    if (turn.is_cancelled)
        throw error{errc::cancelled, "node '" + std::string{node.node()} + "'", "during its tool calls"};
    std::vector<message> answers;
    answers.reserve(turn.answers.size());
    for (tool_answer& answer : turn.answers) {
        refuse_what_leads_away(answer, node);
        answers.push_back(answer.to_message());
        for (state_update::item& item : answer.result.update.items())
            node.write({node.layout().require(item.key, node.node()), item.is_overwrite, false, std::move(item.value)});
    }
    co_return answers;
}

}  // namespace weft::agent_detail
