#include <weft/tool/tool_node.hpp>

#include <weft/base/budget_ledger.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/graph_spec.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/spec_reading.hpp>
#include <weft/tool/messages_key.hpp>
#include <weft/tool/remote_results.hpp>

#include <algorithm>

namespace weft {

struct tool_node::parts {
    /** One attempt. */
    static task<command> work(std::shared_ptr<const parts> self, node_context& node);

    tool_settings settings;
    tool_runner runner;
};

namespace {

tool_context context_of(node_context& node)
{
    tool_context context;
    context.thread = node.thread();
    context.node = &node;
    context.progress = [&node](std::string_view kind, std::string_view text) { node.emit(kind, text); };
    return context;
}

/** Takes the calls from the run's budget. They count even if the turn is torn down: some may have been carried out. */
budget_ledger::reservation reserve_calls(const node_context& node, std::size_t count)
{
    const std::shared_ptr<budget_ledger> ledger = node.budget();
    spending wanted;
    wanted.tool_calls = static_cast<std::int64_t>(count);
    return ledger ? ledger->reserve(wanted) : budget_ledger::reservation{};
}

std::vector<message> messages_of(const tool_turn& turn)
{
    std::vector<message> messages;
    messages.reserve(turn.answers.size());
    for (const tool_answer& answer : turn.answers)
        if (answer.status != tool_status::remote) messages.push_back(answer.to_message());
    return messages;
}

void write_updates(tool_turn& turn, node_context& node)
{
    for (tool_answer& answer : turn.answers)
        for (state_update::item& item : answer.result.update.items())
            node.write({node.layout().require(item.key, node.node()), item.is_overwrite, false, std::move(item.value)});
}

void warn_of_others(const tool_turn& turn, const std::string& taken, node_context& node)
{
    for (const tool_answer& answer : turn.answers)
        if (const std::string& to = answer.result.go_to; !to.empty() && to != taken)
            node.emit("warning", "the call " + answer.call.id + " hands over to " + to + " too: the first one counts");
}

bool has_remote(const tool_turn& turn)
{
    const auto is_remote = [](const tool_answer& answer) { return answer.status == tool_status::remote; };
    return std::any_of(turn.answers.begin(), turn.answers.end(), is_remote);
}

/** Where nothing waits for results from elsewhere, the model is told so. */
void refuse_remote(tool_turn& turn)
{
    for (tool_answer& answer : turn.answers) {
        if (answer.status != tool_status::remote) continue;
        answer.status = tool_status::runtime_failure;
        answer.result = tool_result::error("Nobody is there to do it.");
    }
}

constexpr std::int64_t at_most = 1'000'000;

void check_number(std::string& fault, std::string_view member, std::optional<std::int64_t> number)
{
    if (fault.empty() && number && (*number < 1 || *number > at_most))
        fault = std::string{member} + ": is out of range: it is 1 to " + std::to_string(at_most);
}

}  // namespace

std::string tool_settings::fault() const
{
    std::string text;
    check_number(text, "calls_warned", calls_warned);
    check_number(text, "calls_max", calls_max);
    check_number(text, "concurrency_max", concurrency_max);
    check_number(text, "result_chars_max", result_chars_max);
    return text;
}

tool_runner_options tool_settings::over(tool_runner_options options) const
{
    const auto put = [](std::size_t& into, std::optional<std::int64_t> number) {
        if (number) into = static_cast<std::size_t>(*number);
    };
    put(options.calls.soft, calls_warned);
    put(options.calls.hard, calls_max);
    put(options.concurrency_max, concurrency_max);
    put(options.result_chars_max, result_chars_max);
    return options;
}

tool_node::tool_node(tool_set tools, tool_settings settings, tool_runner_options options)
{
    if (std::string fault = settings.fault(); !fault.empty())
        throw error{errc::invalid_configuration, "tool_node", std::move(fault)};
    auto chosen = std::make_shared<const tool_set>(settings.tools.empty() ? std::move(tools)
                                                                          : tools.only(settings.tools));
    tool_runner_options whole = settings.over(std::move(options));
    parts_ = std::make_shared<const parts>(
        parts{std::move(settings), tool_runner{std::move(chosen), std::move(whole)}});
}

task<command> tool_node::operator()(node_context& node) const { return parts::work(parts_, node); }

bool tool_node::describe(node_spec& into, const state_layout&) const
{
    into.kind = "tool";
    into.settings = spec_detail::write_structure(parts_->settings);
    return true;
}

task<command> tool_node::parts::work(std::shared_ptr<const parts> self, node_context& node)
{
    messages_key conversation{node, self->settings.messages};
    const list<message> messages = conversation.read();
    if (messages.empty())
        throw error{errc::missing_state_value, "node '" + std::string{node.node()} + "'",
                    "the key '" + self->settings.messages + "' has no messages: a node that asks a model comes first"};
    std::vector<tool_call> calls = open_tool_calls(messages);
    if (calls.empty()) co_return command::next();
    const budget_ledger::reservation counted = reserve_calls(node, calls.size());
    tool_context context = context_of(node);
    tool_turn turn = co_await self->runner.run(std::move(calls), std::move(context));
    if (self->settings.remote.empty()) refuse_remote(turn);
    conversation.add(messages_of(turn), turn.is_cancelled);
    if (turn.is_cancelled)
        throw error{errc::cancelled, "node '" + std::string{node.node()} + "'", "during its tool calls"};
    write_updates(turn, node);
    if (has_remote(turn)) co_return command::go_to(self->settings.remote);
    std::string to = turn.hand_over();
    if (to.empty()) co_return command::next();
    warn_of_others(turn, to, node);
    co_return command::go_to(std::move(to));
}

}  // namespace weft
