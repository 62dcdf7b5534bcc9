#pragma once

#include "agent/guard/guard_checks.hpp"
#include "loop_visit.hpp"

#include <weft/graph/node/subgraph.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace weft::agent_detail {

using loop_ptr = std::shared_ptr<const loop_definition>;

/** The loop as a graph, with its sub-agents. */
[[nodiscard]] graph make_loop_graph(const loop_ptr& loop);
/** The node of a sub-agent. */
[[nodiscard]] subgraph make_agent_node(const loop_ptr& parent, const sub_agent& agent);
[[nodiscard]] std::string agent_node_name(std::string_view agent);
/** When a visit begins. */
void note_time(loop_brief& brief, const node_context& outer);

/** Has the guardrails of the output look at what a reply says by the loop's own tools: outputs, questions, reports.
 *  @param sent    What the model was asked with.
 *  @par Errors    `guardrail_error`. @par Lifetimes  All but `sent` outlives the task. */
[[nodiscard]] task<void> look_at_own_calls(const loop_definition& loop, const guard_place& place, list<message> sent,
                                           message& said);

// The steps, in their order.
[[nodiscard]] command begin_loop(loop_visit& visit);
[[nodiscard]] command listen_loop(loop_visit& visit);
[[nodiscard]] task<command> summarise_loop(loop_ptr loop, node_context& node);
[[nodiscard]] task<command> turn_loop(loop_ptr loop, node_context& node);
[[nodiscard]] task<command> act_loop(loop_ptr loop, node_context& node);
[[nodiscard]] task<command> settle_loop(loop_ptr loop, node_context& node);
[[nodiscard]] task<command> ask_loop(loop_ptr loop, node_context& node);
/** Behind a sub-agent that failed. */
[[nodiscard]] command note_failed_agent(loop_visit& visit);

}  // namespace weft::agent_detail
