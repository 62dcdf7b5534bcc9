#include "team_kind.hpp"

#include "agent/core/number_range.hpp"
#include "agent/node/kind_checks.hpp"
#include "agent/react/react_loop.hpp"
#include "agent/text/graph_kind_body.hpp"
#include "react_file.hpp"

#include <weft/agent/agent_team.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/spec/spec_mistake.hpp>
#include <weft/graph/spec/spec_reading.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace weft {

namespace {

constexpr std::string_view team_entry = "begin";  // a node that the team has besides its members

std::vector<std::string_view> member_names(const team_settings& settings)
{
    std::vector<std::string_view> names;
    for (const team_member_settings& member : settings.members) names.push_back(member.name);
    return names;
}

bool is_member(const team_settings& settings, std::string_view name)
{
    const std::vector<std::string_view> names = member_names(settings);
    return std::find(names.begin(), names.end(), name) != names.end();
}

void check_member_name(node_request& request, const team_settings& settings, std::size_t index, const json_path& at)
{
    const std::string& name = settings.members[index].name;
    const json_path at_name{at, "name"};
    agent_detail::check_agent_name(request, at_name, handoff_prefix, name);
    if (name == team_entry)
        request.mistakes().add(at_name, "is a name that every team has a node of: choose another one");
    for (std::size_t i = 0; i < index; ++i)
        if (settings.members[i].name == name)
            return request.mistakes().add(at_name, "another member is called '" + name + "': choose another name");
}

void check_member_targets(node_request& request, const team_settings& settings, const team_member_settings& member,
                          const json_path& at)
{
    const json_path at_targets{at, "hands_over"};
    for (std::size_t i = 0; i < member.hands_over.size(); ++i) {
        const std::string& to = member.hands_over[i].to;
        const json_path item{at_targets, i};
        const json_path at_to{item, "to"};
        if (!is_member(settings, to))
            request.mistakes().add(at_to, "there is no member '" + to + "'" + known_names(to, member_names(settings)));
        else if (to == member.name)
            request.mistakes().add(at_to, "is the member itself: name another one");
        for (std::size_t j = 0; j < i; ++j)
            if (member.hands_over[j].to == to) {
                request.mistakes().add(at_to, "'" + to + "' is there twice");
                break;
            }
    }
}

/** Warns of members that no other one can hand over to. */
void warn_of_idle_members(node_request& request, const team_settings& settings)
{
    const std::string& first = settings.first.empty() ? settings.members.front().name : settings.first;
    for (const team_member_settings& one : settings.members) {
        const auto leads_to = [&](const team_member_settings& other) {
            return std::any_of(other.hands_over.begin(), other.hands_over.end(),
                               [&](const handoff_target& target) { return target.to == one.name; });
        };
        if (one.name != first && std::none_of(settings.members.begin(), settings.members.end(), leads_to))
            request.warn("nobody hands over to the member '" + one.name + "': name it in the hands_over of another");
    }
}

void check_active_key(node_request& request, const team_settings& settings)
{
    const std::string& key = settings.active;
    if (key.empty()) return;
    const std::uint32_t slot = request.layout().find(key);
    if (slot == state_layout::none) return request.require_readable("active", key);
    if (key == settings.messages) request.mistake("active", "is the key of the conversation: name another one");
    else if (request.layout()[slot].type->value != &value_type_of<std::string> ||
             request.layout()[slot].type->has_reducer)
        request.mistake("active", "the key '" + key + "' cannot hold a name: give it the type string and no reducer");
    agent_detail::require_written(request, "active", key);
}

void check_team(node_request& request, const team_settings& settings)
{
    agent_detail::check_conversation_node(request, settings.messages);
    agent_detail::check_template(request, "prompt", settings.prompt);
    check_active_key(request, settings);
    std::vector<std::string> faults;
    agent_detail::check_range(faults, "hand_overs_max", settings.hand_overs_max, {0, 1000});
    agent_detail::tell_faults(request, faults);
    if (settings.members.empty()) return request.mistake("members", "is empty: name at least one");
    if (!settings.first.empty() && !is_member(settings, settings.first))
        request.mistake("first", "there is no member '" + settings.first + "'" +
                                     known_names(settings.first, member_names(settings)));
    warn_of_idle_members(request, settings);
}

/** A member as C++ has it, or mistakes. */
team_member member_of(node_request& request, const team_settings& settings, std::size_t index,
                      const std::vector<std::string>& answers, const agent_program& around)
{
    const team_member_settings& from = settings.members[index];
    const json_path members{request.settings_at(), "members"};
    const json_path at{members, index};
    check_member_name(request, settings, index, at);
    check_member_targets(request, settings, from, at);
    agent_detail::check_work(request, at, from, answers, around);
    agent_detail::tell_faults(request, at, from.faults());
    react_settings work;
    static_cast<react_work&>(work) = from;
    work.prompt = settings.prompt;
    work.messages = settings.messages;
    work.hands_over = from.hands_over;
    team_member made;
    made.agent = agent_detail::options_of_work(request, std::move(work), answers, around);
    made.agent.name = from.name;
    // The team declares it itself; a key of that name of the graph is another one.
    std::erase_if(made.agent.keys, [](const any_state_key& key) { return key.name == active_agent.name(); });
    made.agent.tools = agent_detail::tools_named(request, at, from.tools, around.tools.get()).value_or(tool_set{});
    return made;
}

/** The team as the work of a node: its keys are those of the graph, but for who has the conversation. */
subgraph team_inside(graph what, const team_settings& settings, const std::vector<any_state_key>& keys,
                     const std::vector<std::string>& writes)
{
    std::vector<key_mapping> in = agent_detail::same_names(keys);
    std::vector<key_mapping> out = agent_detail::same_names(writes);
    if (!settings.active.empty()) {
        in.push_back({std::string{active_agent.name()}, settings.active});
        out.push_back({settings.active, std::string{active_agent.name()}});
    }
    // Each member has the conversation at most once more than it was handed over.
    const auto steps = static_cast<std::uint32_t>(settings.hand_overs_max) + 4;
    return subgraph{.graph = std::move(what),
                    .shares_keys = false,
                    .inputs = std::move(in),
                    .outputs = std::move(out),
                    .steps_max = steps};
}

std::shared_ptr<const node_body> make_team(node_request& request, const agent_program& around)
{
    const std::optional<team_settings> settings = request.settings<team_settings>();
    if (!settings) return nullptr;
    check_team(request, *settings);
    const std::vector<std::string> answers =
        agent_detail::answer_keys_of(request, settings->messages, settings->active);
    std::vector<team_member> members;
    for (std::size_t i = 0; i < settings->members.size(); ++i)
        members.push_back(member_of(request, *settings, i, answers, around));
    agent_detail::wait_for_graph(request);
    if (request.mistakes().count() > 0) return request.registry().nothing();
    const std::vector<any_state_key> keys = members.front().agent.keys;
    std::vector<std::string> writes{settings->messages};
    writes.insert(writes.end(), answers.begin(), answers.end());
    agent_team_options options;
    options.name = request.spec().name;
    options.first = settings->first;
    options.hand_overs_max = settings->hand_overs_max;
    return agent_detail::made_or_mistake(request, "", [&] {
        graph what = make_agent_team(around.model, std::move(members), std::move(options));
        return agent_detail::graph_kind_body(
            team_inside(std::move(what), *settings, keys, writes),
            {"team", spec_detail::write_structure(*settings), request.spec().writes});
    });
}

}  // namespace

node_kind team_kind(agent_program around)
{
    return {[around = std::move(around)](node_request& request) { return make_team(request, around); }, true};
}

}  // namespace weft
