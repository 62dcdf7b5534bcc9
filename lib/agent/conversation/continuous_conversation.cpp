#include <weft/agent/conversation/continuous_conversation.hpp>

#include "agent/text/key_text.hpp"
#include "shared_conversation.hpp"

#include <weft/graph/node_context.hpp>

#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t value_bytes_max = 2'000;

/** A written value for the conversation: whole if it is short. */
boost::json::value told_value(const value_box& value)
{
    boost::json::value json = value.type().to_json(value);
    const std::string text = agent_detail::readable_text(json);
    if (text.size() <= value_bytes_max) return json;
    return boost::json::string{agent_detail::shortened(text, value_bytes_max)};
}

/** Whether a value is itself a conversation, which has its readers elsewhere. */
bool is_conversation(const value_type& type)
{
    return &type == &value_type_of<conversation> || &type == &value_type_of<conversation_change> ||
           &type == &value_type_of<list<message>>;
}

message_author author_of(role who)
{
    switch (who) {
    case role::assistant: return message_author::model;
    case role::tool: return message_author::tool;
    case role::user: return message_author::person;
    default: return message_author::program;
    }
}

/** Adds what the node wrote, its messages as they are. */
void leave_writes(node_context& node)
{
    const write_set given = node.writes();  // what is added below is none of them
    const auto is_shared = [&](const state_write& one) { return one.slot == node.conversation_slot(); };
    if (std::any_of(given.begin(), given.end(), is_shared)) return;  // it talked itself
    agent_detail::shared_conversation history{node};
    boost::json::object outputs;
    for (const state_write& one : given) {
        if (!one.value || !one.value->type().to_json || is_conversation(one.value->type())) continue;
        if (&one.value->type() == &value_type_of<message>) {
            const message& said = unboxed<message>(*one.value);
            if (said.role != role::system) history.say(said, author_of(said.role));
        } else {
            outputs[node.layout()[one.slot].name] = told_value(*one.value);
        }
    }
    if (outputs.empty()) return;
    const std::string text =
        "The node '" + std::string{node.node()} + "' gave:\n" + agent_detail::readable_json(outputs);
    history.say(message::user(text), message_author::program, agent_detail::node_output_label);
}

}  // namespace

graph_conversation continuous_conversation() { return {shared_conversation, &leave_writes}; }

}  // namespace weft
