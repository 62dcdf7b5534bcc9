#include <weft/model/decorator/retrying_embedding_model.hpp>

#include <weft/async/sleep.hpp>

#include "call_outcome.hpp"
#include "embedding_outcome.hpp"

#include <boost/assert.hpp>

#include <utility>

namespace weft {

retrying_embedding_model::retrying_embedding_model(std::shared_ptr<embedding_model> model,
                                                   retrying_embedding_options options)
    : model_{std::move(model)}, options_{std::move(options)}
{
    BOOST_ASSERT_MSG(model_, "a retrying model needs a model to call");
    if (!options_.budget) options_.budget = std::make_shared<extra_call_budget>();
}

task<embeddings> retrying_embedding_model::do_embed(std::vector<std::string> texts)
{
    const task_context& context = co_await this_task::context();
    serial_loop& loop = *context.loop;
    options_.budget->on_call();
    model_retry course{options_.policy, loop.now(), options_.budget.get()};
    usage spent;
    for (;;) {
        model_detail::embedding_outcome outcome = co_await model_detail::try_embed(model_, texts);
        if (outcome.made) {
            outcome.made->usage += spent;
            co_return *std::move(outcome.made);
        }
        const model_failure failure = model_detail::failure_of(outcome.error);
        model_retry_step step;
        if (!context.scope->stop_requested())
            step = course.after(failure, false, loop.now(), loop.random().uniform());
        if (!step.goes_on) std::rethrow_exception(outcome.error);
        // A connection that was lost may have been paid: its usage is not known.
        spent += model_detail::spent_by(failure);
        co_await sleep_for(step.delay);
    }
}

}  // namespace weft
