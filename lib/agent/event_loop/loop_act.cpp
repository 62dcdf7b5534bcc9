#include "loop_parts.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/tool/call/node_tools.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace weft::agent_detail {

namespace {

/** The calls of the newest message of the model, each id once. */
std::vector<tool_call> newest_calls(const conversation& talk, std::string_view lane)
{
    std::vector<tool_call> calls;
    for (lane_cursor at{talk, lane}; !at.is_done(); at.next()) {
        const conversation_entry& entry = at.entry();
        if (entry.is_mark() || entry.message.role != role::assistant) continue;
        std::set<std::string_view> seen;
        for (const tool_call& call : entry.message.tool_calls)
            if (seen.insert(call.id).second) calls.push_back(call);
        break;
    }
    return calls;
}

/** The calls of a turn by who carries them out. */
struct sorted_calls {
    sorted_calls(std::vector<tool_call> all, const loop_parts& parts) : calls{std::move(all)}
    {
        const std::size_t most = std::min<std::size_t>(calls.size(), parts.limits().calls_max);
        for (std::size_t i = 0; i < most; ++i)
            if (!parts.own.has(calls[i].name)) real.push_back(calls[i]);
    }

    std::vector<tool_call> calls;  ///< All, in order.
    std::vector<tool_call> real;   ///< Those within the limit that tools carry out.
};

void tell_own_call(node_context& node, const tool_call& call, const loop_tool_answer* answer)
{
    boost::json::object told{{"id", call.id}, {"name", call.name}};
    if (!answer) return node.emit(agent_event::tool_start, boost::json::serialize(told));
    told["status"] = answer->is_open ? "remote" : answer->result.is_error ? "runtime_failure" : "success";
    node.emit(agent_event::tool_end, boost::json::serialize(told));
    if (!answer->event.empty()) node.emit(answer->event, answer->event_text);
}

message message_of_result(const std::string& call_id, const tool_result& result)
{
    return result.is_error ? message::tool_error(call_id, result.readable())
                           : message::tool_result(call_id, result.readable());
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

/** Puts the answers of a turn into the conversation, in the order of the calls. */
class turn_answers {
public:
    turn_answers(const loop_parts& parts, node_context& node, conversation& talk, event_loop_memory& memory)
        : parts_{parts}, node_{node}, talk_{talk}, memory_{memory},
          from_{loop_provenance(parts, node.get(loop_start), message_author::tool)}
    {
    }

    void add_all(const std::vector<tool_call>& calls, tool_turn& turn)
    {
        for (std::size_t i = 0; i < calls.size(); ++i) {
            if (i >= parts_.limits().calls_max) refuse(calls[i]);
            else if (parts_.own.has(calls[i].name)) carry_out(calls[i]);
            else add(calls[i], turn);
        }
    }

private:
    void refuse(const tool_call& call)
    {
        say(message::tool_error(call.id, "Refused: a turn has at most " + std::to_string(parts_.limits().calls_max) +
                                             " tool calls. Call it again in the next turn if it is still needed."));
    }
    void carry_out(const tool_call& call)
    {
        tell_own_call(node_, call, nullptr);
        const loop_tool_answer answer = parts_.own.call(call, memory_);
        tell_own_call(node_, call, &answer);
        if (!answer.is_open) say(message_of_result(call.id, answer.result));
    }
    void add(const tool_call& call, tool_turn& turn)
    {
        const auto found = std::find_if(turn.answers.begin(), turn.answers.end(),
                                        [&](const tool_answer& one) { return one.call.id == call.id; });
        if (found == turn.answers.end())
            return say(message::tool_error(call.id, "There is no tool '" + call.name + "', and none but those of the "
                                                                                        "loop."));
        say(found->to_message());
        take_updates(*found, node_);
    }
    void say(message said) { loop_say(node_, talk_, std::move(said), from_); }

    const loop_parts& parts_;
    node_context& node_;
    conversation& talk_;
    event_loop_memory& memory_;
    provenance from_;
};

/** While tools are at work: the outputs that the turn sets beside them, so that a cancel keeps them. */
void publish_set_outputs(const loop_parts& parts, const std::vector<tool_call>& calls, event_loop_memory memory,
                         node_context& node)
{
    if (parts.options.spill) return;  // long values go there once, when the turn is carried out
    bool has_any = false;
    const std::size_t most = std::min<std::size_t>(calls.size(), parts.limits().calls_max);
    for (std::size_t i = 0; i < most; ++i) {
        if (calls[i].name != "set_output") continue;
        (void)parts.own.call(calls[i], memory);
        has_any = true;
    }
    if (has_any) node.publish(loop_state, std::move(memory));
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

task<command> act_loop(std::shared_ptr<const loop_parts> parts, node_context& node)
{
    event_loop_memory memory = node.get(loop_state);
    conversation talk = node.get(loop_talk);
    const loop_brief& brief = node.get(loop_start);
    const std::string lane = loop_provenance(*parts, brief).lane;
    sorted_calls sorted{newest_calls(talk, lane), *parts};
    if (sorted.calls.size() > parts->limits().calls_warned)
        node.emit(agent_event::warning, std::to_string(sorted.calls.size()) + " tool calls in one turn, more than " +
                                 std::to_string(parts->limits().calls_warned));
    tool_turn turn;
    const std::shared_ptr<const offered_tools> offered = offered_in_visit(*parts, node, brief.phases);
    if (offered->runner && !sorted.real.empty()) {
        publish_set_outputs(*parts, sorted.calls, memory, node);
        tool_turn made = co_await call_tools_in_node(*offered->runner, std::move(sorted.real), node);
        turn = std::move(made);
    }
    refuse_cancelled(turn, node);
    refuse_remote_calls(turn);
    turn_answers{*parts, node, talk, memory}.add_all(sorted.calls, turn);
    command next = hand_out(memory);
    node.set(loop_state, std::move(memory));
    co_return next;
}

}  // namespace weft::agent_detail
