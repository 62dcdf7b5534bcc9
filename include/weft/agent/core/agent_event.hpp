#pragma once

#include <string_view>

namespace weft {

/** The name of an event that an agent emits: `run_event::label` of events of the kind `output`. A type of its own, so
 *  that a name with a typing mistake does not compile where one of `agent_event` is wanted. */
class agent_event_name {
public:
    explicit constexpr agent_event_name(std::string_view text) noexcept : text_{text} {}
    constexpr operator std::string_view() const noexcept { return text_; }
    [[nodiscard]] constexpr std::string_view text() const noexcept { return text_; }

    friend constexpr bool operator==(agent_event_name a, std::string_view b) noexcept { return a.text_ == b; }
    friend constexpr bool operator==(agent_event_name a, agent_event_name b) noexcept { return a.text_ == b.text_; }

private:
    std::string_view text_;
};

/** What agents emit while they work, besides the text of their tools.
 *
 *      if (event.label == weft::agent_event::retract) shown.clear();
 *
 *  Texts of events are for people, or JSON objects where this says so. Run logs store the names. */
namespace agent_event {

// Text of a model, piece by piece. Which name it has depends on the agent.
inline constexpr agent_event_name output{"output"};                    ///< `llm`, `react`; a loop that faces a client.
inline constexpr agent_event_name internal_output{"internal_output"};  ///< A loop that faces no client.
inline constexpr agent_event_name message_delta{"message_delta"};      ///< `turn_agent`.
inline constexpr agent_event_name delta{"delta"};                      ///< `agent_graph`, playbooks.
inline constexpr agent_event_name retract{"retract"};  ///< The pieces so far are void: the call is made again.

// Of all agents.
inline constexpr agent_event_name usage{"usage"};  ///< What a call used, as JSON; also of a call that failed.
/** What a model is sent, as JSON, and what it answered; in runs with `durable_options::records_requests` only. The
 *  protocols of the server leave both out. See docs/server/STUDIO.md. */
inline constexpr agent_event_name model_request{"model_request"};
inline constexpr agent_event_name model_reply{"model_reply"};
inline constexpr agent_event_name warning{"warning"};
inline constexpr agent_event_name guardrail{"guardrail"};      ///< A guardrail judged, as JSON.
inline constexpr agent_event_name question{"question"};        ///< A node asks a person.
inline constexpr agent_event_name tool_start{"tool_start"};    ///< JSON.
inline constexpr agent_event_name tool_end{"tool_end"};        ///< JSON.
inline constexpr agent_event_name remote_call{"remote_call"};  ///< The caller is to carry a tool call out; JSON.

// Of event loops.
inline constexpr agent_event_name loop_iteration{"loop_iteration"};          ///< A turn begins: its number.
inline constexpr agent_event_name context_compacted{"context_compacted"};    ///< JSON.
inline constexpr agent_event_name judge_verdict{"judge_verdict"};            ///< JSON.
inline constexpr agent_event_name output_key_set{"output_key_set"};          ///< The key.
inline constexpr agent_event_name input_blocked{"node_input_blocked"};       ///< A question that no person can answer.
inline constexpr agent_event_name input_requested{"client_input_requested"};
inline constexpr agent_event_name input_received{"client_input_received"};
inline constexpr agent_event_name escalation_requested{"escalation_requested"};
inline constexpr agent_event_name subagent_report{"subagent_report"};
inline constexpr agent_event_name stalled{"node_stalled"};                   ///< The same reply again and again.
inline constexpr agent_event_name doom_loop{"tool_doom_loop"};               ///< The same calls again and again.

// Of turn agents: JSON.
inline constexpr agent_event_name agent_start{"agent_start"};
inline constexpr agent_event_name turn_start{"turn_start"};
inline constexpr agent_event_name message_end{"message_end"};
inline constexpr agent_event_name turn_end{"turn_end"};
inline constexpr agent_event_name error{"error"};  ///< The agent has failed: before its `agent_end`.
inline constexpr agent_event_name agent_end{"agent_end"};

// Of playbooks.
inline constexpr agent_event_name response{"response"};
inline constexpr agent_event_name notification{"notification"};

}  // namespace agent_event

}  // namespace weft
