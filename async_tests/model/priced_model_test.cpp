#include <boost/test/unit_test.hpp>

#include "fake_models.hpp"

#include <weft/async/scope.hpp>
#include <weft/base/json.hpp>
#include <weft/model/priced_model.hpp>
#include <weft/model/retrying_model.hpp>
#include <weft/testing/async_test_case.hpp>

BOOST_AUTO_TEST_SUITE(priced_model_test)

namespace {

using namespace fake_models;
using weft::budget_ledger;
using weft::budget_limits;
using weft::errc;
using weft::priced_model;
using weft::priced_model_options;
using weft::task;
using weft::tokens;
using weft::usd_micros;
namespace this_task = weft::this_task;

/** A dollar for a million tokens read, ten for a million written. */
std::shared_ptr<const weft::price_table> prices()
{
    const char* const text = R"({"models":[{"match":"a fake","input":1,"output":10}]})";
    return std::make_shared<const weft::price_table>(weft::price_table::from(weft::parse_json(text)));
}

priced_model_options within(budget_ledger ledger)
{
    priced_model_options options;
    options.prices = prices();
    options.model = "a fake";
    options.ledger = std::move(ledger);
    options.output_expected = tokens{100};
    return options;
}

fake_call writes(std::size_t characters, weft::usage usage)
{
    fake_call call;
    call.pieces.assign(characters / 4, "word");
    call.gap = 1ms;
    call.usage = usage;
    return call;
}

task<void> ask_and_note(weft::chat_model& model, std::vector<ended_call>& all)
{
    ended_call ended = co_await ask(model);
    all.push_back(std::move(ended));
}

}  // namespace

