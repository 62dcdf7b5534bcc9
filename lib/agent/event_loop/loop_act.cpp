#include "loop_steps.hpp"

#include "agent/core/tool_step.hpp"

#include <weft/agent/core/agent_event.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace weft::agent_detail {

namespace {

/** The calls of the newest message of the model, each id once. */
std::vector<tool_call> newest_calls(const conversation& history, std::string_view lane)
{
    std::vector<tool_call> calls;
    for (lane_cursor at{history, lane}; !at.is_done(); at.next()) {
        const conversation_entry& entry = at.entry();
        if (entry.is_mark() || entry.message.role != role::assistant) continue;
        std::set<std::string_view> seen;
        for (const tool_call& call : entry.message.tool_calls)
            if (seen.insert(call.id).second) calls.push_back(call);
        break;
    }
    return calls;
}

void tell_own_call(node_context& node, const tool_call& call, const loop_tool_answer* answer)
{
    node.emit(answer ? agent_event::tool_end : agent_event::tool_start, [&] {
        boost::json::object told{{"id", call.id}, {"name", call.name}};
        if (answer)
            told["status"] = answer->is_open ? "remote" : answer->result.is_error ? "runtime_failure" : "success";
        return boost::json::serialize(told);
    });
    if (answer && !answer->event.empty()) node.emit(answer->event, answer->event_text);
}

/** Writes what tools want in the state, and says what cannot be done. */
void take_updates(tool_answer& answer, node_context& node)
{
    for (state_update::item& item : answer.result.update.items()) {
        const std::uint32_t slot = node.layout().find(item.key.name);
        if (slot == state_layout::none || node.layout()[slot].type != item.key.type)
            node.emit(agent_event::warning,
                      "the tool '" + answer.call.name + "' writes the key '" + std::string{item.key.name} +
                          "', which the loop does not carry: add it to what the loop `carries`");
        else
            node.write({slot, item.is_overwrite, false, std::move(item.value)});
    }
    if (!answer.result.go_to.empty())
        node.emit(agent_event::warning, "the tool '" + answer.call.name + "' hands over, which a loop does not follow");
}

/** The answer of a tool to a call, in the conversation and in the state. */
void take_answer(loop_visit& visit, const tool_call& call, tool_turn& turn)
{
    const auto found = std::find_if(turn.answers.begin(), turn.answers.end(),
                                    [&](const tool_answer& one) { return one.call.id == call.id; });
    if (found == turn.answers.end())
        return visit.say(message::tool_error(call.id, "There is no tool '" + call.name +
                                                          "', and none but those of the loop."),
                         message_author::tool);
    visit.say(found->to_message(), message_author::tool);
    take_updates(*found, visit.node);
}

/** Carries out a call by which the model steers the loop. */
void carry_out_own(loop_visit& visit, const tool_call& call)
{
    tell_own_call(visit.node, call, nullptr);
    const loop_tool_answer answer = visit.loop.own().call(call, visit.memory);
    tell_own_call(visit.node, call, &answer);
    if (!answer.is_open) visit.say(message_of_result(call.id, answer.result), message_author::tool);
}

/** Puts the answers of a turn into the conversation, in the order of the calls. */
void take_answers(loop_visit& visit, const std::vector<tool_call>& calls, tool_turn& turn)
{
    const std::size_t most = visit.loop.limits().calls_max;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        if (i >= most)
            visit.say(message::tool_error(calls[i].id,
                                          "Refused: a turn has at most " + std::to_string(most) +
                                              " tool calls. Call it again in the next turn if it is still needed."),
                      message_author::tool);
        else if (visit.loop.own().has(calls[i].name)) carry_out_own(visit, calls[i]);
        else take_answer(visit, calls[i], turn);
    }
}

/** While tools are at work: the outputs that the turn sets beside them, so that a cancel keeps them. */
void publish_set_outputs(const loop_visit& visit, const std::vector<tool_call>& calls)
{
    if (visit.loop.options().spill) return;  // long values go there once, when the turn is carried out
    event_loop_memory memory = visit.memory;
    bool has_any = false;
    for (const tool_call& call : calls) {
        if (call.name != "set_output") continue;
        (void)visit.loop.own().call(call, memory);
        has_any = true;
    }
    // Published and not written: the step writes the memory at its end, and a stop before that leaves this.
    if (has_any) visit.node.publish(loop_state, std::move(memory));
}

command hand_out(const event_loop_memory& memory)
{
    if (memory.delegations.empty()) return command::next();
    std::vector<send> items;
    for (const loop_delegation& one : memory.delegations)
        items.emplace_back(agent_node_name(one.agent)).input(loop_assignment, one);
    return command::fan_out(std::move(items));
}

}  // namespace

task<command> act_loop(loop_ptr loop, node_context& node)
{
    loop_visit visit{*loop, node};
    const std::vector<tool_call> calls = newest_calls(visit.history, visit.by().lane);
    if (calls.size() > loop->limits().calls_warned)
        visit.warn(std::to_string(calls.size()) + " tool calls in one turn, more than " +
                   std::to_string(loop->limits().calls_warned));
    const std::size_t most = std::min<std::size_t>(calls.size(), loop->limits().calls_max);
    const std::vector<tool_call> within{calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(most)};
    std::vector<tool_call> real;
    for (const tool_call& call : within)
        if (!loop->own().has(call.name)) real.push_back(call);
    tool_turn turn;
    const std::shared_ptr<const offered_tools> offered = visit.offered();
    if (offered->runner && !real.empty()) {
        publish_set_outputs(visit, within);
        tool_turn made = co_await tool_step(*offered->runner, std::move(real), node);
        turn = std::move(made);
    }
    take_answers(visit, calls, turn);
    command next = hand_out(visit.memory);
    visit.save();
    co_return next;
}

}  // namespace weft::agent_detail
