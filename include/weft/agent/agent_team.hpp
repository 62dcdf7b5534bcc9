#pragma once

#include <weft/agent/react_agent.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weft {

/** One of several agents that share a conversation. */
struct team_member {
    std::shared_ptr<chat_model> model = {};  ///< Null: that of the team.
    /** Its name is its node's. `settings.hands_over` names the members to whom it may hand over, and no others. */
    react_options agent = {};
};

/** What a team is beside its members. */
struct agent_team_options {
    std::string name = "team";
    std::string first = {};          ///< Who begins in a new thread; empty: the first member.
    std::int64_t hand_overs_max = 8; ///< Between two messages of a user; then the agent that has it answers.
};

/** Agents that hand one conversation over to each other.
 *
 *      weft::graph support = weft::make_agent_team(model, {{.agent = triage}, {.agent = billing}});
 *
 *  Its keys are those of the members, and `active_agent`: in a thread that goes on, the next message of the user is for
 *  the agent that had the conversation last. A handoff is a step: a durable run that is ended there goes on with
 *  the agent that took over.
 *
 *  @par Errors   `errc::invalid_configuration`: no members, two of one name, a `first` that is none of them, or those
 *                of `react_agent`. `graph_error` if a member hands over to a name that is no member. */
[[nodiscard]] graph make_agent_team(std::shared_ptr<chat_model> model, std::vector<team_member> members,
                                    agent_team_options options = {});

}  // namespace weft
