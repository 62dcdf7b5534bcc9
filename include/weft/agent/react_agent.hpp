#pragma once

#include <weft/agent/node/agent_hooks.hpp>
#include <weft/agent/react/react_settings.hpp>
#include <weft/async/retry_policy.hpp>
#include <weft/async/task.hpp>
#include <weft/base/list.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/node/node.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/graph/state_key.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/tool/call/messages_key.hpp>
#include <weft/tool/tool_runner.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace weft {

/** The conversation of agents that declare no keys of their own. */
inline constexpr state_key<list<message>, append> react_messages{"messages"};
/** Their answers. */
inline constexpr state_key<std::string> react_answer{"answer"};
/** Calls of the model in this visit; a key of the agent's own graph. */
inline constexpr state_key<std::int64_t, add> react_turns{"react_turns"};
/** Who has the conversation, where agents hand it over; see `make_agent_team`. */
inline constexpr state_key<std::string> active_agent{"active_agent"};

/** What an agent is made of. */
struct react_options {
    std::string name = "agent";
    react_settings settings = {};
    tool_set tools = {};  ///< All of these may be called, whatever `settings.tools` says.
    /** The keys that the final answer gives values to. One key that takes texts gets the text of the last reply. For
     *  others the model is asked once more at the end, for a JSON object that fits them. */
    std::vector<std::string> writes = {"answer"};
    std::vector<std::string> nullable = {};             ///< Of these: those that the answer may leave out.
    std::map<std::string, std::string> descriptions = {};  ///< Of keys, for the model.
    /** The keys of its graph, which must contain those of the conversation and of `writes`; by default
     *  `react_messages` and `react_answer`. What they have goes in, the conversation and `writes` come out. */
    std::vector<any_state_key> keys = {react_messages, react_answer};
    tool_runner_options tool_options = {};  ///< Policy, limits, timeouts of tools.
    agent_hooks hooks = {};
    retry_policy retry = {.attempts_max = 1};  ///< Of a turn's call of the model.
    /** When it hands over, it also writes the target to `active_agent`, a key of the graph around it. */
    bool remembers_active = false;
};

/** An agent that goes round between a model and its tools until the model answers without calls: ReAct.
 *
 *      weft::react_options options;
 *      options.settings.system = "You help with the weather.";
 *      options.tools.add("weather", "The weather of a city.", weather);
 *      const weft::react_agent agent{model, std::move(options)};
 *      std::string answer = co_await agent.ask("Umbrella in Rome?");
 *
 *  It is a graph of existing nodes: `think` (an `llm_node`), `act` (a `tool_node`), `answer` (the last word). Each turn
 *  is a step, so that a durable run goes on after a crash at its turn; replies and tool calls that were paid for are
 *  not made again. It is bounded by `settings.turns_max` calls of the model.
 *
 *  As a node of another graph it can hand the conversation over to other nodes there, see `add_handoffs`.
 *
 *  @par Errors          From the constructor `errc::invalid_configuration`, `graph_error`. In a run those of `llm_node`
 *                       and `tool_node`, and
 *    - `errc::limit_reached`   the turns are used up, with `react_limit::fail`.
 *  @par Cancellation    As `llm_node` and `tool_node`.
 *  @par Thread safety   One object serves all runs on all OS threads, if model, tools and hooks do.
 *  @par Example         samples/18_react_agent.cpp [agent]
 *  @par Source          Yao et al.: ReAct, ICLR 2023; LangGraph's `create_react_agent`; Agentflow's handoff tools.
 */
class react_agent {
public:
    /** @param model   Null for a dry run; see `llm_node`. */
    react_agent(std::shared_ptr<chat_model> model, react_options options);

    /** Asks it once, in a conversation that begins with `text`, and gives its answer; see `ask_agent`. The agent may go
     *  while it is at work. */
    [[nodiscard]] task<std::string> ask(std::string text) const;

    /** The loop as a graph, to run it alone or to draw it. Alone, it ends when it hands over; `react_next` says to
     *  whom. */
    [[nodiscard]] const weft::graph& graph() const noexcept;

    /** As the work of a node whose graph declares the keys that go in and come out. */
    [[nodiscard]] std::shared_ptr<const node_body> as_node() const;
    /** For `node_options::goes_to` of that node. */
    [[nodiscard]] std::vector<std::string> goes_to() const;

private:
    struct impl;
    std::shared_ptr<const impl> impl_;
};

}  // namespace weft
