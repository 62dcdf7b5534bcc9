#pragma once

#include <weft/agent/react_agent.hpp>
#include <weft/graph/node_registry.hpp>

#include "agent_program.hpp"

#include <optional>
#include <string>
#include <vector>

/** What nodes of files have in common whose agents call tools in a loop: `react`, `team` and `supervisor`. */
namespace weft::agent_detail {

/** Says it if the node writes nothing, or if the key of its conversation cannot be used. */
void check_conversation_node(node_request& request, const std::string& messages);

/** The keys that the answer is for: `writes` without the conversation and `other`, as far as the graph declares them.
 *  Says it if there are none. */
[[nodiscard]] std::vector<std::string> answer_keys_of(node_request& request, const std::string& messages,
                                                      const std::string& other = {});

/** Says what is wrong with an agent at a place in the settings.
 *  @param answers   What it answers for; without a model there must be values or a script. */
void check_work(node_request& request, const json_path& at, const react_work& work,
                const std::vector<std::string>& answers, const agent_program& around);

/** The keys of the graph that the node may read. */
[[nodiscard]] std::vector<any_state_key> readable_keys(const node_request& request);

/** Says it if no tool can be called `<prefix><name>`, where others ask or are handed over to by such a tool. */
void check_agent_name(node_request& request, const json_path& at, std::string_view prefix, const std::string& name);

/** An agent of the node, with all but its tools: what the file says of its keys, and what the program gives. */
[[nodiscard]] react_options options_of_work(node_request& request, react_settings settings,
                                            const std::vector<std::string>& answers,
                                            const agent_program& around);

}  // namespace weft::agent_detail
