#include <weft/tool/tool_node.hpp>

#include <weft/base/error.hpp>
#include <weft/graph/graph_spec.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/spec/spec_reading.hpp>
#include <weft/tool/call/client_call.hpp>
#include <weft/tool/call/messages_key.hpp>
#include <weft/tool/call/node_tools.hpp>
#include <weft/tool/call/remote_results.hpp>

#include <algorithm>

namespace weft {

struct tool_node::setup {
    /** One attempt. */
    static task<command> work(std::shared_ptr<const setup> self, node_context& node);
    /** With the tools of the client of this run. */
    [[nodiscard]] tool_runner runner_in(const node_context& node) const;

    tool_settings settings;
    tool_runner runner;
};

namespace {

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
    setup_ = std::make_shared<const setup>(
        setup{std::move(settings), tool_runner{std::move(chosen), std::move(whole)}});
}

task<command> tool_node::operator()(node_context& node) const { return setup::work(setup_, node); }

bool tool_node::describe(node_spec& into, const state_layout&) const
{
    into.kind = "tool";
    tool_settings told = setup_->settings;
    // Beside tools of clients the names of its own ones count: no client may send them.
    if (!told.client_tools.is_none() && told.tools.empty())
        for (const tool_spec& one : setup_->runner.tools().specs()) told.tools.push_back(one.name);
    into.settings = spec_detail::write_structure(told);
    return true;
}

std::vector<std::string> tool_node::written_keys(const state_layout&) const { return {setup_->settings.messages}; }

tool_runner tool_node::setup::runner_in(const node_context& node) const
{
    if (settings.client_tools.is_none()) return runner;
    const std::vector<tool_spec> own = runner.tools().specs();
    const client_tools given = client_tools_for(node, settings.client_tools, own);
    if (given.tools.empty()) return runner;
    auto all = std::make_shared<tool_set>(runner.tools());
    add_client_tools(*all, given);
    return runner.with_tools(std::move(all));
}

task<command> tool_node::setup::work(std::shared_ptr<const setup> self, node_context& node)
{
    messages_key conversation{node, self->settings.messages};
    const list<message> messages = conversation.read();
    if (messages.empty())
        throw error{errc::missing_state_value, "node '" + std::string{node.node()} + "'",
                    "the key '" + self->settings.messages + "' has no messages: a node that asks a model comes first"};
    std::vector<tool_call> calls = open_tool_calls(messages);
    if (calls.empty()) {
        const bool has_posted = !self->settings.remote.empty() && self->runner.inspects();
        if (has_posted) co_await inspect_posted_results(self->runner, conversation, node);
        co_return command::next();
    }
    const tool_runner runner = self->runner_in(node);
    tool_turn turn = co_await call_tools_in_node(runner, std::move(calls), node);
    if (self->settings.remote.empty()) refuse_remote_calls(turn);
    conversation.add(tool_messages(turn), turn.is_cancelled);
    refuse_cancelled(turn, node);
    write_tool_updates(turn, node);
    if (has_remote(turn)) co_return command::go_to(self->settings.remote);
    std::string to = turn.hand_over();
    if (to.empty()) co_return command::next();
    warn_of_others(turn, to, node);
    co_return command::go_to(std::move(to));
}

}  // namespace weft
