#pragma once

#include <weft/agent/react_agent.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft::agent_detail {

/** Whether a key is one of those that agents have by default, as workers of a supervisor do: a conversation and an
 *  answer of their own. */
[[nodiscard]] bool is_default_key(std::string_view key);
/** Keys that two graphs share under their names. */
[[nodiscard]] std::vector<key_mapping> same_names(const std::vector<any_state_key>& keys);
[[nodiscard]] std::vector<key_mapping> same_names(const std::vector<std::string>& keys);

/** Whether the last reply's text is the answer. */
[[nodiscard]] bool has_text_answer(const react_options& options);

/** Adds the nodes of the loop and their edges: `think`, `act`, `answer` or `give_up` if they can be reached, and
 *  `hand_over` if the agent can.
 *
 *  @param model    With its hooks.
 *  @param tools    All that the model may call, those that hand over included.
 *  @param remote   The node that waits for results of remote tools; empty: there are none. */
void add_react_loop(graph_builder& to, const std::shared_ptr<chat_model>& model, const react_options& options,
                    const tool_set& tools, const std::string& remote);

/** Adds the edges from a node behind which the next turn begins, or the last word is said. */
void add_next_turn(graph_builder& to, const std::string& from, const react_options& options);

/** Throws `errc::invalid_configuration` for the first thing that is wrong with the options. */
void check_react(const react_options& options);

/** How its tools are called: with its hooks, and the guardrails of its settings.
 *  @param model   That rules of guardrails are checked by; may be null. */
[[nodiscard]] tool_runner_options tool_options_of(const react_options& options,
                                                  const std::shared_ptr<chat_model>& model);

/** Node visits that a loop may take: `steps` for each turn. */
[[nodiscard]] std::uint32_t steps_of(const react_options& options, std::uint32_t steps);

}  // namespace weft::agent_detail
