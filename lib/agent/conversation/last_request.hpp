#pragma once

#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>
#include <weft/graph/state_key.hpp>

#include <memory>
#include <string>

namespace weft {

class node_context;

namespace agent_detail {

/** The messages of a request, and what they were made of. */
struct last_request {
    std::string system;
    list<message> said;
    list<message> sent;
};

/** In graphs that declare it, nodes that carry a conversation on share the messages of one request with the next. */
inline constexpr state_key<std::shared_ptr<const last_request>> request_before{"react_request", transient};

/** What a model is sent: what the system says, if anything, and then the conversation. Only messages that no request
 *  before had are copied, if the graph of the node declares `request_before`. */
[[nodiscard]] list<message> messages_to_send(node_context& node, std::string system, list<message> said);

}  // namespace agent_detail
}  // namespace weft
