#include <weft/agent/agent_team.hpp>

#include "agent/text/names.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

/** Gives a run to the agent that has the thread's conversation. */
class team_begin {
public:
    team_begin(std::vector<std::string> names, std::string first) : names_{std::move(names)}, first_{std::move(first)}
    {
    }
    command operator()(node_context& node) const
    {
        const std::string* const active = node.find(active_agent);
        const bool is_member = active && agent_detail::contains(names_, *active);
        if (is_member) return command::go_to(*active);
        return command::go_to(first_).set(active_agent, first_);
    }

private:
    std::vector<std::string> names_;
    std::string first_;
};

std::vector<std::string> names_of_members(const std::vector<team_member>& members, const agent_team_options& options)
{
    const auto refuse = [&](std::string why) {
        throw error{errc::invalid_configuration, "team '" + options.name + "'", std::move(why)};
    };
    std::vector<std::string> names;
    for (const team_member& member : members) {
        if (agent_detail::contains(names, member.agent.name))
            refuse("two members are called '" + member.agent.name + "': give each a name of its own");
        names.push_back(member.agent.name);
    }
    if (names.empty()) refuse("it has no members: add one");
    if (!options.first.empty() && !agent_detail::contains(names, options.first))
        refuse("'" + options.first + "' is to begin, and is no member");
    return names;
}

void declare_keys(graph_builder& builder, const std::vector<team_member>& members)
{
    std::vector<std::string_view> known;
    for (const team_member& member : members)
        for (const any_state_key& key : member.agent.keys) {
            if (std::find(known.begin(), known.end(), key.name) == known.end()) builder.declare(key);
            known.push_back(key.name);
        }
    builder.state(active_agent);
}

}  // namespace

graph make_agent_team(std::shared_ptr<chat_model> model, std::vector<team_member> members, agent_team_options options)
{
    const std::vector<std::string> names = names_of_members(members, options);
    graph_builder builder{options.name};
    declare_keys(builder, members);
    // One member is at work at a time: the order decides nothing, and hand-overs are not taken for branches that clash.
    builder.conflict(conflict_strategy::branch_order);
    node_options beginning;
    beginning.goes_to = names;
    builder.node("begin", team_begin{names, options.first.empty() ? names.front() : options.first}, beginning);
    builder.edge(start, "begin");
    for (team_member& member : members) {
        // The count is of the conversation, which all members share: one limit for all of them.
        member.agent.settings.hand_overs_max = options.hand_overs_max;
        member.agent.remembers_active = true;
        const std::string name = member.agent.name;
        const react_agent agent{member.model ? std::move(member.model) : model, std::move(member.agent)};
        node_options with;
        with.goes_to = agent.goes_to();
        builder.node(name, agent.as_node(), std::move(with));
        builder.edge(name, weft::end);
    }
    return builder.build();
}

}  // namespace weft
