#include <boost/test/unit_test.hpp>

#include "model/paid_calls.hpp"

#include <weft/async/scope.hpp>
#include <weft/base/json.hpp>
#include <weft/model/decorator/priced_model.hpp>
#include <weft/model/decorator/retrying_model.hpp>
#include <weft/testing/async_test_case.hpp>

BOOST_AUTO_TEST_SUITE(priced_model_test)

namespace {

using namespace fake_models;
using weft::errc;
using weft::priced_model;
using weft::priced_model_options;
using weft::task;
using weft::tokens;
using weft::usd_micros;
namespace this_task = weft::this_task;

ledger_ptr run_with(std::optional<std::int64_t> micros)
{
    weft::budget limits;
    if (micros) limits.cost = usd_micros{*micros};
    return fake_models::run_with(limits);
}

/** A dollar for a million tokens read, ten for a million written: about a tenth of a cent is put aside for a call. */
priced_model_options priced(std::string model = "a fake")
{
    const char* const text = R"({"models":[{"match":"a fake","input":1,"output":10}]})";
    priced_model_options options;
    options.prices = std::make_shared<const weft::price_table>(weft::price_table::from(weft::parse_json(text)));
    options.model = std::move(model);
    options.output_expected = tokens{100};
    return options;
}

}  // namespace

WEFT_ASYNC_TEST_CASE(a_reply_tells_its_cost_if_it_is_known)
{
    const auto inner = fake_model::doing({writes(8, used(1'000, 200))});
    priced_model model{inner, priced()};
    const ended_call ended = co_await ask(model);
    BOOST_TEST(ended.reply->cost->count() == 3'000);

    const auto silent = fake_model::doing({writes(8, weft::usage::unknown())});
    priced_model unsure{silent, priced()};
    const ended_call unknown = co_await ask(unsure);
    BOOST_TEST(!unknown.reply->cost.has_value());

    const auto another = fake_model::doing({writes(8, used(1, 1))}, "unheard of");
    priced_model unpriced{another, priced("unheard of")};
    const ended_call no_price = co_await ask(unpriced);
    BOOST_TEST(!no_price.reply->cost.has_value());
}

WEFT_ASYNC_TEST_CASE(every_call_is_told_with_its_cost_also_one_that_failed)
{
    fake_call cut = fails(lost(weft::model_phase::stream));
    cut.usage = used(1'000, 0);
    const auto inner = fake_model::doing({cut, writes(8, used(1'000, 200))});
    std::string told;
    priced_model_options options = priced();
    options.on_cost = [&told](std::string_view model, const std::optional<weft::model_cost>& cost) {
        told.append(model).append(" ").append(cost ? to_string(cost->amount) : "?").append(";");
    };
    weft::retrying_model model{std::make_shared<priced_model>(inner, options)};
    const ended_call ended = co_await ask(model);
    BOOST_TEST(told == "a fake $0.001;a fake $0.003;");
    BOOST_TEST(!ended.reply->cost.has_value());  // of the attempts together it is not known here
}

WEFT_ASYNC_TEST_CASE(a_call_is_settled_with_what_it_cost)
{
    const ledger_ptr ledger = run_with(10'000);
    const auto inner = fake_model::doing({writes(8, used(1'000, 200))});
    priced_model model{inner, priced()};
    const ended_call ended = co_await ask(model, paid_by(ledger));
    BOOST_TEST(ledger->spent().cost.count() == 3'000);
    BOOST_TEST(ledger->spent().tokens.count() == 0);  // that is what a budgeted model counts
    BOOST_TEST((ledger->reserved() == weft::spending{}));
}

WEFT_ASYNC_TEST_CASE(branches_side_by_side_do_not_overspend)
{
    const weft::task_context& context = co_await this_task::context();
    const ledger_ptr ledger = run_with(2'500);
    const auto inner = fake_model::doing({writes(8, used(10, 90))});
    priced_model model{inner, priced()};
    std::vector<ended_call> all;
    weft::scope branches{context};
    for (int i = 0; i < 10; ++i) branches.spawn(ask_and_note(model, ledger, all));
    co_await branches.join();
    BOOST_TEST(inner->asked.size() == 2U);
    BOOST_TEST(ledger->spent().cost.count() == 2 * 910);
    BOOST_REQUIRE(all.size() == 10U);
    BOOST_TEST(all.front().code == errc::budget_exhausted);
    BOOST_TEST(all.front().what.find("run 17") == 0U);
}

WEFT_ASYNC_TEST_CASE(a_reply_that_costs_more_than_is_left_is_stopped)
{
    const ledger_ptr ledger = run_with(4'000);
    const auto inner = fake_model::doing({writes(4'000, used(10, 1'000))});
    priced_model model{inner, priced()};
    const ended_call ended = co_await ask(model, paid_by(ledger));
    BOOST_TEST(ended.code == errc::budget_exhausted);
    BOOST_TEST(inner->cut_short == 1U);
    BOOST_TEST(ledger->spent().cost.count() <= 4'000);
    BOOST_TEST(ledger->spent().cost.count() >= 3'000);
}

WEFT_ASYNC_TEST_CASE(without_a_price_a_limited_cost_refuses_the_call)
{
    const ledger_ptr ledger = run_with(10'000);
    const auto inner = fake_model::doing({writes(8, used(1, 1))}, "unheard of");
    priced_model_options options = priced("unheard of");
    priced_model model{inner, options};
    const ended_call ended = co_await ask(model, paid_by(ledger));
    BOOST_TEST(ended.code == errc::invalid_configuration);
    BOOST_TEST(ended.what.find("'unheard of' has no price") != std::string::npos);
    const ended_call unlimited = co_await ask(model, paid_by(run_with({})));
    BOOST_TEST(unlimited.reply.has_value());
    options.without_price = weft::unknown_price::allow;
    priced_model lenient{inner, options};
    const ended_call made = co_await ask(lenient, paid_by(ledger));
    BOOST_TEST(made.reply.has_value());
    BOOST_TEST(ledger->spent().cost.count() == 0);
}

WEFT_ASYNC_TEST_CASE(what_the_sink_throws_goes_up_and_is_settled)
{
    const ledger_ptr ledger = run_with({});
    const auto inner = fake_model::doing({writes(8, used(1, 1))});
    priced_model model{inner, priced()};
    noting_sink sink;
    sink.throws_at = "word";
    const ended_call ended = co_await ask(model, paid_by(ledger), sink);
    BOOST_TEST(ended.what.find("a sink") != std::string::npos);
    BOOST_TEST(ledger->spent().cost.count() > 0);
    BOOST_TEST((ledger->reserved() == weft::spending{}));
}

BOOST_AUTO_TEST_CASE(a_call_that_is_cut_short_leaves_nothing_put_aside)
{
    const ledger_ptr ledger = run_with({});
    const auto call = [&ledger]() -> task<void> {
        const auto inner = fake_model::doing({writes(12, used(1, 1))});
        priced_model model{inner, priced()};
        weft::no_sink sink;
        co_await model.reply(paid_by(ledger), sink);
    };
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(call) >= 3U);
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(call) >= 3U);
    BOOST_TEST((ledger->reserved() == weft::spending{}));
}

BOOST_AUTO_TEST_SUITE_END()
