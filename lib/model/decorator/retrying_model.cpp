#include <weft/model/decorator/retrying_model.hpp>

#include <weft/async/sleep.hpp>

#include "call_outcome.hpp"
#include "passing_sink.hpp"

#include <boost/assert.hpp>

#include <string>
#include <utility>

namespace weft {

// Not unnamed: the frame of a coroutine has them as fields.
namespace model_detail {

/** What is summed up over the attempts at one call. */
struct attempts_so_far {
    usage spent;
    std::chrono::nanoseconds waited{};
    int calls = 0;  // of endpoints: a model below may make several for one attempt
};

/** What the observer hears. */
struct attempt_report {
    const attempt_observer& observer;
    std::string_view model;
    std::string_view call_id;

    void operator()(const attempts_so_far& sum, int number, const chat_reply& reply) const
    {
        if (observer)
            observer({.number = number, .model = model, .call_id = call_id, .request_id = reply.request_id,
                      .waited = sum.waited});
    }
    void operator()(const attempts_so_far& sum, int number, const model_failure& failure,
                    const model_retry_step& step) const
    {
        if (!observer) return;
        model_attempt seen{.number = number, .model = model, .call_id = call_id, .failure = &failure,
                           .request_id = failure.request_id, .waited = sum.waited, .why_not = step.why_not};
        if (step.goes_on) seen.delay = step.delay;
        observer(seen);
    }
};

}  // namespace model_detail

namespace {

using model_detail::attempt_report;
using model_detail::attempts_so_far;
using model_detail::call_outcome;
using model_detail::passing_sink;

chat_reply whole_reply(chat_reply reply, const attempts_so_far& before)
{
    model_detail::add_spent(reply, before.spent);
    reply.attempts += before.calls;
    reply.waited += before.waited;
    return reply;
}

/** The error of the last attempt, with what all of them used and the rule that ended them. */
[[noreturn]] void give_up(const std::exception_ptr& cause, model_failure failure, const attempts_so_far& before,
                          int attempts, std::string_view why)
{
    if (attempts == 1 && why.empty()) std::rethrow_exception(cause);
    if (!failure.detail.empty()) failure.detail += "; ";
    if (!why.empty()) failure.detail.append(why).append(attempts > 1 ? ", " : "");
    if (attempts > 1) failure.detail += std::to_string(attempts) + " attempts";
    if (failure.retry_after)
        failure.detail += "; asked to wait " + std::to_string(failure.retry_after->count()) + " ms";
    failure.partial.usage = before.spent + model_detail::spent_by(failure);
    failure.partial.attempts += before.calls;
    failure.partial.waited += before.waited;
    throw model_error{model_detail::where_of(cause), std::move(failure)};
}

void add_failed(attempts_so_far& sum, const model_failure& failure)
{
    sum.spent += model_detail::spent_by(failure);
    sum.waited += failure.partial.waited;
    sum.calls += failure.partial.attempts;
}

}  // namespace

retrying_model::retrying_model(std::shared_ptr<chat_model> model, retrying_model_options options)
    : model_{std::move(model)}, options_{std::move(options)}
{
    BOOST_ASSERT_MSG(model_, "a retrying model needs a model to call");
    if (!options_.budget) options_.budget = std::make_shared<extra_call_budget>();
}

task<chat_reply> retrying_model::do_reply(chat_request request, chat_sink& sink)
{
    const task_context& context = co_await this_task::context();
    serial_loop& loop = *context.loop;
    model_detail::name_call(request, loop);
    options_.budget->on_call();
    model_retry course{options_.policy, loop.now(), options_.budget.get()};
    passing_sink passing{sink};
    const attempt_report report{options_.on_attempt, model_->label(), request.call_id};
    attempts_so_far sum;
    for (;;) {
        const int number = course.attempt();
        call_outcome outcome = co_await model_detail::try_call(model_, request, passing);
        if (outcome.reply) {
            report(sum, number, *outcome.reply);
            passing.finish();
            co_return whole_reply(*std::move(outcome.reply), sum);
        }
        if (passing.has_thrown()) std::rethrow_exception(outcome.error);
        model_failure failure = model_detail::failure_of(outcome.error);
        model_retry_step step;
        if (!context.scope->stop_requested())
            step = course.after(failure, passing.has_passed(), loop.now(), loop.random().uniform());
        report(sum, number, failure, step);
        if (!step.goes_on) give_up(outcome.error, std::move(failure), sum, number, step.why_not);
        add_failed(sum, failure);
        passing.begin_again(sum.spent);
        co_await sleep_for(step.delay);
        sum.waited += step.delay;
    }
}

}  // namespace weft
