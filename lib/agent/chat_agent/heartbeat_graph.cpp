#include <weft/agent/chat_agent/heartbeat_graph.hpp>

#include "agent/guard/guard_checks.hpp"
#include "heartbeat_prompt.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/base/error.hpp>
#include <weft/base/utf8.hpp>
#include <weft/graph/graph_builder.hpp>

#include <chrono>
#include <memory>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t summary_bytes_max = 500;

std::string summary_of(const agent_status& agent)
{
    const std::string& text = !agent.outcome.status.empty()    ? agent.outcome.status
                              : !agent.outcome.summary.empty() ? agent.outcome.summary
                                                               : agent.reply;
    return std::string{truncated_utf8(text, summary_bytes_max)};
}

/** A list of the prompt that is loaded in the first cycle and is the same in all others. */
std::string loaded_once(node_context& node, const state_key<std::string>& key,
                        const std::function<std::vector<named_text>()>& source)
{
    if (const std::string* const before = node.find(key)) return *before;
    std::string loaded = agent_detail::heartbeat_list(source);
    node.set(key, loaded);
    return loaded;
}

/** Begins a cycle: its number, its thread, its prompt. */
void prepare_cycle(node_context& node, const heartbeat_options& options)
{
    heartbeat_status status = node.value_or(heartbeat_keys::status, {});
    const auto now = std::chrono::floor<std::chrono::milliseconds>(node.loop().clock().system_now());
    ++status.cycles;
    status.stop = heartbeat_stop::none;
    status.agent_thread = "heartbeat_agent_" + std::to_string(now.time_since_epoch().count()) + "_" +
                          std::to_string(status.cycles);
    const std::string directive = node.value_or(heartbeat_keys::directive, options.directive);
    agent_detail::heartbeat_lists lists;
    lists.projects = loaded_once(node, heartbeat_keys::projects, options.projects);
    lists.skills = loaded_once(node, heartbeat_keys::skills, options.skills);
    lists.agents = agent_detail::heartbeat_list(options.agents);
    node.set(heartbeat_keys::prompt, agent_detail::heartbeat_prompt(directive, options, lists, status,
                                                                    std::chrono::floor<std::chrono::seconds>(now)));
    node.set(heartbeat_keys::agent, agent_status{});
    node.set(heartbeat_keys::status, std::move(status));
}

/** Answers with a label what comes of a cycle: edges with conditions are taken after failures too, and a trip ends the
 *  heartbeat. */
command judge_cycle(node_context& node, const heartbeat_options& options)
{
    agent_detail::refuse_trip(node);
    heartbeat_status status = node.get(heartbeat_keys::status);
    const agent_status agent = node.value_or(heartbeat_keys::agent, {});
    const bool has_failed = node.previous_failure() != nullptr;
    if (has_failed) node.emit(agent_event::warning, "cycle failed: " + node.previous_failure()->message);
    status.stop = end_cycle(status, agent, has_failed, options);
    if (agent.stop == agent_stop::blocked) {
        conversation notes = node.value_or(heartbeat_keys::notes, {});
        provenance from;
        from.node = node.node();
        from.visit = node.visit();
        from.author = message_author::program;
        node.set(heartbeat_keys::notes, notes.add(message::system(blocker_note(agent.outcome)), std::move(from)));
    }
    const bool goes_on = status.stop == heartbeat_stop::none;
    node.set(heartbeat_keys::status, std::move(status));
    return command::label(goes_on ? "next" : "end");
}

/** What an agent begins with: the notes, and the prompt as what the user says. */
state_update first_values_of_agent(const node_context& outer)
{
    state_update first;
    if (const conversation* const notes = outer.find(heartbeat_keys::notes))
        first.overwrite(agent_keys::conversation, *notes);
    first.set(agent_keys::input, outer.get(heartbeat_keys::prompt));
    return first;
}

/** What is kept of an agent. One that went round to its limit says so by having more to do. */
command take_agent(const state& inner, node_context& outer)
{
    agent_status status;
    if (const agent_status* const left = inner.find(agent_keys::status)) status = *left;
    if (status.stop == agent_stop::none) status.stop = agent_stop::max_loops;
    outer.set(heartbeat_keys::agent, std::move(status));
    return command::next();
}

}  // namespace

heartbeat_stop end_cycle(heartbeat_status& status, const agent_status& agent, bool failed,
                         const heartbeat_options& options)
{
    const bool has_failed = failed || agent.stop == agent_stop::agent_error;
    status.last = failed ? agent_stop::failed : agent.stop;
    if (has_failed) {
        ++status.failed_cycles;
    } else {
        status.summary = summary_of(agent);
        status.focus = agent.outcome.status;
    }
    if (!has_failed && agent.stop == agent_stop::done) return heartbeat_stop::done;
    if (!has_failed && agent.stop == agent_stop::blocked && options.on_blocked == blocked_policy::end)
        return heartbeat_stop::blocked;
    return status.cycles >= options.cycles_max ? heartbeat_stop::max_cycles : heartbeat_stop::none;
}

std::string blocker_note(const completion& outcome)
{
    return "[Sub-agent blocked]\nBlocker: " + (outcome.blocker.empty() ? "not said" : outcome.blocker) +
           "\nRequirements to unblock: " + (outcome.requirements.empty() ? "not said" : outcome.requirements);
}

graph heartbeat_graph(heartbeat_options options)
{
    if (options.cycles_max == 0)
        throw error{errc::invalid_configuration, "heartbeat_graph", "cycles_max is 0: it is at least 1"};
    agent_options agent = options.agent;
    agent.is_sub_agent = true;
    // No person sees that a heartbeat hangs.
    if (!agent.watch) agent.watch = watchdog_limits{};
    subgraph cycle = agent_inside(agent_graph(std::move(agent)));
    cycle.make_inputs = first_values_of_agent;
    cycle.take_outputs = take_agent;
    const auto shared = std::make_shared<const heartbeat_options>(std::move(options));
    node_options tolerates;
    tolerates.description = "A fresh agent that does one piece of work.";
    // Above what the watchdog allows, which ends the agent first and says why.
    tolerates.timeout = std::chrono::hours{2};
    graph_builder builder{shared->name};
    builder
        .state(heartbeat_keys::status, heartbeat_keys::directive, heartbeat_keys::prompt, heartbeat_keys::notes,
               heartbeat_keys::agent, heartbeat_keys::projects, heartbeat_keys::skills)
        .node("prepare", [shared](node_context& node) { prepare_cycle(node, *shared); })
        .node("cycle", std::move(cycle), std::move(tolerates))
        .node("judge", [shared](node_context& node) { return judge_cycle(node, *shared); })
        .edge(start, "prepare")
        .edge("prepare", "cycle")
        .edge("cycle", "judge")
        .edge_on_failure("cycle", "judge")
        .edge_label("judge", {{"next", "prepare"}, {"end", std::string{end}}});
    return builder.build();
}

run_options heartbeat_run_options() { return agent_run_options(); }

template struct compiled_value<heartbeat_status>;
template struct compiled_key<heartbeat_status>;

}  // namespace weft
