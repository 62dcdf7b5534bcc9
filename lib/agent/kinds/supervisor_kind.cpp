#include "supervisor_kind.hpp"

#include "agent/core/number_range.hpp"
#include "agent/node/kind_checks.hpp"
#include "agent/react/react_loop.hpp"
#include "agent/text/graph_kind_body.hpp"
#include "react_file.hpp"

#include <weft/agent/supervisor.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/spec/spec_reading.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace weft {

namespace {

/** Nodes that a supervisor has besides its workers. */
constexpr std::array<std::string_view, 7> supervisor_nodes{"think",     "act",      "answer", "give_up",
                                                           "hand_over", "delegate", "collect"};

void check_worker_name(node_request& request, const supervisor_settings& settings, std::size_t index,
                       const json_path& at)
{
    const std::string& name = settings.workers[index].name;
    const json_path at_name{at, "name"};
    agent_detail::check_agent_name(request, at_name, delegation_prefix, name);
    if (std::find(supervisor_nodes.begin(), supervisor_nodes.end(), name) != supervisor_nodes.end())
        request.mistakes().add(at_name, "is a name that every supervisor has a node of: choose another one");
    for (std::size_t i = 0; i < index; ++i)
        if (settings.workers[i].name == name)
            return request.mistakes().add(at_name, "another worker is called '" + name + "': choose another name");
    const std::string tool = std::string{delegation_prefix} + name;
    if (agent_detail::contains(settings.tools, tool))
        request.mistakes().add(at_name, "the supervisor has a tool '" + tool + "' already: choose another name");
}

/** A worker sees no conversation but its own. */
void check_worker_prompt(node_request& request, const std::string& system, const json_path& at)
{
    try {
        const prompt_template parsed{system};
        for (const prompt_template::place& place : parsed.places())
            if (agent_detail::is_default_key(place.key))
                request.mistakes().add(json_path{at, "system"},
                                       place.at.text() + ": a worker has a key '" + place.key +
                                           "' of its own, and does not see that of the graph");
    } catch (const error&) {
        return;  // told as a mistake of the template
    }
}

/** A worker as C++ has it, or mistakes. */
supervisor_worker worker_of(node_request& request, const supervisor_settings& settings, std::size_t index,
                            const react_options& boss, const agent_program& around)
{
    const supervisor_worker_settings& from = settings.workers[index];
    const json_path workers{request.settings_at(), "workers"};
    const json_path at{workers, index};
    check_worker_name(request, settings, index, at);
    check_worker_prompt(request, from.system, at);
    agent_detail::check_work(request, at, from, {}, around);
    agent_detail::tell_faults(request, at, from.faults());
    supervisor_worker made;
    made.when = from.when;
    react_options& work = made.agent;
    static_cast<react_work&>(work.settings) = from;
    work.name = from.name;
    work.tool_options = around.tool_options;
    work.hooks = around.hooks;
    for (const any_state_key& key : boss.keys) {
        const bool is_of_boss = key.name == settings.messages || agent_detail::contains(boss.writes, key.name);
        if (!is_of_boss && !agent_detail::is_default_key(key.name)) work.keys.push_back(key);
    }
    work.tools = agent_detail::tools_named(request, at, from.tools, around.tools.get()).value_or(tool_set{});
    return made;
}

react_options boss_of(node_request& request, const supervisor_settings& settings,
                      const std::vector<std::string>& answers, const agent_program& around)
{
    const json_path& at = request.settings_at();
    agent_detail::check_conversation_node(request, settings.messages);
    agent_detail::check_template(request, "prompt", settings.prompt);
    agent_detail::check_work(request, at, settings, answers, around);
    agent_detail::tell_faults(request, settings.faults());
    if (settings.workers.empty()) request.mistake("workers", "is empty: name at least one");
    react_settings work;
    static_cast<react_work&>(work) = settings;
    work.prompt = settings.prompt;
    work.messages = settings.messages;
    react_options boss = agent_detail::options_of_work(request, std::move(work), answers, around);
    boss.tools = agent_detail::tools_named(request, at, settings.tools, around.tools.get()).value_or(tool_set{});
    return boss;
}

supervisor_options limits_of(const supervisor_settings& settings)
{
    supervisor_options limits;
    limits.delegations_max = static_cast<std::size_t>(settings.delegations_max);
    limits.concurrency_max = static_cast<std::uint32_t>(settings.busy_workers_max);
    if (settings.worker_timeout) limits.worker_timeout = settings.worker_timeout->span();
    return limits;
}

/** The supervisor as the work of a node: its keys are those of the graph. */
subgraph supervisor_inside(graph what, const react_options& boss, const supervisor_options& limits)
{
    std::vector<std::string> writes{boss.settings.messages};
    writes.insert(writes.end(), boss.writes.begin(), boss.writes.end());
    return subgraph{.graph = std::move(what),
                    .inputs = agent_detail::same_names(boss.keys),
                    .outputs = agent_detail::same_names(writes),
                    .steps_max = supervisor_steps_max(boss, limits)};
}

std::shared_ptr<const node_body> make_supervisor_node(node_request& request, const agent_program& around)
{
    const std::optional<supervisor_settings> settings = request.settings<supervisor_settings>();
    if (!settings) return nullptr;
    const std::vector<std::string> answers = agent_detail::answer_keys_of(request, settings->messages);
    const react_options boss = boss_of(request, *settings, answers, around);
    std::vector<supervisor_worker> workers;
    for (std::size_t i = 0; i < settings->workers.size(); ++i)
        workers.push_back(worker_of(request, *settings, i, boss, around));
    agent_detail::wait_for_graph(request);
    if (request.mistakes().count() > 0) return request.registry().nothing();
    const supervisor_options limits = limits_of(*settings);
    return agent_detail::made_or_mistake(request, "", [&] {
        return agent_detail::graph_kind_body(
            supervisor_inside(make_supervisor(around.model, boss, std::move(workers), limits), boss, limits),
            {"supervisor", spec_detail::write_structure(*settings), request.spec().writes});
    });
}

}  // namespace

std::vector<std::string> supervisor_settings::faults() const
{
    std::vector<std::string> faults = react_work::faults();
    agent_detail::check_range(faults, "delegations_max", delegations_max, {1, 1000});
    agent_detail::check_range(faults, "busy_workers_max", busy_workers_max, {1, 1000});
    return faults;
}

node_kind supervisor_kind(agent_program around)
{
    return {[around = std::move(around)](node_request& request) { return make_supervisor_node(request, around); },
            true};
}

}  // namespace weft
