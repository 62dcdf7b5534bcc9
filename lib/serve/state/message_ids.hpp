#pragma once

#include <weft/engine/run_event.hpp>
#include <weft/engine/run_request.hpp>
#include <weft/graph/node/command.hpp>
#include <weft/graph/state/write_set.hpp>

#include <string>
#include <string_view>

namespace weft::serve_detail {

// Clients put pieces of text together, find branches and leave out what they have by the ids of messages. So a message
// has one id from the first piece that its node emits on, in all protocols, and keeps it in the state.

/** The id of what a visit of a node says. @param visit   An event of it. */
[[nodiscard]] std::string message_id_of(const run_event& visit);

/** Gives ids to the messages that a node has written and that have none: the first one of an assistant gets that of
 *  what the node has emitted. Messages before the first one without an id stay where they are, shared with the lists
 *  that they are from. For `durable_options::amend_writes`.
 *  @return  What names the rest of a long list, some 64 KB of messages at a time; empty if all have their ids. */
[[nodiscard]] run_request::writes_rest name_messages(const run_event& visit, write_set& writes);

/** The same for messages that come from a client, in one go. @param prefix   What no other message's id begins with. */
void name_messages(std::string_view prefix, state_update& update);

}  // namespace weft::serve_detail
