#include "tool_turn_state.hpp"

#include "recorded_answer.hpp"
#include "tool_span.hpp"

#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/text/untrusted_text.hpp>
#include <weft/graph/node_context.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace weft {

namespace json = boost::json;

namespace {

constexpr std::string_view cancelled_text = "Cancelled before it was done.";

/** What an attempt threw, as a status and as words for the model. */
struct attempt_failure {
    attempt_failure() {}
    attempt_failure(const std::exception_ptr& cause, bool is_told) : code{code_of(cause)}
    {
        const std::string words = neutral_text(text_of(cause));
        if (code == errc::timeout) text = "The tool did not answer in time: " + words;
        else text = "Internal execution error: " + (is_told ? words : "the tool failed");
    }
    [[nodiscard]] tool_status status() const
    {
        return code == errc::timeout ? tool_status::timeout : tool_status::runtime_failure;
    }

    errc code{};
    std::string text;
};

/** Whether a stop of the whole turn, and not the tool, is behind a failure. */
bool is_cut_short(const task_context& context, errc code)
{
    return code == errc::cancelled && context.scope->stop_requested();
}

}  // namespace

// Events are texts of JSON, which cost more than the event: they are made only for a watcher.
void tool_runner::turn_state::tell_start(const tool_call& call) const
{
    shared.emit("tool_start", [&] { return json::serialize(json::object{{"id", call.id}, {"name", call.name}}); });
}

void tool_runner::turn_state::tell_end(const tool_answer& answer, const tool_entry& entry) const
{
    shared.emit("tool_end", [&] {
        const json::string_view status{name_of(answer.status)};
        json::object told{{"id", answer.call.id}, {"name", answer.call.name}, {"status", status}};
        // Other clients that watch the run have not seen what this one gave.
        if (entry.traits.asks_client) told["content"] = answer.to_message().text();
        return json::serialize(told);
    });
}

void tool_runner::turn_state::ask_elsewhere(tool_answer& answer, tool_invocation& invocation) const
{
    // The text stands for the result only until the run pauses: the posted result takes its place.
    answer.status = tool_status::remote;
    answer.result = tool_result::text("The result is still to come.");
    shared.emit("remote_call", [&] {
        return json::serialize(json::object{{"id", answer.call.id},
                                            {"name", answer.call.name},
                                            {"arguments", std::move(invocation.arguments)}});
    });
}

/** One call and its answer: stands in the frame of `answer`, which awaits all that uses it. */
struct tool_runner::turn_state::call_at_work {
    const tool_entry& entry;
    tool_answer& answer;
    tool_invocation invocation;
    bool is_read_afterwards = true;  ///< Else a last attempt may take the invocation itself.
};

task<tool_turn> tool_runner::turn_state::carry_out(std::shared_ptr<const setup> self, std::vector<tool_call> calls,
                                                   tool_context shared)
{
    const task_context& context = co_await this_task::context();
    turn_state turn{*self, tool_plan{*self->tools, std::move(calls), self->options.calls}, std::move(shared)};
    turn.warn_all();
    // All are admitted before the first runs, so that a guard sees the turn as a whole and nothing is half done.
    if (self->options.admit) co_await admit_all(turn);
    // A group is what may run side by side; the groups keep the order of the model.
    for (std::size_t first = 0; first < turn.plan.items.size();) {
        const std::size_t end = turn.plan.end_of_group(first);
        try {
            if (end - first > 1) co_await run_group(turn, first, end);
            else if (turn.plan.items[first].entry && !context.scope->stop_requested()) co_await answer(turn, first);
        } catch (const error& e) {
            if (e.code() != errc::cancelled) throw;  // the answers that are missing say so themselves
        }
        first = end;
    }
    for (tool_answer& answer : turn.plan.turn.answers)
        if (answer.status == tool_status::cancelled)
            refuse(answer, tool_status::cancelled, std::string{cancelled_text});
    turn.plan.turn.is_cancelled = context.scope->stop_requested();
    co_return std::move(turn.plan.turn);
}

