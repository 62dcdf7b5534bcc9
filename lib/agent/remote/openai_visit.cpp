#include "openai_visit.hpp"

#include "agent/core/model_call.hpp"

#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/model/model_error.hpp>

#include <exception>
#include <optional>
#include <utility>

namespace weft::agent_detail {

namespace {

/** How a response in the background has ended without an answer: an outcome like any other, so that a later attempt
 *  does not follow it again. */
openai_answer failed_answer(std::string id, errc code, std::string why)
{
    openai_answer answer;
    answer.id = std::move(id);
    answer.failed = name_of(code);
    answer.why = std::move(why);
    return answer;
}

/** Whether a response can be followed further although a look has failed. */
bool goes_on(const error& of)
{
    const auto* const failed = dynamic_cast<const model_error*>(&of);
    return failed && failed->failure().is_transient;
}

bool tells_of_cancel(const error& of)
{
    const auto* const failed = dynamic_cast<const model_error*>(&of);
    return failed && failed->failure().provider_code == "cancelled";
}

}  // namespace

openai_visit::openai_visit(std::shared_ptr<const openai_plan> plan, node_context& node)
    : plan_{std::move(plan)}, node_{node}, exchange_{plan_->agent, "node '" + std::string{node.node()} + "'"}
{
}

task<openai_answer> openai_visit::ask(chat_request request)
{
    std::exception_ptr failed;
    try {
        task<openai_answer> asking = plan_->agent->settings.background ? ask_in_background(std::move(request))
                                                                       : ask_at_once(std::move(request));
        openai_answer answer = co_await std::move(asking);
        co_return answer;
    } catch (const error&) {
        failed = std::current_exception();
    }
    co_await end_attempt(failed);
    std::rethrow_exception(failed);
}

task<void> openai_visit::end_attempt(std::exception_ptr failed)
{
    failed_attempt how;
    how.code = code_of(failed);
    how.retry_after = exchange_.retry_after();
    return between_attempts(node_, plan_->retry, how);
}

chat_request openai_visit::named(chat_request request, const effect_context& effect) const
{
    request.call_id = effect.key();
    request.budget = node_.budget();
    request.trace = trace_context::of_run_or_call(node_.trace(), effect.key());
    return request;
}

/** One answer; watchers hear it as it comes. */
task<openai_answer> openai_visit::hear(chat_model& model, chat_request request)
{
    model_call_options how;
    how.limit = plan_->agent->limit();
    how.is_recorded = false;
    how.retracts_failed = static_cast<int>(node_.attempt()) < plan_->retry.attempts_max;
    model_call asking{model, std::move(request), node_, how};
    chat_reply& reply = co_await asking;
    co_return answer_of_reply(std::move(reply));
}

task<openai_answer> openai_visit::ask_at_once(chat_request request)
{
    effect_options options;
    options.input = boost::json::object{{"agent", plan_->agent->settings.url}, {"model", plan_->agent->settings.model}};
    const std::shared_ptr<chat_model> model = exchange_.model(true);
    const auto perform = [&](const effect_context& effect) { return hear(*model, named(request, effect)); };
    std::optional<error> failed;
    try {
        openai_answer answer = co_await node_.once("openai_agent", std::move(options), perform);
        co_return answer;
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;
        failed = exchange_.told(e);
    }
    throw error{*failed};
}

task<std::string> openai_visit::order(chat_request request, const effect_context& effect)
{
    chat_request asked = named(std::move(request), effect);
    // Without a journal nothing tells this attempt's order from the one that has failed before.
    if (!node_.host().keeps_effects() && node_.attempt() > 1) asked.call_id += "-" + std::to_string(node_.attempt());
    std::optional<error> failed;
    try {
        task<std::string> ordering = exchange_.order(std::move(asked));
        std::string id = co_await with_deadline(std::move(ordering), plan_->agent->limit());
        co_return id;
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;
        failed = exchange_.told(e);
    }
    throw error{*failed};
}

task<openai_answer> openai_visit::follow(chat_request request, std::string id)
{
    const std::shared_ptr<chat_model> model = exchange_.model_following(id);
    const std::shared_ptr<const trace_context> trace = trace_of_call(request);
    std::optional<error> failed;
    bool was_cancelled = false;
    bool may_go_on = false;
    try {
        openai_answer answer = co_await hear(*model, std::move(request));
        co_return answer;
    } catch (const error& e) {
        may_go_on = goes_on(e);
        was_cancelled = tells_of_cancel(e);
        failed = e.code() == errc::cancelled ? e : exchange_.told(e);
    }
    const errc code = failed->code();
    // An answer that comes too late is not wanted any more.
    const bool is_unwanted = code == errc::cancelled || code == errc::timeout || code == errc::budget_exhausted;
    if (is_unwanted) co_await exchange_.cancel(id, trace);
    if (code == errc::cancelled || code == errc::budget_exhausted || (may_go_on && code != errc::timeout))
        throw error{*failed};
    openai_answer answer = failed_answer(std::move(id), code, failed->detail());
    answer.was_cancelled = was_cancelled;
    co_return answer;
}

/** Follows the response that was ordered, in whichever process and attempt, and orders another one behind each that is
 *  known to have failed. */
task<openai_answer> openai_visit::ask_in_background(chat_request request)
{
    const boost::json::object asked{{"agent", plan_->agent->settings.url}, {"model", plan_->agent->settings.model}};
    bool is_ordered_here = false;
    bool is_followed_here = false;
    const auto place_order = [&](const effect_context& effect) {
        is_ordered_here = true;
        return order(request, effect);
    };
    for (;;) {
        is_ordered_here = is_followed_here = false;
        effect_options ordering;
        ordering.input = asked;
        const std::string id = co_await node_.once("openai_order", std::move(ordering), place_order);
        const auto hear_out = [&](const effect_context& effect) {
            is_followed_here = true;
            return follow(named(request, effect), id);
        };
        effect_options following;
        following.input = boost::json::object{{"response", id}};
        openai_answer answer = co_await node_.once("openai_agent", std::move(following), hear_out);
        if (answer.failed.empty()) co_return answer;
        // A process that was stopped has cancelled it: that is no failure of the agent.
        const bool is_left_over = answer.was_cancelled && !is_ordered_here;
        if (is_followed_here && !is_left_over)
            throw error{errc_named(answer.failed).value_or(errc::agent_refused),
                        "node '" + std::string{node_.node()} + "', the response " + id, answer.why};
    }
}

}  // namespace weft::agent_detail
