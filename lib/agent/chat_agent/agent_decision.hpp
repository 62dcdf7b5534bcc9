#pragma once

#include <weft/agent/chat_agent/agent_state.hpp>

#include <string_view>

namespace weft {

/** What the conditional edge of an agent is decided by. */
struct agent_facts {
    completion_kind said = completion_kind::in_progress;
    bool called_tools = false;
    bool was_nudged = false;
    bool workflow_running = false;
    bool is_sub_agent = false;
};

/** What is done at the end of a visit. */
struct agent_decision {
    agent_step next = agent_step::end;
    agent_stop stop = agent_stop::none;
    bool reminds = false;            ///< The agent is asked, once, to say how it stands.
    bool tells_error = false;       ///< It was told before: the conversation ends with an error.
    bool counts_loop = false;       ///< There is more to do.
    bool was_nudged = false;        ///< From now on.
    bool waiting_for_user = false;

    friend bool operator==(const agent_decision&, const agent_decision&) = default;
};

/** Decides, in this order: a workflow runs, or the agent is done or blocked: it ends. It goes on, or called tools: once
 *  more. It said nothing of the kind: one reminder, and after a second such reply an error.
 *
 *  @par Source   The edge of Sulla's agent node. */
[[nodiscard]] agent_decision decide_agent_step(const agent_facts& facts) noexcept;

/** The same for a visit whose model failed: it ends as one that is blocked. */
[[nodiscard]] agent_decision decide_agent_failure(bool is_sub_agent) noexcept;

/** Writes a decision into the status. */
void apply_decision(agent_status& status, const agent_decision& decision) noexcept;

/** What a reminder says. */
[[nodiscard]] std::string_view reminder_text() noexcept;
/** What the conversation ends with when a reminder did not help. */
[[nodiscard]] std::string_view no_block_text() noexcept;

}  // namespace weft
