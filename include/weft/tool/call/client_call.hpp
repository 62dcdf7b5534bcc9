#pragma once

#include <weft/chat/tool_call.hpp>
#include <weft/tool/call/client_tools.hpp>
#include <weft/tool/tool_set.hpp>

#include <boost/json/value.hpp>

#include <optional>
#include <span>

namespace weft {

class node_context;

/** What the client of the run has sent, as far as the node offers it, without tools whose names the node's own tools
 *  have: these count. Nothing is left if the graph has no such key or the node may not read it. */
[[nodiscard]] client_tools client_tools_for(const node_context& node, const client_tools_offer& offer,
                                            std::span<const tool_spec> own);

/** Adds tools of the client. A call of one asks a question of the run, whose answer is the result: text, other JSON as
 *  its text, or `{"content": …, "is_error": true}` for a call that failed. The question's `about` is the call, see
 *  `client_call_in`. It has no time limit and is made again, with the same question, where its node is.
 *
 *  @par Cancellation   As `node_context::interrupt`: the run is parked, or pauses with the question. */
void add_client_tools(tool_set& to, const client_tools& from);

/** The call that a question is about (`question::about`, `run_event::about`); nothing if it is about something else.
 *  Its arguments are a JSON object. The form is LangChain's: `{"type": "tool_call", "id": …, "name": …, "args": {…}}`.
 */
[[nodiscard]] std::optional<tool_call> client_call_in(const boost::json::value& about);

}  // namespace weft
