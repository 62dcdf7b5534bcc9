#include <weft/model/decorator/priced_embedding_model.hpp>

#include <weft/base/error.hpp>

#include "call_outcome.hpp"
#include "embedding_outcome.hpp"

#include <boost/assert.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

/** What a call used, as far as it is known; what is not known counts with the estimate. */
usage known_usage(const usage& reported, tokens estimated)
{
    usage used = reported;
    if (!reported.is_exact()) used.input = std::max(used.input, estimated);
    used.unreported = 0;
    return used;
}

}  // namespace

priced_embedding_model::priced_embedding_model(std::shared_ptr<embedding_model> model,
                                               priced_embedding_options options)
    : model_{std::move(model)}, options_{std::move(options)}
{
    BOOST_ASSERT_MSG(model_, "a priced model needs a model to call");
}

std::optional<model_cost> priced_embedding_model::cost_of(const usage& used) const
{
    if (!options_.prices) return std::nullopt;
    return options_.prices->cost(options_.provider, options_.model, used);
}

spending priced_embedding_model::spending_of(const usage& used) const
{
    spending made;
    made.tokens = used.total();
    made.model_calls = 1;
    if (const std::optional<model_cost> cost = cost_of(used)) made.cost = cost->amount;
    return made;
}

task<embeddings> priced_embedding_model::do_embed(std::vector<std::string> texts)
{
    usage expected;
    expected.input = model_detail::estimate_texts(texts);
    // Before the call: a limit of cost that cannot be kept is found while nothing has been paid.
    if (options_.budget && options_.budget->limits_cost() && !cost_of(expected))
        throw error{errc::invalid_configuration, options_.budget->name(),
                    "it limits the cost, and '" + options_.model + "' has no price: add it to the table of prices"};
    budget_ledger::reservation reserved;
    if (options_.budget) reserved = options_.budget->reserve(spending_of(expected));
    model_detail::embedding_outcome outcome = co_await model_detail::try_embed(model_, std::move(texts));
    if (!outcome.made) {
        const usage spent = model_detail::spent_by(model_detail::failure_of(outcome.error));
        if (spent == usage{}) reserved.release();
        std::rethrow_exception(outcome.error);
    }
    const usage used = known_usage(outcome.made->usage, expected.input);
    reserved.settle(spending_of(used));
    if (options_.on_cost) options_.on_cost(outcome.made->usage, cost_of(outcome.made->usage));
    co_return *std::move(outcome.made);
}

}  // namespace weft
