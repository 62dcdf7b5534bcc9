#include <boost/test/unit_test.hpp>

#include "model/paid_calls.hpp"

#include <weft/async/scope.hpp>
#include <weft/model/decorator/budgeted_model.hpp>
#include <weft/model/decorator/retrying_model.hpp>
#include <weft/testing/async_test_case.hpp>

BOOST_AUTO_TEST_SUITE(budgeted_model_test)

namespace {

using namespace fake_models;
using weft::budgeted_model;
using weft::errc;
using weft::task;
using weft::tokens;
namespace this_task = weft::this_task;

ledger_ptr run_with(std::optional<std::int64_t> token_count, std::optional<std::int64_t> calls = {})
{
    weft::budget limits;
    if (token_count) limits.tokens = tokens{*token_count};
    limits.model_calls = calls;
    return fake_models::run_with(limits);
}

weft::budgeted_model_options modest()
{
    weft::budgeted_model_options options;
    options.output_expected = tokens{100};
    return options;
}

}  // namespace

WEFT_ASYNC_TEST_CASE(without_a_budget_calls_pass)
{
    const auto inner = fake_model::doing({writes(8, used(1'000, 200))});
    budgeted_model model{inner};
    const ended_call ended = co_await ask(model);
    BOOST_TEST(text_of(ended) == "wordword");
}

WEFT_ASYNC_TEST_CASE(a_call_is_settled_with_what_it_used)
{
    const ledger_ptr ledger = run_with(10'000, 3);
    const auto inner = fake_model::doing({writes(8, used(1'000, 200))});
    budgeted_model model{inner, modest()};
    const ended_call ended = co_await ask(model, paid_by(ledger));
    BOOST_TEST(ledger->spent().tokens.count() == 1'200);
    BOOST_TEST(ledger->spent().model_calls == 1);
    BOOST_TEST((ledger->reserved() == weft::spending{}));
}

WEFT_ASYNC_TEST_CASE(a_call_that_could_exceed_the_budget_is_not_made)
{
    const ledger_ptr ledger = run_with(50);
    const auto inner = fake_model::doing({writes(8, used(1, 1))});
    budgeted_model model{inner, modest()};
    const ended_call ended = co_await ask(model, paid_by(ledger));
    BOOST_TEST(ended.code == errc::budget_exhausted);
    BOOST_TEST(ended.what.find("run 17") == 0U);
    BOOST_TEST(inner->asked.empty());
    weft::chat_request brief = paid_by(ledger);
    brief.output_max = tokens{10};
    const ended_call fits = co_await ask(model, brief);
    BOOST_TEST(fits.reply.has_value());
    const ledger_ptr no_calls = run_with({}, 0);
    const ended_call refused = co_await ask(model, paid_by(no_calls));
    BOOST_TEST(refused.code == errc::budget_exhausted);
}

WEFT_ASYNC_TEST_CASE(branches_side_by_side_do_not_overspend)
{
    const weft::task_context& context = co_await this_task::context();
    const ledger_ptr ledger = run_with(300);
    const auto inner = fake_model::doing({writes(8, used(10, 90))});
    budgeted_model model{inner, modest()};
    std::vector<ended_call> all;
    weft::scope branches{context};
    for (int i = 0; i < 10; ++i) branches.spawn(ask_and_note(model, ledger, all));
    co_await branches.join();
    BOOST_TEST(inner->asked.size() == 2U);  // about 110 are put aside for each
    BOOST_TEST(ledger->spent().tokens.count() == 200);
}

WEFT_ASYNC_TEST_CASE(a_reply_that_writes_beyond_the_budget_is_stopped)
{
    const ledger_ptr ledger = run_with(500);
    const auto inner = fake_model::doing({writes(4'000, used(10, 1'000))});
    budgeted_model model{inner, modest()};
    noting_sink sink;
    const ended_call ended = co_await ask(model, paid_by(ledger), sink);
    BOOST_TEST(ended.code == errc::budget_exhausted);
    BOOST_TEST(ended.what.find("stopped while it was written") != std::string::npos);
    BOOST_REQUIRE(ended.failure.has_value());
    BOOST_TEST(ended.failure->has_delivered);
    BOOST_TEST(!ended.failure->is_transient);
    BOOST_TEST(inner->cut_short == 1U);
    BOOST_TEST(ledger->spent().tokens.count() <= 500);
    BOOST_TEST(ledger->spent().tokens.count() >= 350);
    BOOST_TEST((ledger->reserved() == weft::spending{}));
}

WEFT_ASYNC_TEST_CASE(a_longer_reply_than_expected_puts_more_aside)
{
    const ledger_ptr ledger = run_with(2'000);
    const auto inner = fake_model::doing({writes(4'000, used(10, 1'000))});
    budgeted_model model{inner, modest()};
    const ended_call ended = co_await ask(model, paid_by(ledger));
    BOOST_TEST(ended.reply.has_value());
    BOOST_TEST(ledger->spent().tokens.count() == 1'010);
}

WEFT_ASYNC_TEST_CASE(failed_attempts_count)
{
    fake_call cut = fails(lost(weft::model_phase::stream));
    cut.usage = used(40, 0);
    const auto inner = fake_model::doing({cut, fails(status(500)), writes(8, used(40, 2))});
    const ledger_ptr ledger = run_with({});
    const auto budgeted = std::make_shared<budgeted_model>(inner, modest());
    weft::retrying_model model{budgeted};
    const ended_call ended = co_await ask(model, paid_by(ledger));
    BOOST_TEST(ended.reply.has_value());
    BOOST_TEST(ledger->spent().tokens.count() == 82);
    BOOST_TEST(ledger->spent().model_calls == 3);
}

WEFT_ASYNC_TEST_CASE(a_reply_that_reports_nothing_is_estimated)
{
    const ledger_ptr ledger = run_with({});
    const auto inner = fake_model::doing({writes(400, weft::usage::unknown())});
    budgeted_model model{inner, modest()};
    const ended_call ended = co_await ask(model, paid_by(ledger));
    BOOST_TEST(ledger->spent().tokens.count() > 100);
    BOOST_TEST(ledger->spent().tokens.count() < 130);
}

WEFT_ASYNC_TEST_CASE(what_the_sink_throws_goes_up_and_is_settled)
{
    const ledger_ptr ledger = run_with({});
    const auto inner = fake_model::doing({writes(8, used(1, 1))});
    budgeted_model model{inner, modest()};
    noting_sink sink;
    sink.throws_at = "word";
    const ended_call ended = co_await ask(model, paid_by(ledger), sink);
    BOOST_TEST(ended.what.find("a sink") != std::string::npos);
    BOOST_TEST(ledger->spent().tokens.count() > 0);
    BOOST_TEST((ledger->reserved() == weft::spending{}));
}

BOOST_AUTO_TEST_CASE(a_call_that_is_cut_short_leaves_nothing_put_aside)
{
    const ledger_ptr ledger = run_with({});
    const auto call = [&ledger]() -> task<void> {
        const auto inner = fake_model::doing({writes(12, used(1, 1))});
        budgeted_model model{inner, modest()};
        weft::no_sink sink;
        co_await model.reply(paid_by(ledger), sink);
    };
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(call) >= 3U);
    BOOST_TEST((ledger->reserved() == weft::spending{}));
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(call) >= 3U);
    BOOST_TEST((ledger->reserved() == weft::spending{}));
    BOOST_TEST(ledger->spent().tokens.count() > 100);
}

BOOST_AUTO_TEST_SUITE_END()
