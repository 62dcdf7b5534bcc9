#pragma once

#include <weft/agent/chat_agent/heartbeat_graph.hpp>
#include <weft/agent/core/agent_settings.hpp>
#include <weft/agent/playbook.hpp>
#include <weft/agent/text/named_text.hpp>
#include <weft/graph/node_registry.hpp>
#include <weft/graph/spec/spec_duration.hpp>

#include "agent_program.hpp"

#include <boost/describe/class.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** What a graph file says of any agent that is a graph; see `agent_options`. */
struct agent_file_settings : agent_settings {
    std::string base = {};          ///< Who it is and how it works.
    std::string channel = {};       ///< Where it speaks.
    std::string surroundings = {};  ///< What it knows of the world.
    bool tells_time = false;
    std::optional<std::int64_t> budget = {};     ///< Tokens for the messages of a request.
    std::optional<std::int64_t> calls_max = {};  ///< Of the model in one visit.
    std::optional<spec_duration> timeout = {};   ///< Of one call of the model.
    /** The replies when there is no model: one a call in a turn, the last again. One without a block ends the turn. */
    std::vector<std::string> scripted = {};
    std::string outcome = {};  ///< The key that gets how it ended, a text; see there.

    friend bool operator==(const agent_file_settings&, const agent_file_settings&) = default;
};
BOOST_DESCRIBE_STRUCT(agent_file_settings, (agent_settings),
                      (base, channel, surroundings, tells_time, budget, calls_max, timeout, scripted, outcome))

/** An `agent_graph`, or a `workflow_agent_graph`, as a node of a file. `outcome`: `done`, `blocked`, `no_block`,
 *  `agent_error`, `max_loops`; without such a key whatever is not `done` fails the node. */
struct agent_node_settings : agent_file_settings {
    static constexpr std::array<std::string_view, 1> required_members{"prompt"};

    std::string prompt = {};     ///< A template: what it is told.
    std::string directive = {};  ///< What it is to do, and how.
    /** The key, of the type `conversation`, of a conversation that is carried on; empty: none is. */
    std::string talk = {};
    /** Workflows that the agent can start; then it is a `workflow_agent_graph`. Empty: it has none. */
    std::vector<playbook_definition> playbooks = {};

    friend bool operator==(const agent_node_settings&, const agent_node_settings&) = default;
};
BOOST_DESCRIBE_STRUCT(agent_node_settings, (agent_file_settings), (prompt, directive, talk, playbooks))

/** A `heartbeat_graph` as a node of a file. `outcome`: `done`, `blocked`, `max_cycles`. */
struct heartbeat_node_settings : agent_file_settings {
    static constexpr std::array<std::string_view, 1> required_members{"directive"};

    std::string directive = {};  ///< A template: what it is for.
    std::vector<std::string> rules = {};
    std::vector<named_text> projects = {}, skills = {}, agents = {};
    std::optional<std::int64_t> cycles_max = {};
    blocked_policy on_blocked = blocked_policy::end;

    friend bool operator==(const heartbeat_node_settings&, const heartbeat_node_settings&) = default;
};
BOOST_DESCRIBE_STRUCT(heartbeat_node_settings, (agent_file_settings),
                      (directive, rules, projects, skills, agents, cycles_max, on_blocked))

/** A `playbook_run_graph` as a node of a file. `outcome`: the names of the playbooks that ran, one a line. */
struct playbook_node_settings : agent_file_settings {
    static constexpr std::array<std::string_view, 2> required_members{"prompt", "playbooks"};

    std::string prompt = {};  ///< A template: what the first playbook is started with.
    std::vector<playbook_definition> playbooks = {};  ///< The first one is run; the others are those that they name.

    friend bool operator==(const playbook_node_settings&, const playbook_node_settings&) = default;
};
BOOST_DESCRIBE_STRUCT(playbook_node_settings, (agent_file_settings), (prompt, playbooks))

/** The kinds `agent`, `heartbeat` and `playbook` of graph files. Each is a graph inside a node, so that durable runs
 *  keep what is done within it. What it says goes to the one key of type string that the node's `writes` names beside
 *  those of its settings. */
[[nodiscard]] node_kind agent_graph_kind(agent_program around);
[[nodiscard]] node_kind heartbeat_kind(agent_program around);
[[nodiscard]] node_kind playbook_kind(agent_program around);

/** Adds these kinds, and the type of keys `conversation`. */
node_registry& add_agent_graph_kinds(node_registry& registry, const agent_program& around);

}  // namespace weft