task<void> tool_runner::turn_state::run_group(turn_state& turn, std::size_t first, std::size_t end)
{
    const task_context& context = co_await this_task::context();
    // A call that fails says so to the model; the others go on.
    scope children{context, failure_policy::keep_going};
    turn.side_by_side = &children;
    for (std::size_t i = first; i < end; ++i)
        if (turn.plan.items[i].entry) children.spawn(answer(turn, i));
    std::exception_ptr failed;
    try {
        co_await children.join();
    } catch (...) {
        failed = std::current_exception();
    }
    turn.side_by_side = nullptr;
    if (failed) std::rethrow_exception(failed);
}

task<void> tool_runner::turn_state::answer(turn_state& turn, std::size_t index)
{
    const task_context& context = co_await this_task::context();
    const slot_limiter::slot slot = co_await turn.slots.acquire();
    const tool_runner_options& options = turn.own.options;
    tool_answer& answer = turn.plan.turn.answers[index];
    tool_plan::item& item = turn.plan.items[index];
    call_at_work at{*item.entry, answer, turn.invocation_of(answer, std::move(item.arguments))};
    std::exception_ptr failed;
    try {
        // Asked before each call: a message of the user may come while the ones before it run.
        if (!turn.is_skipping && options.skips_rest) turn.is_skipping = options.skips_rest();
        if (turn.is_skipping) {
            refuse(answer, tool_status::skipped, "Not done: a new message came first. Call it again if needed.");
        } else {
            std::string denied;
            if (options.policy) denied = co_await denial(turn.own, at.entry, at.invocation);
            const bool is_allowed = turn.may_call(at, denied);
            if (is_allowed && at.entry.traits.is_remote) turn.ask_elsewhere(answer, at.invocation);
            else if (is_allowed) co_await call(turn, at);
        }
    } catch (...) {
        failed = std::current_exception();
    }
    if (!failed) co_return;
    // A guardrail ends the turn as a whole: what runs beside this call is stopped.
    if (turn.side_by_side && code_of(failed) == errc::guardrail_tripped) turn.side_by_side->request_stop();
    if (is_of_turn(failed)) std::rethrow_exception(failed);
    const attempt_failure failure{failed, options.tells_errors};
    if (is_cut_short(context, failure.code)) std::rethrow_exception(failed);
    refuse(answer, failure.status(), failure.text);
}

task<std::string> tool_runner::turn_state::denial(const setup& own, const tool_entry& entry,
                                                  tool_invocation& invocation)
{
    if (!own.options.policy) co_return std::string{};
    std::optional<tool_decision> decision;
    std::string failed;
    try {
        decision = own.options.policy(invocation, entry);
    } catch (...) {
        failed = text_of(std::current_exception());
    }
    if (!decision) co_return "the policy failed: " + failed;
    switch (decision->which()) {
    case tool_decision::verdict::allow: co_return std::string{};
    case tool_decision::verdict::rewrite: invocation.arguments = std::move(decision->arguments()); break;
    case tool_decision::verdict::deny: co_return decision->reason().empty() ? "no reason given" : decision->reason();
    case tool_decision::verdict::confirm: {
        bool is_confirmed = false;
        if (own.options.confirm) {
            is_confirmed = co_await own.options.confirm(invocation, decision->reason());
        }
        // Without a way to ask, a call that needs a confirmation is denied.
        if (!is_confirmed) co_return "nobody confirmed it: " + decision->reason();
    }
    }
    co_return std::string{};
}

bool tool_runner::turn_state::may_call(call_at_work& at, const std::string& denied) const
{
    if (!denied.empty()) {
        refuse(at.answer, tool_status::policy_denied, "Denied: " + denied);
        return false;
    }
    const auto& before = own.options.before;
    if (const std::optional<std::string> reason = before ? before(at.invocation) : std::nullopt) {
        refuse(at.answer, tool_status::skipped, "Skipped: " + *reason);
        return false;
    }
    if (!before && !own.options.policy) return true;
    read_tool_arguments read{std::move(at.invocation.arguments), at.entry};  // they may have been changed
    at.invocation.arguments = std::move(read.arguments);
    const bool fits = read.fault.empty();
    if (!fits) refuse(at.answer, tool_status::invalid_arguments, std::move(read.fault));
    return fits;
}

