#pragma once

#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>
#include <weft/graph/state_key.hpp>
#include <weft/tool/tool_set.hpp>

#include <boost/describe/class.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** An agent to which another one may hand the conversation over. */
struct handoff_target {
    static constexpr std::array<std::string_view, 1> required_members{"to"};
    std::string to{};    ///< A node of the graph around the agent.
    std::string when{};  ///< For the model: when to do that.

    friend bool operator==(const handoff_target&, const handoff_target&) = default;
};
BOOST_DESCRIBE_STRUCT(handoff_target, (), (to, when))

/** What the names of tools begin with that hand over: `transfer_to_billing`. */
inline constexpr std::string_view handoff_prefix = "transfer_to_";

/** Where an agent hands over to, inside its own graph; empty: nowhere. */
inline constexpr state_key<std::string> react_next{"react_next"};

/** The limits of handing over. */
struct handoff_limits {
    std::string messages = "messages";  ///< The key of the conversation.
    std::size_t count_max = 8;          ///< Between two messages of a user, all agents together.
    std::string exit = "hand_over";     ///< The node at which a graph is left.
};

/** How often a conversation was handed over since a user spoke last. Calls that were refused do not count. */
[[nodiscard]] std::size_t count_handoffs(const list<message>& conversation);

/** Adds a tool `transfer_to_<to>` for each target: the allow-list, since a model can call no other.
 *
 *  Such a tool writes its target to `react_next` and leads to `limits.exit`. When the conversation was handed over too
 *  often already, it says no, in words by which the model answers itself: two agents that send a user to and fro come
 *  to an end. No further state is needed for that, the conversation tells.
 *
 *  @par Errors   As `tool_set`: a target whose name providers refuse in a tool's name. */
void add_handoffs(tool_set& to, const std::vector<handoff_target>& targets, const handoff_limits& limits = {});

}  // namespace weft
