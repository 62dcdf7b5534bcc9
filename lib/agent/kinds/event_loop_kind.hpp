#pragma once

#include <weft/agent/event_loop.hpp>
#include <weft/agent/event_loop/loop_limits.hpp>
#include <weft/agent/event_loop/loop_dry_run.hpp>
#include <weft/agent/guard/guard_settings.hpp>
#include <weft/graph/node_registry.hpp>

#include <boost/describe/class.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** A sub-agent as a graph file says it. */
struct sub_agent_file_settings : sampling_settings {
    static constexpr std::array<std::string_view, 1> required_members{"id"};
    std::string id = {};
    std::string when = {};  ///< For the model: what it is good for.
    std::string system = {};
    std::string criteria = {};
    std::vector<std::string> outputs = {};  ///< What it gives back, by name; empty: its last reply.
    std::vector<std::string> tools = {};
    loop_limits limits = {};
    std::vector<dry_run_turn> scripted = {};

    friend bool operator==(const sub_agent_file_settings&, const sub_agent_file_settings&) = default;
};
BOOST_DESCRIBE_STRUCT(sub_agent_file_settings, (sampling_settings),
                      (id, when, system, criteria, outputs, tools, limits, scripted))

/** An event loop as a graph file says it. */
struct event_loop_file_settings : event_loop_settings {
    std::vector<std::string> tools = {};  ///< Of those that the program has; empty: none.
    std::vector<sub_agent_file_settings> sub_agents = {};
    agent_guards_settings guards = {};    ///< What looks at what is said and done, by its sub-agents too.
    std::vector<dry_run_turn> scripted = {};  ///< Its turns when there is no model.
};
BOOST_DESCRIBE_STRUCT(event_loop_file_settings, (event_loop_settings), (tools, sub_agents, guards, scripted))

/** The kind `event_loop` of graph files, with `event_loop_file_settings`. What it owes stands in the node's `writes`,
 *  what it may leave out in `outputs.nullable`, what it is told in `reads`.
 *
 *  @param model     Null: its nodes rehearse: the scripted turns, then made-up outputs.
 *  @param program   What else loops need of the program: judge, mailbox, spill store, hook, options of tools; `tools`
 *                   are those that files can name. */
[[nodiscard]] node_kind event_loop_kind(std::shared_ptr<chat_model> model,
                                        event_loop_options program = event_loop_options{});

}  // namespace weft
