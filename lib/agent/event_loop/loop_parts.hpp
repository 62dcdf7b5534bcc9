#pragma once

#include "agent/guard/guard_checks.hpp"
#include "loop_rules.hpp"
#include "loop_tools.hpp"

#include <weft/agent/conversation/conversation.hpp>
#include <weft/agent/conversation/conversation_view.hpp>
#include <weft/agent/event_loop.hpp>
#include <weft/agent/prompt/prompt_template.hpp>
#include <weft/graph/node_context.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft::agent_detail {

// The state of an event loop.
inline constexpr state_key<conversation, converse> loop_talk{"talk"};
inline constexpr state_key<event_loop_memory> loop_state{"loop"};
inline constexpr state_key<loop_brief> loop_start{"brief"};
inline constexpr state_key<std::string> loop_prompt{"prompt"};  // what the system says
inline constexpr state_key<loop_delegation> loop_assignment{"assignment"};  // of a branch with a sub-agent
inline constexpr state_key<std::shared_ptr<const conversation_view>> loop_view{"view", transient};  // the last one

/** What a model may call in a visit. */
struct offered_tools {
    std::optional<tool_runner> runner;  ///< Of all but the loop's own; none without such tools.
    list<tool_spec> specs;              ///< Of all.
    tokens estimate;
};
inline constexpr state_key<std::shared_ptr<const offered_tools>> loop_offer{"offer", transient};

/** What an event loop is made of. */
struct loop_parts {
    event_loop_options options;
    loop_rules rules;
    prompt_template system;
    prompt_template prompt;
    std::shared_ptr<chat_model> source;  ///< As it was given: for sub-agents.
    std::shared_ptr<chat_model> model;   ///< With what the loop adds: budget, further attempts. Null: it rehearses.
    std::shared_ptr<chat_model> judge_model;
    loop_tools own;
    std::shared_ptr<const offered_tools> offered;  ///< Without the tools of other nodes.
    bool wanted_retries = false;        ///< The node was declared with more than one attempt.

    [[nodiscard]] const loop_limits& limits() const noexcept { return options.settings.limits; }
};

/** @par Errors  `errc::invalid_configuration`. */
[[nodiscard]] std::shared_ptr<loop_parts> make_loop_parts(std::shared_ptr<chat_model> model,
                                                          event_loop_options options, bool is_sub_agent);
/** The loop as a graph, with its sub-agents. */
[[nodiscard]] graph make_loop_graph(const std::shared_ptr<const loop_parts>& parts);
/** The node of a sub-agent. */
[[nodiscard]] subgraph make_agent_node(const std::shared_ptr<const loop_parts>& parent, const sub_agent& agent);
[[nodiscard]] std::string agent_node_name(std::string_view agent);

/** Where messages of a loop come from. */
[[nodiscard]] provenance loop_provenance(const loop_parts& parts, const loop_brief& brief,
                                         message_author author = message_author::program);
/** Adds a message to the conversation and to the state. */
void loop_say(node_context& node, conversation& talk, message said, provenance from,
              conversation::options how = {});
/** What a sub-agent, or another reader, is told of values: a line for each. */
[[nodiscard]] std::string lines_of(const std::vector<named_text>& values);
/** When a visit begins. */
void note_time(loop_brief& brief, const node_context& outer);
/** The system's text. @param purpose   What the graph around it is for. */
[[nodiscard]] std::string compose_loop_prompt(const loop_parts& parts, const loop_brief& brief,
                                              const std::string& focus, const std::string& purpose);
/** What the model is offered after these parts of the work.
 *  @par Errors  `errc::invalid_configuration` for a name that the loop needs itself. */
[[nodiscard]] std::shared_ptr<const offered_tools> offer_after(const std::vector<std::string>& phases,
                                                               const event_loop_options& options,
                                                               const loop_tools& own);
/** What it is offered in a visit, made once for it. */
[[nodiscard]] std::shared_ptr<const offered_tools> offered_in_visit(const loop_parts& parts, node_context& node,
                                                                    const std::vector<std::string>& phases);

/** Has the guardrails of the output look at what a reply says by the loop's own tools: outputs, questions, reports.
 *  @param sent    What the model was asked with.
 *  @par Errors    `guardrail_error`. @par Lifetimes  All but `sent` outlives the task. */
[[nodiscard]] task<void> look_at_own_calls(const loop_parts& parts, const guard_place& place, list<message> sent,
                                           message& said);

// The steps.
[[nodiscard]] command begin_loop(const loop_parts& parts, node_context& node);
[[nodiscard]] command listen_loop(const loop_parts& parts, node_context& node);
[[nodiscard]] task<command> summarise_loop(std::shared_ptr<const loop_parts> parts, node_context& node);
[[nodiscard]] task<command> turn_loop(std::shared_ptr<const loop_parts> parts, node_context& node);
[[nodiscard]] task<command> act_loop(std::shared_ptr<const loop_parts> parts, node_context& node);
[[nodiscard]] task<command> settle_loop(std::shared_ptr<const loop_parts> parts, node_context& node);
[[nodiscard]] task<command> ask_loop(std::shared_ptr<const loop_parts> parts, node_context& node);
/** Behind a sub-agent that failed. */
[[nodiscard]] command note_failed_agent(const loop_parts& parts, node_context& node);

}  // namespace weft::agent_detail
