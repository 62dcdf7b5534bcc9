#pragma once

#include <weft/agent/react_agent.hpp>
#include <weft/graph/node_registry.hpp>

#include "agent_program.hpp"

#include <boost/describe/class.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** A member of a team, as a graph file says it; see `team_member`. */
struct team_member_settings : react_work {
    static constexpr std::array<std::string_view, 1> required_members{"name"};

    std::string name = {};
    std::vector<handoff_target> hands_over = {};  ///< The members to whom it may hand the conversation over.

    friend bool operator==(const team_member_settings&, const team_member_settings&) = default;
};
BOOST_DESCRIBE_STRUCT(team_member_settings, (react_work), (name, hands_over))

/** Agents that hand one conversation over to each other, as a graph file says it; see `make_agent_team`. */
struct team_settings {
    static constexpr std::array<std::string_view, 1> required_members{"members"};

    std::string prompt = {};                ///< A template: said by the user if nothing was said yet.
    std::string messages = "messages";      ///< The key of the conversation; see `messages_key`.
    std::string active = {};                ///< The key, a text, of who has the conversation; empty: `first` begins
                                            ///< each visit.
    std::string first = {};                 ///< Who begins; empty: the first member.
    std::int64_t hand_overs_max = 8;        ///< Between two messages of a user, all agents together; at most 1000.
    std::vector<team_member_settings> members = {};

    friend bool operator==(const team_settings&, const team_settings&) = default;
};
BOOST_DESCRIBE_STRUCT(team_settings, (), (prompt, messages, active, first, hand_overs_max, members))

/** The kind `team` of graph files: a `make_agent_team` with `team_settings`. The node's `writes` name the key of the
 *  conversation, that of `active` if there is one, and those that the answer of any member is for. Its members see
 *  what the node may read. They try calls of their models again by themselves, and the node runs once for a visit. */
[[nodiscard]] node_kind team_kind(agent_program around);

}  // namespace weft
