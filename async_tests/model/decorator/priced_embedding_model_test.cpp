#include <boost/test/unit_test.hpp>

#include "model/fake_embeddings.hpp"

#include <weft/async/scope.hpp>
#include <weft/model/decorator/priced_embedding_model.hpp>
#include <weft/testing/async_test_case.hpp>

#include <boost/json/value.hpp>

BOOST_AUTO_TEST_SUITE(priced_embedding_model_test)

namespace {

using namespace fake_models;
using weft::errc;
using weft::task;
namespace this_task = weft::this_task;
using texts = std::vector<std::string>;

std::shared_ptr<const weft::price_table> a_dollar_a_token()
{
    const boost::json::value table = {{"currency", "USD"},
                                      {"unit_tokens", 1},
                                      {"models", {{{"match", "m"}, {"input", 1}, {"output", 0}}}}};
    return std::make_shared<const weft::price_table>(weft::price_table::from(table));
}

weft::priced_embedding_options paid_from(weft::budget limits)
{
    weft::priced_embedding_options options;
    options.model = "m";
    options.prices = a_dollar_a_token();
    options.budget = std::make_shared<weft::budget_ledger>("run", limits);
    return options;
}

}  // namespace

WEFT_ASYNC_TEST_CASE(what_a_call_used_is_paid_from_the_budget_and_told)
{
    const auto inner = std::make_shared<fake_embeddings>();
    weft::budget limits;
    limits.cost = weft::usd_micros{100'000'000};
    weft::priced_embedding_options options = paid_from(limits);
    std::vector<std::int64_t> told;
    options.on_cost = [&](const weft::usage& used, const std::optional<weft::model_cost>& cost) {
        told = {used.input.count(), cost ? cost->amount.count() : -1};
    };
    weft::priced_embedding_model model{inner, options};
    const ended_embedding ended = co_await embed(model, texts(2, "some text"));
    BOOST_TEST(ended.made.vectors.size() == 2u);
    BOOST_TEST((told == std::vector<std::int64_t>{20, 20'000'000}));
    const weft::spending spent = options.budget->spent();
    BOOST_TEST((spent.tokens == weft::tokens{20} && spent.cost == weft::usd_micros{20'000'000}));
    BOOST_TEST(spent.model_calls == 1);
    BOOST_TEST((options.budget->reserved() == weft::spending{}));
}

WEFT_ASYNC_TEST_CASE(a_call_that_the_budget_cannot_pay_is_not_made)
{
    const auto inner = std::make_shared<fake_embeddings>();
    weft::budget limits;
    limits.tokens = weft::tokens{10};
    weft::priced_embedding_model model{inner, paid_from(limits)};
    const ended_embedding ended = co_await embed(model, texts(1, std::string(1'000, 'a')));
    BOOST_TEST((ended.code == errc::budget_exhausted));
    BOOST_TEST(inner->asked.empty());
}

WEFT_ASYNC_TEST_CASE(a_limit_of_cost_wants_a_price)
{
    const auto inner = std::make_shared<fake_embeddings>();
    weft::budget limits;
    limits.cost = weft::usd_micros{1'000'000};
    weft::priced_embedding_options options = paid_from(limits);
    options.model = "unknown";
    weft::priced_embedding_model model{inner, options};
    const ended_embedding ended = co_await embed(model, texts(1, "text"));
    BOOST_TEST((ended.code == errc::invalid_configuration));
    BOOST_TEST(inner->asked.empty());
}

WEFT_ASYNC_TEST_CASE(a_usage_that_is_not_told_counts_with_its_estimate)
{
    const auto inner = std::make_shared<fake_embeddings>();
    inner->tells_usage = false;
    weft::budget limits;
    limits.tokens = weft::tokens{1'000};
    const weft::priced_embedding_options options = paid_from(limits);
    weft::priced_embedding_model model{inner, options};
    (void)co_await embed(model, texts(1, std::string(400, 'a')));
    BOOST_TEST((options.budget->spent().tokens >= weft::tokens{100}));
}

WEFT_ASYNC_TEST_CASE(a_refused_call_costs_nothing_and_a_lost_one_what_was_put_aside)
{
    const auto inner = std::make_shared<fake_embeddings>(std::vector{status(401), lost()});
    weft::budget limits;
    limits.tokens = weft::tokens{1'000};
    const weft::priced_embedding_options options = paid_from(limits);
    weft::priced_embedding_model model{inner, options};
    (void)co_await embed(model, texts(1, "text"));
    BOOST_TEST((options.budget->spent() == weft::spending{}));
    (void)co_await embed(model, texts(1, "text"));
    BOOST_TEST((options.budget->spent().tokens > weft::tokens{}));
    BOOST_TEST((options.budget->reserved() == weft::spending{}));
}

BOOST_AUTO_TEST_SUITE_END()
