#include "turn_nodes.hpp"

#include <weft/async/wait/with_stop.hpp>
#include <weft/base/text/ascii_text.hpp>
#include <weft/tool/call/node_tools.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace weft::agent_detail {

namespace {

/** Asked before each call but the first: skips what is left as soon as a message came. */
class speech_check {
public:
    /** @param inbox   Outlives the turn. */
    speech_check(agent_inbox& inbox, std::int64_t after, std::function<bool()> otherwise)
        : inbox_{inbox}, after_{after}, otherwise_{std::move(otherwise)}
    {
    }
    /** Messages skip nothing from now on. */
    void turn_off() noexcept { is_on_ = false; }
    bool operator()()
    {
        const bool is_first = std::exchange(is_first_, false);
        // The first call is always made, so that each turn gets further, however many messages come.
        return (is_on_ && !is_first && inbox_.has_more(after_)) || (otherwise_ && otherwise_());
    }

private:
    agent_inbox& inbox_;
    std::int64_t after_;
    std::function<bool()> otherwise_;
    bool is_on_ = true;
    bool is_first_ = true;
};

/** A turn in which nothing is called. */
tool_turn answered_turn(const std::vector<tool_call>& calls, tool_status status, const std::string& words)
{
    tool_turn turn;
    for (const tool_call& call : calls) {
        tool_answer& answer = turn.answers.emplace_back(call);
        answer.status = status;
        answer.result = tool_result::error(words);
    }
    return turn;
}

/** Whether doing the same again would fail again, as far as is known. */
bool is_failure(tool_status status)
{
    switch (status) {
    case tool_status::success:
    case tool_status::remote:
    case tool_status::cancelled:
    case tool_status::skipped: return false;
    default: return true;
    }
}

/** What the agent remembers of the turn. */
void note_answers(const tool_turn& turn, turn_record& record)
{
    record.memory.has_only_timeouts = true;
    for (const tool_answer& answer : turn.answers) {
        if (answer.status != tool_status::skipped) ++record.tool_calls;
        if (!is_failure(answer.status)) continue;
        record.memory.failures.failed(answer.call);
        if (answer.status != tool_status::timeout) record.memory.has_only_timeouts = false;
    }
    record.hand_over = turn.hand_over();
}

/** The reply, and a result for each of its calls, join the conversation in one. */
void say_turn(turn_conversation& history, const message& reply, const tool_turn& turn, bool survives)
{
    history.say(reply, message_author::model, {.survives = survives});
    for (const tool_answer& answer : turn.answers)
        history.say(answer.to_message(), message_author::tool, {.survives = survives});
}

/** Whether some of the calls may have been made before this attempt: these must not be told as skipped. */
task<bool> may_be_under_way(node_context& node)
{
    if (!node.host().keeps_effects()) co_return false;
    bool is_first_time = false;
    const auto begin = [&is_first_time] { is_first_time = true; };
    co_await node.once("calls", begin);
    co_return !is_first_time;
}

/** Carries the calls out until a message comes. All outlives the task. */
task<tool_turn> carry_out_beside(const turn_definition& definition, node_context& node, agent_inbox& inbox,
                                 const std::vector<tool_call>& calls, std::int64_t steered)
{
    if (inbox.is_aborted()) co_return answered_turn(calls, tool_status::cancelled, "Cancelled before it was done.");
    tool_runner_options options = definition.options.calls;
    speech_check skips{inbox, steered, std::move(options.skips_rest)};
    if (calls.size() > 1) {
        const bool is_repeated = co_await may_be_under_way(node);
        if (is_repeated) skips.turn_off();
    }
    options.skips_rest = std::move(skips);
    const tool_runner runner{definition.tools, std::move(options)};
    task<tool_turn> running = runner.run(calls, tool_context_of(node));
    task<tool_turn> stoppable = with_stop(std::move(running), inbox.abort_token());
    tool_turn turn = co_await std::move(stoppable);
    co_return turn;
}

task<tool_turn> carry_out(const turn_definition& definition, node_context& node, agent_inbox& inbox,
                          const std::vector<tool_call>& calls, std::int64_t steered)
{
    if (definition.options.mailbox) return carry_out_beside(definition, node, inbox, calls, steered);
    return definition.runner->run(calls, tool_context_of(node));
}

bool has_something(const message& said)
{
    return !said.tool_calls.empty() || !is_blank(said.text()) || !is_blank(said.refusal());
}

}  // namespace

task<void> execute_turn(std::shared_ptr<const turn_definition> definition, node_context& node)
{
    const std::optional<message>& said = node.get(turn_keys::reply).message;
    const value_ptr kept = node.value_at(node.layout().require(turn_keys::reply, node.node()));  // where it lies
    if (!said || !has_something(*said)) co_return;
    turn_conversation history{*definition, node};
    if (said->tool_calls.empty()) {
        history.say(*said, message_author::model, {});
        co_return;
    }
    turn_record record = node.get(turn_keys::record);
    agent_inbox inbox{definition->options.mailbox, turn_address(*definition, node)};
    const time_point began = node.loop().now();
    spending wanted;
    wanted.tool_calls = static_cast<std::int64_t>(said->tool_calls.size());
    // The calls count before they are made: a crash in the middle must not give them back.
    const std::string refused = take_from_budget(node, wanted);
    tool_turn turn;
    if (refused.empty()) {
        tool_turn made = co_await carry_out(*definition, node, inbox, said->tool_calls, record.steered);
        turn = std::move(made);
    } else {
        turn = answered_turn(said->tool_calls, tool_status::cancelled, "Not done: the budget is used up.");
        end_turns(record, agent_outcome::aborted, turn_trouble::budget_exhausted, refused);
    }
    refuse_remote_calls(turn);
    // The run is stopped, and not the agent alone: what tools have done by now is published, so that a resumed run
    // knows of it; nothing else of the turn counts.
    const bool is_stopped = turn.is_cancelled && node.stop_requested();
    say_turn(history, *said, turn, is_stopped);
    if (is_stopped) refuse_cancelled(turn, node);
    write_tool_updates(turn, node);
    note_answers(turn, record);
    record.working_ns += (node.loop().now() - began).count();
    count_elapsed(record, node);
    record.is_interrupted = inbox.has_more(record.steered) &&
                            std::any_of(turn.answers.begin(), turn.answers.end(), [](const tool_answer& answer) {
                                return answer.status == tool_status::skipped;
                            });
    node.set(turn_keys::record, std::move(record));
}

}  // namespace weft::agent_detail
