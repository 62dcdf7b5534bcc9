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

task<tool_turn> tool_runner::turn_state::carry_out(std::shared_ptr<const setup> self, std::vector<tool_call> calls,
                                                   tool_context shared)
{
    const task_context& context = co_await this_task::context();
    turn_state turn{*self, tool_plan{*self->tools, std::move(calls), self->options.calls}, std::move(shared)};
    turn.warn_all();
    for (tool_answer& answer : turn.plan.turn.answers)
        if (answer.status == tool_status::cancelled)
            refuse(answer, tool_status::cancelled, std::string{cancelled_text});
    // All are admitted before the first runs, so that a guard sees the turn as a whole and nothing is half done.
    if (self->options.admit) co_await admit_all(turn);
    // A group is what may run side by side; the groups keep the order of the model.
    for (std::size_t first = 0; first < turn.plan.items.size();) {
        const std::size_t end = turn.plan.end_of_group(first);
        co_await run_group(turn, first, end);
        first = end;
    }
    turn.plan.turn.is_cancelled = context.scope->stop_requested();
    co_return std::move(turn.plan.turn);
}

task<void> tool_runner::turn_state::run_group(turn_state& turn, std::size_t first, std::size_t end)
{
    const task_context& context = co_await this_task::context();
    // A call that fails says so to the model; the others go on.
    scope children{context, failure_policy::keep_going};
    turn.at_work = &children;
    for (std::size_t i = first; i < end; ++i)
        if (turn.plan.items[i].entry) children.spawn(answer(turn, i));
    try {
        co_await children.join();
    } catch (const error& e) {
        if (e.code() != errc::cancelled) throw;  // the answers that are missing say so themselves
    }
}

