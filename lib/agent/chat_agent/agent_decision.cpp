#include "agent_decision.hpp"

namespace weft {

namespace {

agent_decision ends_with(agent_stop why) noexcept
{
    agent_decision decision;
    decision.stop = why;
    return decision;
}

}  // namespace

agent_decision decide_agent_step(const agent_facts& facts) noexcept
{
    agent_decision decision;
    const bool is_blocked = facts.said == completion_kind::blocked;
    if (facts.workflow_running) {
        decision = ends_with(agent_stop::workflow_running);
    } else if (facts.said == completion_kind::done) {
        decision = ends_with(agent_stop::done);
    } else if (is_blocked) {
        decision = ends_with(agent_stop::blocked);
    } else if (facts.said == completion_kind::carry_on || facts.called_tools) {
        decision.next = agent_step::again;
        decision.counts_loop = true;
    } else if (!facts.was_nudged) {
        decision.next = agent_step::again;
        decision.reminds = true;
        decision.was_nudged = true;
    } else {
        decision = ends_with(agent_stop::no_block);
        decision.tells_error = true;
    }
    decision.waiting_for_user = is_blocked && !facts.is_sub_agent;
    return decision;
}

agent_decision decide_agent_failure(bool is_sub_agent) noexcept
{
    agent_decision decision = ends_with(agent_stop::agent_error);
    decision.tells_error = true;
    decision.waiting_for_user = !is_sub_agent;
    return decision;
}

void apply_decision(agent_status& status, const agent_decision& decision) noexcept
{
    status.next = decision.next;
    status.stop = decision.stop;
    status.was_nudged = decision.was_nudged;
    status.waiting_for_user = decision.waiting_for_user;
    if (decision.counts_loop) ++status.loops;
}

std::string_view reminder_text() noexcept
{
    return "Your last reply does not say how you stand. Go on with the work, and end your next reply with exactly one "
           "of the blocks AGENT_DONE, AGENT_BLOCKED or AGENT_CONTINUE.";
}

std::string_view no_block_text() noexcept
{
    return "The agent stopped: it did not say whether it is done, blocked or at work, although it was asked to.";
}

}  // namespace weft
