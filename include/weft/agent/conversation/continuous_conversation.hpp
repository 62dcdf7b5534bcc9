#pragma once

#include <weft/agent/conversation/conversation.hpp>
#include <weft/graph/node/graph_conversation.hpp>
#include <weft/graph/state_key.hpp>

namespace weft {

/** Where the conversation of a graph lies that `continuous_conversation` gives it. */
inline constexpr state_key<conversation, converse> shared_conversation{"conversation"};

/** One conversation for all nodes of a graph.
 *
 *      weft::graph_builder builder{"report"};
 *      builder.conversation(weft::continuous_conversation());
 *
 *  An event loop that names no conversation of its own carries it on, with a marker of what the node before gave. An
 *  `llm_node` without `messages` sees it and adds its prompt and the reply. Any other node that succeeds leaves in it
 *  what it wrote, shortened, and the messages that it wrote, so that each later node sees the tool calls and outputs
 *  of all nodes before. Nodes with `node_options::is_isolated` have no part in it; an event loop in
 *  `conversation_mode::isolated`, or with a conversation of its own, sees nothing of it and leaves its outputs.
 *  Branches add theirs one branch after the other where they meet.
 *
 *  @par Source   Hive's executor: continuous conversation, tool and output accumulation. */
[[nodiscard]] graph_conversation continuous_conversation();

}  // namespace weft
