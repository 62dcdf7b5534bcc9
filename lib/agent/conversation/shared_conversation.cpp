#include "shared_conversation.hpp"

#include "agent/text/key_text.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_in_text.hpp>
#include <weft/base/text/ascii_text.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/tool/call/tool_turn.hpp>

#include <algorithm>
#include <utility>

namespace weft::agent_detail {

bool has_shared_conversation(const node_context& node) { return node.conversation_slot() != state_layout::none; }

conversation shared_conversation_of(const node_context& node)
{
    const value_ptr& value = node.value_at(node.conversation_slot());
    return value ? unboxed<conversation>(*value) : conversation{};
}

shared_conversation::shared_conversation(node_context& node) : node_{node}, said_{shared_conversation_of(node)} {}

void shared_conversation::say(message what, message_author author, std::string label)
{
    provenance from;
    from.node = node_.node();
    from.phase = from.node;
    from.visit = node_.visit();
    from.author = author;
    conversation::options how;
    how.label = std::move(label);
    conversation_change change = said_.add(std::move(what), std::move(from), std::move(how));
    node_.write({node_.conversation_slot(), false, false, make_box<conversation_change>(std::move(change))});
}

void add_to_shared_conversation(node_context& node, const conversation& grown)
{
    // The node's own branch alone adds while it runs, so what is there now is how it began.
    for (conversation_change& change : grown.changes_since(shared_conversation_of(node).size()))
        node.write({node.conversation_slot(), false, false, make_box<conversation_change>(std::move(change))});
}

list<message> told_without_tools(const list<message>& messages)
{
    list<message> told;
    for (const message& one : messages) {
        if (one.role == role::tool) {
            told.push_back(message::user("[Result of a tool call] " + one.text()));
        } else if (one.tool_calls.empty()) {
            told.push_back(one);
        } else {
            std::string text = one.text();
            for (const tool_call& call : one.tool_calls)
                text.append(text.empty() ? "" : "\n").append("[Calls ").append(call.name).append(" ")
                    .append(call.arguments).append("]");
            told.push_back(message::assistant(std::move(text)));
        }
    }
    return told;
}

namespace {

void add_output(std::vector<named_text>& to, std::string name, std::string text)
{
    const auto is_same = [&](const named_text& one) { return one.name == name; };
    if (std::none_of(to.begin(), to.end(), is_same)) to.push_back({std::move(name), std::move(text)});
}

/** The outputs that a message sets by the tool of event loops, the newest first. */
void add_set_outputs(std::vector<named_text>& to, const message& said)
{
    for (auto call = said.tool_calls.rbegin(); call != said.tool_calls.rend(); ++call) {
        if (call->name != "set_output") continue;
        try {
            const boost::json::object arguments = parse_arguments(*call);
            const boost::json::value* const key = arguments.if_contains("key");
            const boost::json::value* const value = arguments.if_contains("value");
            if (key && key->is_string() && value)
                add_output(to, std::string{std::string_view{key->get_string()}}, readable_text(*value));
        } catch (const error&) {
            continue;  // the loop has refused it
        }
    }
}

void add_node_outputs(std::vector<named_text>& to, const std::string& text)
{
    const auto is_any = [](const boost::json::object&) { return true; };
    const auto outputs = find_json_object(text, is_any);
    if (!outputs) return;
    for (const auto& [name, value] : *outputs) add_output(to, std::string{name}, readable_text(value));
}

}  // namespace

std::vector<named_text> given_in_phase(const conversation& history, std::string_view lane, std::string_view phase)
{
    std::vector<named_text> given;
    std::string reply;
    for (lane_cursor at{history, lane}; !at.is_done() && at.entry().from.phase == phase; at.next()) {
        const conversation_entry& entry = at.entry();
        if (entry.is_mark()) continue;
        if (entry.label == node_output_label) add_node_outputs(given, entry.message.text());
        if (entry.message.role != role::assistant) continue;
        add_set_outputs(given, entry.message);
        if (reply.empty() && !is_blank(entry.message.text())) reply = entry.message.text();
    }
    std::reverse(given.begin(), given.end());
    if (given.empty() && !reply.empty()) given.push_back({"reply", std::move(reply)});
    return given;
}

}  // namespace weft::agent_detail