WEFT_ASYNC_TEST_CASE(a_reply_tells_its_cost_if_it_is_known)
{
    const auto inner = fake_model::doing({writes(8, used(1'000, 200))});
    priced_model_options options;
    options.prices = prices();
    priced_model model{inner, options};
    const ended_call ended = co_await ask(model);
    BOOST_TEST(ended.reply->cost->count() == 3'000);

    const auto silent = fake_model::doing({writes(8, weft::usage::unknown())});
    priced_model unsure{silent, options};
    const ended_call unknown = co_await ask(unsure);
    BOOST_TEST(!unknown.reply->cost.has_value());

    const auto another = fake_model::doing({writes(8, used(1, 1))}, "unheard of");
    priced_model unpriced{another, options};
    const ended_call no_price = co_await ask(unpriced);
    BOOST_TEST(!no_price.reply->cost.has_value());
}

WEFT_ASYNC_TEST_CASE(a_call_is_settled_with_what_it_used)
{
    const budget_ledger ledger{"run", {.tokens = tokens{10'000}, .cost = usd_micros{10'000}, .calls = 3}};
    const auto inner = fake_model::doing({writes(8, used(1'000, 200))});
    priced_model model{inner, within(ledger)};
    const ended_call ended = co_await ask(model);
    BOOST_TEST(ledger.spent().tokens.count() == 1'200);
    BOOST_TEST(ledger.spent().cost.count() == 3'000);
    BOOST_TEST(ledger.spent().calls == 1);
    BOOST_TEST((ledger.reserved() == weft::budget_amounts{}));
}

WEFT_ASYNC_TEST_CASE(a_call_that_could_exceed_the_budget_is_not_made)
{
    const budget_ledger ledger{"run 17", {.tokens = tokens{50}}};
    const auto inner = fake_model::doing({writes(8, used(1, 1))});
    priced_model model{inner, within(ledger)};
    const ended_call ended = co_await ask(model);
    BOOST_TEST(ended.code == errc::budget_exhausted);
    BOOST_TEST(ended.what.find("run 17") == 0U);
    BOOST_TEST(ended.what.find("50 tokens left") != std::string::npos);
    BOOST_TEST(inner->asked.empty());
    weft::chat_request brief = question();
    brief.output_max = tokens{10};
    const ended_call fits = co_await ask(model, brief);
    BOOST_TEST(fits.reply.has_value());
}

WEFT_ASYNC_TEST_CASE(branches_side_by_side_do_not_overspend)
{
    const weft::task_context& context = co_await this_task::context();
    const budget_ledger ledger{"run", {.tokens = tokens{300}}};
    const auto inner = fake_model::doing({writes(8, used(10, 90))});
    priced_model model{inner, within(ledger)};
    std::vector<ended_call> all;
    weft::scope branches{context};
    for (int i = 0; i < 10; ++i) branches.spawn(ask_and_note(model, all));
    co_await branches.join();
    BOOST_TEST(inner->asked.size() == 2U);  // about 110 are reserved for each
    BOOST_TEST(ledger.spent().tokens.count() == 200);
}

WEFT_ASYNC_TEST_CASE(a_reply_that_writes_beyond_the_budget_is_stopped)
{
    const budget_ledger ledger{"run", {.tokens = tokens{500}}};
    const auto inner = fake_model::doing({writes(4'000, used(10, 1'000))});
    priced_model model{inner, within(ledger)};
    noting_sink sink;
    const ended_call ended = co_await ask(model, question(), sink);
    BOOST_TEST(ended.code == errc::budget_exhausted);
    BOOST_TEST(ended.what.find("stopped while it was written") != std::string::npos);
    BOOST_REQUIRE(ended.failure.has_value());
    BOOST_TEST(ended.failure->has_delivered);
    BOOST_TEST(!ended.failure->is_transient);
    BOOST_TEST(inner->cut_short == 1U);
    BOOST_TEST(ledger.spent().tokens.count() <= 500);
    BOOST_TEST(ledger.spent().tokens.count() >= 350);
    BOOST_TEST((ledger.reserved() == weft::budget_amounts{}));
}

WEFT_ASYNC_TEST_CASE(a_longer_reply_than_expected_reserves_more)
{
    const budget_ledger ledger{"run", {.tokens = tokens{2'000}}};
    const auto inner = fake_model::doing({writes(4'000, used(10, 1'000))});
    priced_model model{inner, within(ledger)};
    const ended_call ended = co_await ask(model);
    BOOST_TEST(ended.reply.has_value());
    BOOST_TEST(ledger.spent().tokens.count() == 1'010);
}

WEFT_ASYNC_TEST_CASE(failed_attempts_count)
{
    fake_call cut = fails(lost(weft::model_phase::stream));
    cut.usage = used(40, 0);
    const auto inner = fake_model::doing({cut, fails(status(500)), writes(8, used(40, 2))});
    const budget_ledger ledger{"run"};
    const auto priced = std::make_shared<priced_model>(inner, within(ledger));
    weft::retrying_model model{priced};
    const ended_call ended = co_await ask(model);
    BOOST_TEST(ended.reply.has_value());
    BOOST_TEST(ledger.spent().tokens.count() == 82);
    BOOST_TEST(ledger.spent().calls == 3);
}

WEFT_ASYNC_TEST_CASE(a_reply_that_reports_nothing_is_estimated)
{
    const budget_ledger ledger{"run"};
    const auto inner = fake_model::doing({writes(400, weft::usage::unknown())});
    priced_model model{inner, within(ledger)};
    const ended_call ended = co_await ask(model);
    BOOST_TEST(ledger.spent().tokens.count() > 100);
    BOOST_TEST(ledger.spent().tokens.count() < 130);
}

WEFT_ASYNC_TEST_CASE(without_a_price_a_limited_cost_refuses_the_call)
{
    const budget_ledger ledger{"run", {.cost = usd_micros{10'000}}};
    const auto inner = fake_model::doing({writes(8, used(1, 1))}, "unheard of");
    priced_model_options options = within(ledger);
    options.model = "unheard of";
    priced_model model{inner, options};
    const ended_call ended = co_await ask(model);
    BOOST_TEST(ended.code == errc::invalid_configuration);
    BOOST_TEST(ended.what.find("'unheard of' has no price") != std::string::npos);
    options.without_price = weft::unknown_price::allow;
    priced_model lenient{inner, options};
    const ended_call made = co_await ask(lenient);
    BOOST_TEST(made.reply.has_value());
    BOOST_TEST(ledger.spent().tokens.count() == 2);
}

WEFT_ASYNC_TEST_CASE(what_the_sink_throws_goes_up_and_is_settled)
{
    const budget_ledger ledger{"run"};
    const auto inner = fake_model::doing({writes(8, used(1, 1))});
    priced_model model{inner, within(ledger)};
    noting_sink sink;
    sink.throws_at = "word";
    const ended_call ended = co_await ask(model, question(), sink);
    BOOST_TEST(ended.what.find("a sink") != std::string::npos);
    BOOST_TEST(ledger.spent().tokens.count() > 0);
    BOOST_TEST((ledger.reserved() == weft::budget_amounts{}));
}

BOOST_AUTO_TEST_CASE(a_call_that_is_cut_short_leaves_nothing_reserved)
{
    const budget_ledger ledger{"run"};
    const auto call = [&ledger]() -> task<void> {
        const auto inner = fake_model::doing({writes(12, used(1, 1))});
        priced_model model{inner, within(ledger)};
        weft::no_sink sink;
        co_await model.reply(question(), sink);
    };
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(call) >= 3U);
    BOOST_TEST((ledger.reserved() == weft::budget_amounts{}));
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(call) >= 3U);
    BOOST_TEST((ledger.reserved() == weft::budget_amounts{}));
    BOOST_TEST(ledger.spent().tokens.count() > 100);
}

BOOST_AUTO_TEST_SUITE_END()
