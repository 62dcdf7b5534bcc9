#include <weft/agent/turn_agent/turn_rules.hpp>

#include <weft/base/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace weft {

namespace {

struct used_share {
    turn_budget_dimension what;
    double share;  // in percent
};

/** In percent; a little more than exact, so that 7 of 10 are 70. */
double share_of(double used, double all) noexcept { return all > 0 ? 100 * used / all + 1e-9 : 100.0; }

std::array<used_share, 6> shares_of(const turn_counters& spent, const turn_budget& of) noexcept
{
    const auto number = [](auto value) { return static_cast<double>(value); };
    return {{
        {turn_budget_dimension::turns, share_of(spent.turns, of.turns_max)},
        {turn_budget_dimension::tokens, share_of(number(spent.used.count()), number(of.tokens_max.count()))},
        {turn_budget_dimension::cost, share_of(number(spent.cost.count()), number(of.cost_max.count()))},
        {turn_budget_dimension::time, share_of(number(spent.elapsed.count()), number(of.elapsed_max.count()))},
        {turn_budget_dimension::tool_calls, share_of(spent.tool_calls, of.tool_calls_max)},
        {turn_budget_dimension::working_time,
         of.working_max ? share_of(number(spent.working.count()), number(of.working_max->count())) : 0.0},
    }};
}

std::string warning(const used_share& worst, std::uint32_t threshold)
{
    const std::string dimension = to_json(worst.what).as_string().c_str();
    const auto percent = static_cast<int>(worst.share);
    std::string text = "[BUDGET WARNING: " + std::to_string(percent) + "% of " + dimension + " budget consumed. ";
    return text + (threshold < 90 ? "Start wrapping up your current task.]"
                                  : "Finish now: give your best answer with what you have.]");
}

}  // namespace

std::optional<turn_budget_dimension> exhausted(const turn_counters& spent, const turn_budget& of) noexcept
{
    if (spent.turns >= of.turns_max) return turn_budget_dimension::turns;
    if (spent.used >= of.tokens_max) return turn_budget_dimension::tokens;
    if (spent.cost >= of.cost_max) return turn_budget_dimension::cost;
    if (spent.elapsed > of.elapsed_max) return turn_budget_dimension::time;
    if (spent.tool_calls >= of.tool_calls_max) return turn_budget_dimension::tool_calls;
    if (of.working_max && spent.working > *of.working_max) return turn_budget_dimension::working_time;
    return std::nullopt;
}

std::string pressure_warnings::due(const turn_counters& spent, const turn_budget& of)
{
    const auto shares = shares_of(spent, of);
    const used_share worst = *std::max_element(
        shares.begin(), shares.end(), [](const used_share& a, const used_share& b) { return a.share < b.share; });
    for (const std::uint32_t threshold : {90u, 70u}) {
        if (told_percent >= threshold || worst.share < threshold) continue;
        told_percent = threshold;
        return warning(worst, threshold);
    }
    return {};
}

turn_decision turn_memory::reconcile(const reply_facts& turn, std::uint32_t nudges_max)
{
    const std::string repeated = failures.end_turn();
    turn_decision decision;
    if (turn.has_text || turn.has_calls) empty_replies = 0;
    // A reply without calls ends the turn graph, so repeated failures of calls do not matter any more.
    if (!turn.has_calls) {
        if (turn.has_text) {
            decision.outcome = agent_outcome::answered;
        } else if (++empty_replies > nudges_max) {
            decision.outcome = agent_outcome::failed;
            decision.trouble = turn.is_cut ? turn_trouble::max_tokens_stop : turn_trouble::empty_replies;
            decision.why = std::to_string(empty_replies) + " replies in a row were empty";
            if (turn.is_cut) decision.why += ", the last one cut at the limit of tokens: raise output_max";
        } else {
            decision.reminder = "Your last reply was empty. Answer, or call a tool.";
        }
        return decision;
    }
    if (!repeated.empty()) {
        decision.outcome = agent_outcome::failed;
        decision.trouble = has_only_timeouts ? turn_trouble::tool_timeout : turn_trouble::repeated_failure;
        decision.why = "the same call failed in two turns in a row: " + repeated;
    } else if (turn.is_aborted) {
        decision.outcome = agent_outcome::aborted;
        decision.trouble = turn_trouble::abort;
        decision.why = "it was asked to stop";
    }
    return decision;
}

}  // namespace weft