task<void> tool_runner::turn_state::attempts(turn_state& turn, call_at_work& at)
{
    const task_context& context = co_await this_task::context();
    const tool_runner_options& options = turn.own.options;
    const tool_traits& traits = at.entry.traits;
    tool_answer& answer = at.answer;
    // Only what is safe to repeat is repeated, whatever the policy of retries allows.
    const bool is_only_one = !traits.is_idempotent || options.retry.attempts_max <= 1;
    for (;;) {
        at.invocation.context.attempt = ++answer.attempts;
        std::exception_ptr failed;
        try {
            // A tool may move the arguments out: it gets a copy where they are still read.
            task<tool_result> called = is_only_one && !at.is_read_afterwards
                                           ? at.entry.work->call(std::move(at.invocation))
                                           : at.entry.work->call(tool_invocation{at.invocation});
            if (!traits.asks_client)
                called = with_deadline(std::move(called), traits.timeout.value_or(options.timeout));
            answer.result = co_await std::move(called);
            answer.status = answer.result.is_error ? tool_status::runtime_failure : tool_status::success;
        } catch (...) {
            failed = std::current_exception();
        }
        if (!failed) co_return;
        const attempt_failure failure{failed, options.tells_errors};
        if (is_cut_short(context, failure.code)) std::rethrow_exception(failed);
        refuse(answer, failure.status(), failure.text);
        const int count = static_cast<int>(answer.attempts);
        if (is_only_one || !options.retry.retries_after(count, failure.code)) co_return;
        const double uniform = context.loop->random().uniform();
        co_await sleep_for(options.retry.delay_before(count + 1, uniform));
    }
}

/** The attempts at a call as an effect, whose outcome is the answer. */
struct tool_runner::turn_state::recorded_call {
    task<json::object> operator()(const effect_context& effect) const
    {
        // The key of the effect, the same after a crash: the other side recognises the repeated call by it.
        at.invocation.context.idempotency_key = effect.key();
        *is_made = true;
        return make(*this);
    }
    static task<json::object> make(const recorded_call& self)
    {
        co_await attempts(self.turn, self.at);
        co_return tool_detail::to_record(self.at.answer);
    }

    turn_state& turn;
    call_at_work& at;
    bool* is_made;
};

bool tool_runner::turn_state::is_effect(const call_at_work& at) const
{
    const node_context* const node = at.invocation.context.node;
    return own.options.once && !at.entry.traits.asks_client && node && node->host().keeps_effects();
}

task<void> tool_runner::turn_state::attempts_once(turn_state& turn, call_at_work& at)
{
    node_context& node = *at.invocation.context.node;
    bool is_made = false;
    const recorded_call call{turn, at, &is_made};
    effect_options in_doubt = turn.own.options.effect;
    std::string name = "tool:" + at.answer.call.name + ":" + at.answer.call.id;
    const json::object record = co_await node.once(std::move(name), std::move(in_doubt), call);
    if (!is_made) tool_detail::read_record(record, at.answer, node);
}

