#include <weft/model/decorator/limited_embedding_model.hpp>

#include <weft/async/loop/serial_loop.hpp>
#include <weft/model/chat/token_estimate.hpp>

#include "call_outcome.hpp"
#include "embedding_outcome.hpp"

#include <boost/assert.hpp>

#include <utility>

namespace weft {

limited_embedding_model::limited_embedding_model(std::shared_ptr<embedding_model> model, rate_limiter limiter,
                                                 limited_embedding_options options)
    : model_{std::move(model)}, limiter_{std::move(limiter)}, options_{std::move(options)}
{
    BOOST_ASSERT_MSG(model_, "a limited model needs a model to call");
}

task<embeddings> limited_embedding_model::do_embed(std::vector<std::string> texts)
{
    rate_request described;
    described.key = options_.key;
    described.tenant = options_.tenant;
    described.input = model_detail::estimate_texts(texts);
    described.output_max = tokens{0};  // vectors are no tokens
    rate_limiter::permit permit = co_await limiter_.admit(std::move(described));
    model_detail::embedding_outcome outcome = co_await model_detail::try_embed(model_, std::move(texts));
    if (outcome.made) permit.settle(outcome.made->usage, rate_limits{});
    else permit.settle(model_detail::failure_of(outcome.error));
    serial_loop& loop = co_await this_task::loop();
    limiter_.report(options_.key, loop);
    if (!outcome.made) std::rethrow_exception(outcome.error);
    co_return *std::move(outcome.made);
}

}  // namespace weft
