#include <weft/model/decorator/limited_model.hpp>

#include <weft/async/loop/serial_loop.hpp>
#include <weft/model/chat/token_estimate.hpp>

#include "call_outcome.hpp"

#include <boost/assert.hpp>

#include <utility>

namespace weft {

limited_model::limited_model(std::shared_ptr<chat_model> model, rate_limiter limiter, limited_model_options options)
    : model_{std::move(model)}, limiter_{std::move(limiter)}, options_{std::move(options)}
{
    BOOST_ASSERT_MSG(model_, "a limited model needs a model to call");
}

rate_request limited_model::describe(const chat_request& request) const
{
    rate_request described;
    described.key.provider = options_.provider;
    described.key.credential = options_.credential;
    described.key.model = request.model.empty() ? options_.model : request.model;
    const auto tenant = request.labels.find(options_.tenant_label);
    if (tenant != request.labels.end()) described.tenant = tenant->second;
    described.input = estimate_input(request);
    if (request.output_max) described.output_max = *request.output_max;
    return described;
}

task<chat_reply> limited_model::do_reply(chat_request request, chat_sink& sink)
{
    serial_loop& loop = co_await this_task::loop();
    const time_point came = loop.now();
    rate_request described = describe(request);
    const rate_limit_key key = described.key;
    rate_limiter::permit permit = co_await limiter_.admit(std::move(described));
    const clock::duration waited = loop.now() - came;
    model_detail::call_outcome outcome = co_await model_detail::try_call(model_, std::move(request), sink);
    if (outcome.reply) permit.settle(outcome.reply->usage, outcome.reply->rate_limits);
    else permit.settle(model_detail::failure_of(outcome.error));
    limiter_.report(key, loop);
    if (!outcome.reply) std::rethrow_exception(outcome.error);
    chat_reply reply = *std::move(outcome.reply);
    reply.waited += waited;
    co_return reply;
}

}  // namespace weft
