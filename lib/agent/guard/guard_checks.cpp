#include "guard_checks.hpp"

#include <weft/async/join.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/graph/node_context.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>

namespace weft::agent_detail {

namespace {

/** A check as an effect: what it costs is not paid twice. */
struct recorded_check {
    task<guard_verdict> operator()(const effect_context&) const { return make(*this); }
    static task<guard_verdict> make(recorded_check self)
    {
        guard_subject copy = self.subject;
        task<guard_verdict> checking = self.guard.check(std::move(copy));
        if (self.guard.timeout.count() > 0) checking = with_deadline(std::move(checking), self.guard.timeout);
        guard_verdict verdict = co_await std::move(checking);
        co_return verdict;
    }

    const guardrail& guard;
    const guard_subject& subject;
};

std::string effect_name(const guardrail& guard, const guard_subject& subject)
{
    std::string name = "guard:" + std::string{name_of(subject.stage)} + ":" + guard.name;
    return subject.call.id.empty() ? name : name + ":" + subject.call.id;
}

task<guard_verdict> check_once(const guardrail& guard, const guard_subject& subject, node_context* node)
{
    const recorded_check check{guard, subject};
    if (!guard.once || !subject.is_whole || !node || !node->host().keeps_effects()) return recorded_check::make(check);
    return node->once(effect_name(guard, subject), check);
}

void tell_watchers(const guardrail& guard, const guard_subject& subject, node_context* node, std::string_view action,
                   const std::string& text)
{
    if (!node) return;
    const boost::json::object told{{"guardrail", guard.name},
                                   {"stage", boost::json::string_view{name_of(subject.stage)}},
                                   {"action", boost::json::string_view{action}},
                                   {"reason", text}};
    node->emit("guardrail", boost::json::serialize(told));  // agent_event::guardrail, of a room above
}

guard_trip trip_of(const guardrail& guard, const guard_subject& subject, std::string reason, bool has_failed)
{
    guard_trip trip;
    trip.guardrail = guard.name;
    trip.stage = subject.stage;
    trip.reason = std::move(reason);
    trip.has_failed = has_failed;
    return trip;
}

bool is_of_tools(guard_stage stage) noexcept
{
    return stage == guard_stage::tool_call || stage == guard_stage::tool_result;
}

/** Why a verdict cannot be followed; empty if it can. */
std::string fault_of_verdict(const guardrail& guard, const guard_subject& subject, const guard_verdict& verdict)
{
    if (verdict.action != guard_action::replace) return {};
    if (subject.stage == guard_stage::input)
        return "it replaces an input, which stands in the conversation already: let a node do that before";
    if (guard.timing != guard_timing::first)
        return "it replaces a text that others look at beside it: give it the timing `first`";
    return {};
}

/** What a failed check means. */
guard_verdict verdict_of_failure(const guardrail& guard, const guard_subject& subject, const guard_place& place,
                                 std::string why)
{
    if (guard.on_failure == guard_failure::trip) {
        tell_watchers(guard, subject, place.node, "trip", why);
        throw guardrail_error{place.name, trip_of(guard, subject, std::move(why), true)};
    }
    tell_watchers(guard, subject, place.node, "failed", why);
    return {};
}

/** What a guardrail says: passes, replaces or refuses.
 *  @par Errors   As `pass_guards`. */
task<guard_verdict> ask_guard(const guardrail& guard, const guard_subject& subject, const guard_place& place)
{
    const task_context& context = co_await this_task::context();
    guard_verdict verdict;
    std::exception_ptr failed;
    try {
        guard_verdict said = co_await check_once(guard, subject, place.node);
        verdict = std::move(said);
    } catch (...) {
        failed = std::current_exception();
    }
    if (failed) {
        const errc code = code_of(failed);
        if (code == errc::budget_exhausted) std::rethrow_exception(failed);
        if (code == errc::cancelled && context.scope->stop_requested()) std::rethrow_exception(failed);
        co_return verdict_of_failure(guard, subject, place, text_of(failed));
    }
    if (std::string fault = fault_of_verdict(guard, subject, verdict); !fault.empty())
        co_return verdict_of_failure(guard, subject, place, std::move(fault));
    if (verdict.action == guard_action::refuse && !is_of_tools(subject.stage)) verdict.action = guard_action::trip;
    if (verdict.action == guard_action::refuse && verdict.text.empty()) verdict.text = "no reason given";
    if (verdict.action != guard_action::pass)
        tell_watchers(guard, subject, place.node, name_of(verdict.action),
                      verdict.action == guard_action::replace ? std::string{} : verdict.text);
    if (verdict.action == guard_action::trip)
        throw guardrail_error{place.name, trip_of(guard, subject, std::move(verdict.text), false)};
    co_return verdict;
}

task<guard_outcome> pass_in_turn(const std::vector<guardrail>& guards, guard_subject subject, const guard_place& place)
{
    guard_outcome outcome;
    for (const guardrail& guard : guards) {
        if (guard.timing != guard_timing::first) continue;
        guard_verdict said = co_await ask_guard(guard, subject, place);
        if (said.action == guard_action::refuse) {
            outcome.refusal = std::move(said.text);
            break;
        }
        if (said.action != guard_action::replace) continue;
        outcome.is_replaced = outcome.is_replaced || said.text != subject.text;
        subject.text = std::move(said.text);
    }
    outcome.text = std::move(subject.text);
    co_return outcome;
}

task<guard_outcome> pass_side_by_side(const std::vector<guardrail>& guards, guard_subject subject,
                                      const guard_place& place)
{
    std::vector<task<guard_verdict>> checks;
    for (const guardrail& guard : guards)
        if (guard.timing == guard_timing::beside) checks.push_back(ask_guard(guard, subject, place));
    std::vector<guard_verdict> said = co_await join(std::move(checks));
    guard_outcome outcome;
    outcome.text = std::move(subject.text);
    const auto refuses = [](const guard_verdict& one) { return one.action == guard_action::refuse; };
    const auto refusal = std::find_if(said.begin(), said.end(), refuses);
    if (refusal != said.end()) outcome.refusal = std::move(refusal->text);
    co_return outcome;
}

}  // namespace

void require_sound(const std::shared_ptr<const guardrails>& guards, std::string_view where)
{
    if (std::string fault = guards ? guards->fault() : std::string{}; !fault.empty())
        throw error{errc::invalid_configuration, std::string{where}, std::move(fault)};
}

void refuse_trip(const node_context& node)
{
    const auto refuse = [](const failure& why) {
        if (why.code == errc::guardrail_tripped)
            throw error{errc::guardrail_tripped, "node '" + why.node + "'", why.message};
    };
    if (const failure* const why = node.previous_failure()) refuse(*why);
    for (const branch_result& branch : node.branches())
        if (branch.error) refuse(*branch.error);
}

bool has_guards(const std::vector<guardrail>& guards, guard_timing timing) noexcept
{
    return std::any_of(guards.begin(), guards.end(), [&](const guardrail& one) { return one.timing == timing; });
}

task<guard_outcome> pass_guards(const std::vector<guardrail>& guards, guard_timing when, guard_subject subject,
                                const guard_place& place)
{
    subject.node = place.node;
    if (when == guard_timing::first) return pass_in_turn(guards, std::move(subject), place);
    return pass_side_by_side(guards, std::move(subject), place);
}

task<guard_outcome> pass_all_guards(const std::vector<guardrail>& guards, guard_subject subject,
                                    const guard_place& place)
{
    guard_subject copy = subject;
    guard_outcome first = co_await pass_guards(guards, guard_timing::first, std::move(copy), place);
    if (!first.refusal.empty() || !has_guards(guards, guard_timing::beside)) co_return first;
    subject.text = first.text;
    guard_outcome rest = co_await pass_guards(guards, guard_timing::beside, std::move(subject), place);
    rest.is_replaced = first.is_replaced;
    co_return rest;
}

}  // namespace weft::agent_detail
