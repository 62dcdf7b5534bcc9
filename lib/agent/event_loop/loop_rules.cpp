#include "loop_rules.hpp"

#include "agent/text/names.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/base/text/ascii_text.hpp>
#include <weft/base/text/joined_text.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

bool says_nothing(const loop_turn& turn)
{
    return turn.calls == 0 && is_blank(turn.reply);
}

std::string list_text(const std::vector<std::string>& names) { return "[" + joined_text(names) + "]"; }

loop_step step_of(loop_step::kind what, std::string reminder = {})
{
    loop_step step;
    step.what = what;
    step.reminder = std::move(reminder);
    return step;
}

loop_step told(loop_step step, agent_event_name event, std::string text)
{
    step.event = event;
    step.event_text = std::move(text);
    return step;
}

loop_step end_of(event_loop_memory& memory, loop_outcome how, std::string why = {})
{
    memory.end(how, std::move(why));
    return step_of(loop_step::kind::end);
}

/** An empty reply: done if everything is there; else it is nudged, but not for ever. */
loop_step after_empty(event_loop_memory& memory, const loop_rules& rules)
{
    const std::vector<std::string> missing = rules.missing(memory);
    if (!rules.outputs.empty() && missing.empty() && !memory.outputs.empty())
        return end_of(memory, loop_outcome::accepted);
    if (++memory.empty_replies >= rules.limits.empty_replies_max)
        return end_of(memory, loop_outcome::empty,
                      "Ghost empty stream: " + std::to_string(memory.empty_replies) +
                          " replies of the model in a row were empty");
    std::string reminder = "[SYSTEM] Your last reply was empty. Go on with the task.";
    if (!missing.empty()) reminder += " Still missing: " + list_text(missing) + ".";
    return step_of(loop_step::kind::again, std::move(reminder));
}

verdict retry_verdict(std::string feedback, std::string by)
{
    verdict made;
    made.action = judgement::retry;
    made.feedback = std::move(feedback);
    made.by = std::move(by);
    return made;
}

turn_facts facts_of(const event_loop_memory& memory, const loop_rules& rules)
{
    turn_facts facts;
    facts.is_marked_complete = memory.is_marked_complete;
    facts.skips_judge = rules.skips_judge;
    facts.called_tools = memory.turn.called_tools;
    facts.is_client_facing = rules.faces_client;
    facts.missing = rules.missing(memory);
    facts.outputs = rules.outputs.size();
    for (const event_loop_output& output : rules.outputs) {
        const boost::json::value* const set = memory.outputs.if_contains(output.name);
        if (set && !set->is_null()) ++facts.outputs_set;
    }
    facts.has_criteria = rules.has_criteria;
    return facts;
}

}  // namespace

std::uint32_t loop_rules::iterations_max() const noexcept
{
    const std::uint32_t most = limits.effective_iterations(faces_client);
    return is_sub_agent ? std::min(most, loop_limits::agent_iterations_max) : most;
}

std::vector<std::string> loop_rules::missing(const event_loop_memory& memory) const
{
    return missing_outputs(outputs, memory.outputs);
}

event_loop_memory first_memory(const loop_rules& rules)
{
    event_loop_memory memory;
    memory.stall.replies = rules.limits.stall_replies;
    memory.stall.similarity = rules.limits.stall_similarity;
    memory.doom.turns = rules.limits.doom_turns;
    return memory;
}

void begin_turn(event_loop_memory& memory, const loop_rules& rules)
{
    if (memory.iteration >= rules.iterations_max()) {
        memory.end(loop_outcome::exhausted, "Max iterations (" + std::to_string(rules.iterations_max()) +
                                                ") reached without acceptance");
        return;
    }
    ++memory.iteration;
    memory.turn = loop_turn{};
}

void note_reply(event_loop_memory& memory, std::string text, std::size_t calls, const std::vector<tool_call>& real)
{
    memory.turn.reply = std::move(text);
    memory.turn.calls = static_cast<std::uint32_t>(calls);
    memory.turn.called_tools = !real.empty();
    // Only calls that do something count: setting the same output again is no doom loop.
    memory.turn.is_doomed = memory.doom.take(real);
    if (memory.turn.is_doomed) memory.doom.count = 0;  // it is warned of once, then counted anew
}

