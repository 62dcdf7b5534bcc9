#include <weft/model/decorator/priced_model.hpp>

#include <weft/base/error.hpp>

#include "call_outcome.hpp"
#include "spending_sink.hpp"

#include <boost/assert.hpp>

#include <utility>

namespace weft {

priced_model::priced_model(std::shared_ptr<chat_model> model, priced_model_options options)
    : model_{std::move(model)}, options_{std::move(options)}
{
    BOOST_ASSERT_MSG(model_, "a priced model needs a model to call");
}

/** By the price of the model that answered, else of the one that was asked. */
std::optional<model_cost> priced_model::cost_of(std::string_view answered, const std::string& asked, const usage& used,
                                                std::int64_t calls) const
{
    if (!options_.prices) return std::nullopt;
    std::optional<model_cost> cost;
    if (!answered.empty()) cost = options_.prices->cost(options_.provider, answered, used, calls);
    return cost ? cost : options_.prices->cost(options_.provider, asked, used, calls);
}

void priced_model::check_price(const chat_request& request, const std::string& asked) const
{
    if (!request.budget || !request.budget->limits_cost()) return;
    if (options_.without_price == unknown_price::allow || cost_of({}, asked, {}, 1)) return;
    throw error{errc::invalid_configuration, request.budget->name(),
                "it limits the cost, and '" + asked + "' has no price: add it to the table of prices"};
}

task<chat_reply> priced_model::do_reply(chat_request request, chat_sink& sink)
{
    // Before the call: a limit of cost that cannot be kept is found while nothing has been paid.
    const std::string asked = request.model.empty() ? options_.model : request.model;
    check_price(request, asked);
    const auto price = [this, &asked](const usage& used, std::int64_t calls, std::string_view answered) {
        spending result;
        const auto cost = cost_of(answered, asked, used, calls);
        if (cost) result.cost = cost->amount;
        return result;
    };
    // Reserved before the call, so that calls side by side do not overdraw the budget together.
    const auto expected =
        model_detail::estimate_call(request, options_.estimate_factor, options_.output_expected);
    model_detail::spending_sink spends{request.budget, expected, price, sink};
    model_detail::call_outcome outcome;
    try {
        chat_reply reply = co_await model_detail::call_spending(model_, std::move(request), spends);
        outcome.reply.emplace(std::move(reply));
    } catch (...) {
        outcome.error = std::current_exception();
    }
    if (outcome.error) {
        // Failed calls cost too: attempts, and what was streamed before the end.
        const model_failure failure = model_detail::failure_of(outcome.error);
        const usage spent = model_detail::spent_by(failure);
        if (options_.on_cost) options_.on_cost(asked, cost_of({}, asked, spent, failure.partial.attempts));
        std::rethrow_exception(outcome.error);
    }
    chat_reply reply = *std::move(outcome.reply);
    const auto cost = cost_of(reply.model, asked, reply.usage, reply.attempts);
    // A cost of which a part is unknown would be read as the whole.
    if (cost && cost->is_whole) reply.cost = cost->amount;
    if (options_.on_cost) options_.on_cost(reply.model.empty() ? asked : reply.model, cost);
    co_return reply;
}

}  // namespace weft