task<void> tool_runner::turn_state::answer(turn_state& turn, std::size_t index)
{
    const task_context& context = co_await this_task::context();
    const slot_limiter::slot slot = co_await turn.slots.acquire();
    tool_answer& answer = turn.plan.turn.answers[index];
    tool_plan::item& item = turn.plan.items[index];
    tool_invocation invocation = turn.invocation_of(answer, std::move(item.arguments));
    std::exception_ptr failed;
    try {
        // Asked before each call: a message of the user may come while the ones before it run.
        if (!turn.is_skipping && turn.own.options.skips_rest) turn.is_skipping = turn.own.options.skips_rest();
        if (turn.is_skipping) {
            refuse(answer, tool_status::skipped, "Not done: a new message came first. Call it again if needed.");
        } else {
            const bool is_allowed = co_await may_call(turn.own, *item.entry, invocation, answer);
            if (is_allowed && item.entry->traits.is_remote) turn.ask_elsewhere(answer, invocation);
            else if (is_allowed) co_await call(turn, index, std::move(invocation));
        }
    } catch (...) {
        failed = std::current_exception();
    }
    if (!failed) co_return;
    // A guardrail ends the turn as a whole: what runs beside this call is stopped.
    if (code_of(failed) == errc::guardrail_tripped) turn.at_work->request_stop();
    if (is_of_turn(failed)) std::rethrow_exception(failed);
    const attempt_failure failure{failed, turn.own.options.tells_errors};
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

task<bool> tool_runner::turn_state::may_call(const setup& own, const tool_entry& entry, tool_invocation& invocation,
                                             tool_answer& answer)
{
    const std::string denied = co_await denial(own, entry, invocation);
    if (!denied.empty()) {
        refuse(answer, tool_status::policy_denied, "Denied: " + denied);
        co_return false;
    }
    const auto& before = own.options.before;
    if (const std::optional<std::string> reason = before ? before(invocation) : std::nullopt) {
        refuse(answer, tool_status::skipped, "Skipped: " + *reason);
        co_return false;
    }
    if (!before && !own.options.policy) co_return true;
    read_tool_arguments read{std::move(invocation.arguments), entry};  // they may have been changed
    invocation.arguments = std::move(read.arguments);
    const bool fits = read.fault.empty();
    if (!fits) refuse(answer, tool_status::invalid_arguments, std::move(read.fault));
    co_return fits;
}

task<tool_result> tool_runner::turn_state::attempt(const tool_entry& entry, tool_invocation invocation,
                                                   std::chrono::nanoseconds limit)
{
    const std::shared_ptr<tool> work = entry.work;
    task<tool_result> called = work->call(std::move(invocation));
    if (!entry.traits.asks_client) called = with_deadline(std::move(called), limit);
    tool_result result = co_await std::move(called);
    co_return result;
}

task<void> tool_runner::turn_state::attempts(turn_state& turn, const tool_entry& entry, tool_answer& answer,
                                             tool_invocation& invocation)
{
    const task_context& context = co_await this_task::context();
    const tool_runner_options& options = turn.own.options;
    const std::chrono::nanoseconds limit = entry.traits.timeout.value_or(options.timeout);
    for (;;) {
        invocation.context.attempt = ++answer.attempts;
        std::exception_ptr failed;
        try {
            // A copy for each attempt: a tool may move the arguments out.
            tool_invocation copy = invocation;
            tool_result result = co_await attempt(entry, std::move(copy), limit);
            answer.status = result.is_error ? tool_status::runtime_failure : tool_status::success;
            answer.result = std::move(result);
        } catch (...) {
            failed = std::current_exception();
        }
        if (!failed) co_return;
        const attempt_failure failure{failed, options.tells_errors};
        if (is_cut_short(context, failure.code)) std::rethrow_exception(failed);
        refuse(answer, failure.status(), failure.text);
        // Only what is safe to repeat is repeated, whatever the policy of retries allows.
        const int count = static_cast<int>(answer.attempts);
        if (!entry.traits.is_idempotent || !options.retry.retries_after(count, failure.code)) co_return;
        const double uniform = context.loop->random().uniform();
        co_await sleep_for(options.retry.delay_before(count + 1, uniform));
    }
}

/** The attempts at a call as an effect, whose outcome is the answer. */
struct tool_runner::turn_state::recorded_call {
    task<json::object> operator()(const effect_context& effect) const
    {
        // The key of the effect, the same after a crash: the other side recognises the repeated call by it.
        invocation.context.idempotency_key = effect.key();
        *is_made = true;
        return make(*this);
    }
    static task<json::object> make(const recorded_call& self)
    {
        co_await attempts(self.turn, self.entry, self.answer, self.invocation);
        co_return tool_detail::to_record(self.answer);
    }

    turn_state& turn;
    const tool_entry& entry;
    tool_answer& answer;
    tool_invocation& invocation;
    bool* is_made;
};

task<void> tool_runner::turn_state::attempts_once(turn_state& turn, const tool_entry& entry, tool_answer& answer,
                                                  tool_invocation& invocation)
{
    node_context* const node = invocation.context.node;
    const tool_runner_options& options = turn.own.options;
    if (!options.once || entry.traits.asks_client || !node || !node->host().keeps_effects()) {
        co_await attempts(turn, entry, answer, invocation);
        co_return;
    }
    bool is_made = false;
    const recorded_call call{turn, entry, answer, invocation, &is_made};
    effect_options in_doubt = options.effect;
    std::string name = "tool:" + answer.call.name + ":" + answer.call.id;
    const json::object record = co_await node->once(std::move(name), std::move(in_doubt), call);
    if (!is_made) tool_detail::read_record(record, answer, *node);
}

task<void> tool_runner::turn_state::call(turn_state& turn, std::size_t index, tool_invocation invocation)
{
    const task_context& context = co_await this_task::context();
    const tool_runner_options& options = turn.own.options;
    tool_answer& answer = turn.plan.turn.answers[index];
    const tool_entry& entry = *turn.plan.items[index].entry;
    const time_point began = context.loop->now();
    invocation.context.stop = context.scope->token();
    turn.tell_start(answer.call);
    tool_detail::tool_span about{invocation};
    std::exception_ptr failed;
    try {
        co_await attempts_once(turn, entry, answer, invocation);
        answer.elapsed = context.loop->now() - began;
        if (options.inspect) co_await options.inspect(invocation, answer);
        // In this order: the guard sees what the tool said, the model a neutral text, and the length counts at the end.
        if (options.neutralises_results) neutralise_result(answer.result);
        shorten_result(answer.result, options.result_chars_max, options.spill.get());
        if (options.after) options.after(invocation, answer);
    } catch (...) {
        failed = std::current_exception();
    }
    if (failed) {
        const attempt_failure failure{failed, options.tells_errors};
        const bool is_cut = is_cut_short(context, failure.code) || is_of_turn(failed);
        if (is_cut) refuse(answer, tool_status::cancelled, std::string{cancelled_text});
        else refuse(answer, failure.status(), failure.text);
        about.end(invocation, answer);
        turn.tell_end(answer, entry);
        if (is_cut) std::rethrow_exception(failed);
        co_return;
    }
    about.end(invocation, answer);
    turn.tell_end(answer, entry);
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