loop_step guard_turn(event_loop_memory& memory, const loop_rules& rules)
{
    if (says_nothing(memory.turn)) return after_empty(memory, rules);
    memory.empty_replies = 0;
    if (!memory.escalation.empty())
        return end_of(memory, loop_outcome::escalated, "Escalated: " + memory.escalation);
    const bool got_further = memory.turn.called_tools || memory.turn.set_outputs || !memory.asks.empty();
    const bool has_text = !is_blank(memory.turn.reply);
    if ((has_text || got_further) && memory.stall.take(memory.turn.reply, got_further)) {
        std::string why = "Node stalled: " + std::to_string(memory.stall.count) + " replies in a row were alike";
        loop_step step = end_of(memory, loop_outcome::stalled, why);
        return told(std::move(step), agent_event::stalled, std::move(why));
    }
    if (memory.turn.is_doomed) {
        const std::string turns = std::to_string(rules.limits.doom_turns);
        loop_step step = step_of(memory.asks.empty() ? loop_step::kind::again : loop_step::kind::ask,
                                 "[SYSTEM] You have called the same tools with the same arguments in " + turns +
                                     " turns in a row. Doing it again changes nothing: try something else, or finish.");
        return told(std::move(step), agent_event::doom_loop, turns + " turns with the same calls");
    }
    if (!memory.asks.empty()) return step_of(loop_step::kind::ask);
    if (rules.faces_client && memory.turn.calls == 0 && !rules.missing(memory).empty() &&
        memory.text_turns < rules.limits.client_grace_turns) {
        ++memory.text_turns;
        return step_of(loop_step::kind::again);
    }
    memory.text_turns = 0;
    // Turns without tool calls are always judged: nothing else would end the loop.
    const bool is_his_turn = rules.is_sub_agent || memory.is_marked_complete || !memory.turn.called_tools ||
                             memory.iteration % rules.limits.judge_every == 0;
    return step_of(is_his_turn ? loop_step::kind::judge : loop_step::kind::again);
}

judge_kind judge_turn(const event_loop_memory& memory, const loop_rules& rules, verdict& into)
{
    const turn_facts facts = facts_of(memory, rules);
    const bool is_settled = facts.is_marked_complete || facts.skips_judge;
    if (!is_settled && rules.is_sub_agent) {
        into = judge_sub_agent(memory, rules);
        return judge_kind::rules;
    }
    if (!is_settled && rules.has_judge) return judge_kind::own;
    return judge_by_rules(facts, into) ? judge_kind::rules : judge_kind::model;
}

verdict judge_sub_agent(const event_loop_memory& memory, const loop_rules& rules)
{
    const std::vector<std::string> missing = rules.missing(memory);
    if (missing.empty()) {
        // Without outputs its answer is a text; while it still calls tools it is not there.
        const bool is_at_work = memory.turn.calls > 0 && (rules.outputs.empty() || memory.outputs.empty());
        if (is_at_work) return retry_verdict({}, "sub_agent");
        verdict accepted;
        accepted.by = "sub_agent";
        return accepted;
    }
    const std::uint32_t most = rules.iterations_max();
    const std::uint32_t left = most - std::min(most, memory.iteration);
    const std::string list = list_text(missing);
    if (left <= 3)
        return retry_verdict("URGENT: only " + std::to_string(left) + " turns are left. Stop everything else and call "
                             "set_output now for " + list + ".", "sub_agent");
    if (left <= most / 2)
        return retry_verdict("WARNING: " + std::to_string(left) + " turns are left. Call set_output for " + list +
                             " soon.", "sub_agent");
    return retry_verdict("Missing outputs: " + list + ". Set them with set_output.", "sub_agent");
}

loop_step take_verdict(event_loop_memory& memory, const loop_rules& rules, const verdict& from)
{
    const verdict checked = with_outputs_checked(from, rules.missing(memory));
    switch (memory.is_marked_complete ? from.action : checked.action) {
    case judgement::accept: return end_of(memory, loop_outcome::accepted);
    case judgement::escalate: return end_of(memory, loop_outcome::escalated, "Judge escalated: " + checked.feedback);
    case judgement::retry: break;
    }
    return step_of(loop_step::kind::again, checked.feedback.empty() ? std::string{} : feedback_text(checked));
}

}  // namespace weft
