#include <weft/model/decorator/budgeted_model.hpp>

#include "spending_sink.hpp"

#include <boost/assert.hpp>

#include <utility>

namespace weft {

namespace {

spending tokens_and_calls(const usage& used, std::int64_t calls, std::string_view)
{
    spending result;
    result.tokens = used.total();
    result.model_calls = calls;
    return result;
}

}  // namespace

budgeted_model::budgeted_model(std::shared_ptr<chat_model> model, budgeted_model_options options)
    : model_{std::move(model)}, options_{options}
{
    BOOST_ASSERT_MSG(model_, "a budgeted model needs a model to call");
}

task<chat_reply> budgeted_model::do_reply(chat_request request, chat_sink& sink)
{
    if (!request.budget) return model_->reply(std::move(request), sink);
    return pay_reply(std::move(request), sink);
}

task<chat_reply> budgeted_model::pay_reply(chat_request request, chat_sink& sink)
{
    const auto expected =
        model_detail::estimate_call(request, options_.estimate_factor, options_.output_expected);
    model_detail::spending_sink spends{request.budget, expected, tokens_and_calls, sink};
    chat_reply reply = co_await model_detail::call_spending(model_, std::move(request), spends);
    co_return reply;
}

}  // namespace weft
