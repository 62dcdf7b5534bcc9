#pragma once

#include <weft/agent/conversation/conversation.hpp>
#include <weft/agent/text/named_text.hpp>
#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace weft {
class node_context;
}

namespace weft::agent_detail {

/** The label of what a node that does not talk leaves in the conversation of its graph. */
inline constexpr const char* node_output_label = "node_output";

/** Whether a node has part in a conversation of its graph. */
[[nodiscard]] bool has_shared_conversation(const node_context& node);

/** The conversation of a graph, as a node with part in it sees it and adds to it. @par Lifetimes  The node outlives
 *  it. */
class shared_conversation {
public:
    explicit shared_conversation(node_context& node);

    [[nodiscard]] const conversation& said() const noexcept { return said_; }
    void say(message what, message_author author, std::string label = {});

private:
    node_context& node_;
    conversation said_;
};

/** As it is now; empty if nothing was said. */
[[nodiscard]] conversation shared_conversation_of(const node_context& node);
/** Adds what `grown` has beyond what was said when it was taken. */
void add_to_shared_conversation(node_context& node, const conversation& grown);

/** The same messages for a model without tools: calls and results as texts, since providers refuse them where no tool
 *  is offered. */
[[nodiscard]] list<message> told_without_tools(const list<message>& messages);

/** What a part of the work gave, by what was said in it last: outputs that it set, or its last reply. */
[[nodiscard]] std::vector<named_text> given_in_phase(const conversation& history, std::string_view lane,
                                                     std::string_view phase);

}  // namespace weft::agent_detail