task<void> tool_runner::turn_state::call(turn_state& turn, call_at_work& at)
{
    const task_context& context = co_await this_task::context();
    const tool_runner_options& options = turn.own.options;
    tool_answer& answer = at.answer;
    const time_point began = context.loop->now();
    at.invocation.context.stop = context.scope->token();
    turn.tell_start(answer.call);
    tool_detail::tool_span about{at.invocation};
    at.is_read_afterwards = about.is_recorded() || options.inspect || options.after;
    std::exception_ptr failed;
    try {
        if (turn.is_effect(at)) co_await attempts_once(turn, at);
        else co_await attempts(turn, at);
        answer.elapsed = context.loop->now() - began;
        if (options.inspect) co_await options.inspect(at.invocation, answer);
        // In this order: the guard sees what the tool said, the model a neutral text, and the length counts at the end.
        if (options.neutralises_results) neutralise_result(answer.result);
        shorten_result(answer.result, options.result_chars_max, options.spill.get());
        if (options.after) options.after(at.invocation, answer);
    } catch (...) {
        failed = std::current_exception();
    }
    bool is_cut = false;
    if (failed) {
        const attempt_failure failure{failed, options.tells_errors};
        is_cut = is_cut_short(context, failure.code) || is_of_turn(failed);
        if (is_cut) refuse(answer, tool_status::cancelled, std::string{cancelled_text});
        else refuse(answer, failure.status(), failure.text);
    }
    about.end(at.invocation, answer);
    turn.tell_end(answer, at.entry);
    if (is_cut) std::rethrow_exception(failed);
}

tool_invocation tool_runner::turn_state::invocation_of(const tool_answer& answer, boost::json::object arguments) const
{
    tool_invocation invocation{answer.call, std::move(arguments)};
    invocation.context = shared;
    invocation.context.call_id = answer.call.id;
    invocation.context.idempotency_key = answer.call.id;
    invocation.context.tool = answer.call.name;
    return invocation;
}

task<void> tool_runner::turn_state::inspect_result(std::shared_ptr<const setup> self, tool_answer& answer,
                                                   tool_context shared)
{
    const task_context& context = co_await this_task::context();
    if (!self->options.inspect) co_return;
    tool_invocation invocation;
    invocation.call = answer.call;
    invocation.context = std::move(shared);
    invocation.context.call_id = answer.call.id;
    invocation.context.tool = answer.call.name;
    std::exception_ptr failed;
    try {
        co_await self->options.inspect(invocation, answer);
    } catch (...) {
        failed = std::current_exception();
    }
    if (!failed) co_return;
    const bool is_stopped = code_of(failed) == errc::cancelled && context.scope->stop_requested();
    if (is_of_turn(failed) || is_stopped) std::rethrow_exception(failed);
    refuse(answer, tool_status::runtime_failure, "the check of the result failed: " + text_of(failed));
}

task<void> tool_runner::turn_state::admit_all(turn_state& turn)
{
    const task_context& context = co_await this_task::context();
    scope children{context};
    for (std::size_t i = 0; i < turn.plan.items.size(); ++i)
        if (turn.plan.items[i].entry) children.spawn(admit(turn, i));
    try {
        co_await children.join();
    } catch (const error& e) {
        if (e.code() != errc::cancelled) throw;  // the answers say so themselves
    }
}

task<void> tool_runner::turn_state::admit(turn_state& turn, std::size_t index)
{
    const slot_limiter::slot slot = co_await turn.slots.acquire();
    tool_answer& answer = turn.plan.turn.answers[index];
    tool_plan::item& item = turn.plan.items[index];
    tool_invocation invocation = turn.invocation_of(answer, item.arguments);
    std::exception_ptr failed;
    std::optional<std::string> refusal;
    try {
        std::optional<std::string> said = co_await turn.own.options.admit(invocation, *item.entry);
        refusal = std::move(said);
    } catch (...) {
        failed = std::current_exception();
    }
    if (failed && is_of_turn(failed)) std::rethrow_exception(failed);
    if (failed) refusal = "the check of the call failed: " + text_of(failed);
    if (refusal) {
        item.entry = nullptr;
        co_return refuse(answer, tool_status::policy_denied, "Denied: " + *refusal);
    }
    if (invocation.arguments == item.arguments) co_return;
    read_tool_arguments read{std::move(invocation.arguments), *item.entry};
    item.arguments = std::move(read.arguments);
    if (read.fault.empty()) co_return;
    item.entry = nullptr;
    refuse(answer, tool_status::invalid_arguments, std::move(read.fault));
}

}  // namespace weft
