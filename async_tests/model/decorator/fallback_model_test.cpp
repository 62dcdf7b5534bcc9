#include <boost/test/unit_test.hpp>

#include "model/fake_models.hpp"

#include <weft/model/decorator/fallback_model.hpp>
#include <weft/model/decorator/retrying_model.hpp>
#include <weft/testing/async_test_case.hpp>

BOOST_AUTO_TEST_SUITE(fallback_model_test)

namespace {

using namespace fake_models;
using weft::errc;
using weft::fallback_entry;
using weft::fallback_model;

fake_call says(std::string text)
{
    fake_call call;
    call.pieces = {std::move(text)};
    call.usage = used(7, 3);
    return call;
}

std::vector<fallback_entry> entries(std::vector<std::shared_ptr<fake_model>> models)
{
    std::vector<fallback_entry> all;
    for (auto& model : models) all.push_back({.model = model});
    return all;
}

std::shared_ptr<weft::circuit_breaker> breaker_of_one()
{
    return std::make_shared<weft::circuit_breaker>(weft::circuit_breaker_options{.failures_max = 1});
}

}  // namespace

WEFT_ASYNC_TEST_CASE(the_first_model_that_answers_is_heard)
{
    const auto first = fake_model::doing({fails(status(500))}, "first");
    const auto second = fake_model::doing({says("two")}, "second");
    fallback_model model{entries({first, second})};
    noting_sink sink;
    const ended_call ended = co_await ask(model, question(), sink);
    BOOST_TEST(text_of(ended) == "two");
    BOOST_TEST(sink.seen == "<reply-0>two|");
    BOOST_TEST(ended.reply->attempts == 2);
    BOOST_TEST(first->asked[0].call_id == second->asked[0].call_id);
    BOOST_TEST(model.label() == "first, else second");
}

BOOST_AUTO_TEST_CASE(failures_of_endpoint_credentials_and_account_go_on_others_do_not)
{
    for (const int code : {401, 402, 404, 429, 500, 503}) BOOST_TEST(weft::is_reason_to_fall_back(status(code)), code);
    for (const int code : {400, 413, 422}) BOOST_TEST(!weft::is_reason_to_fall_back(status(code)), code);
    weft::model_failure stopped;
    stopped.code = errc::cancelled;
    BOOST_TEST(!weft::is_reason_to_fall_back(stopped));
}

WEFT_ASYNC_TEST_CASE(a_refused_request_is_not_asked_again)
{
    const auto first = fake_model::doing({fails(status(400))}, "first");
    const auto second = fake_model::doing({says("two")}, "second");
    fallback_model model{entries({first, second})};
    const ended_call ended = co_await ask(model);
    BOOST_TEST(ended.code == errc::model_rejected);
    BOOST_TEST(second->asked.empty());
    weft::fallback_model_options options;
    options.goes_on = [](const weft::model_failure&) { return true; };
    fallback_model braver{entries({first, second}), options};
    const ended_call again = co_await ask(braver);
    BOOST_TEST(text_of(again) == "two");
}

WEFT_ASYNC_TEST_CASE(after_a_token_only_who_can_take_it_back_goes_on)
{
    fake_call cut = says("Hal");
    cut.failure = lost(weft::model_phase::stream);
    const auto first = fake_model::doing({cut}, "first");
    const auto second = fake_model::doing({says("two")}, "second");
    noting_sink sink;
    fallback_model model{entries({first, second})};
    const ended_call ended = co_await ask(model, question(), sink);
    BOOST_TEST(ended.code == errc::connection_lost);
    BOOST_TEST(ended.failure->partial.message.text() == "Hal");

    fallback_model restarting{entries({first, second}), {.restarts_after_tokens = true}};
    sink.seen.clear();
    const ended_call again = co_await ask(restarting, question(), sink);
    BOOST_TEST(text_of(again) == "two");
    BOOST_TEST(sink.seen == "<reply-1>Hal|-<reply-0>two|");
    BOOST_TEST((again.reply->usage == used(14, 6)));
}

WEFT_ASYNC_TEST_CASE(settings_stay_and_the_name_of_the_model_is_each_ones_own)
{
    const auto first = fake_model::doing({fails(status(500))});
    const auto second = fake_model::doing({fails(status(500))});
    const auto third = fake_model::doing({says("three")});
    const std::vector<fallback_entry> all{{.model = first}, {.model = second, .model_name = "m"}, {.model = third}};
    fallback_model model{all};
    weft::chat_request request = question();
    request.model = "big";
    request.temperature = 0.25;
    const ended_call ended = co_await ask(model, request);
    BOOST_TEST(first->asked[0].model == "big");
    BOOST_TEST(second->asked[0].model == "m");
    BOOST_TEST(third->asked[0].model.empty());
    BOOST_TEST(third->asked[0].temperature.value() == 0.25);
}

WEFT_ASYNC_TEST_CASE(the_error_lists_all_failures)
{
    const auto first = fake_model::doing({fails(status(429, 9s))}, "first");
    const auto second = fake_model::doing({fails(lost())}, "second");
    const auto third = fake_model::doing({fails(status(401))}, "third");
    std::string heard;
    weft::fallback_model_options options;
    options.on_fall_back = [&heard](const weft::chat_model& failed, const weft::model_failure& why) {
        heard.append(failed.label()).append(" ").append(weft::name_of(why.code)).append(";");
    };
    fallback_model model{entries({first, second, third}), options};
    const ended_call ended = co_await ask(model);
    BOOST_TEST(ended.code == errc::model_unauthorized);
    BOOST_TEST(ended.failure->is_transient);
    BOOST_TEST((ended.failure->retry_after == 9s));
    BOOST_TEST(ended.failure->partial.attempts == 3);
    BOOST_TEST(ended.failure->partial.usage.unreported == 1);
    for (const char* part : {"first: ", "second: ", "third: ", "status 429", "hung up", "status 401"})
        BOOST_TEST(ended.what.find(part) != std::string::npos, part << " in " << ended.what);
    BOOST_TEST(heard == "first model_rate_limited;second connection_lost;");
}

WEFT_ASYNC_TEST_CASE(a_model_whose_breaker_is_open_is_passed_over_until_it_works_again)
{
    const auto first = fake_model::doing({fails(status(500)), says("one")}, "first");
    const auto second = fake_model::doing({says("two")}, "second");
    const std::vector<fallback_entry> all{{.model = first, .breaker = breaker_of_one()}, {.model = second}};
    fallback_model model{all};
    std::string heard;
    for (int call = 0; call < 3; ++call) {
        const ended_call ended = co_await ask(model);
        heard += text_of(ended) + " ";
    }
    BOOST_TEST(first->asked.size() == 1U);
    co_await weft::sleep_for(30s);
    const ended_call ended = co_await ask(model);
    BOOST_TEST(heard + text_of(ended) == "two two two one");
}

WEFT_ASYNC_TEST_CASE(rate_limits_and_refusals_open_no_breaker)
{
    const auto first = fake_model::doing({fails(status(429)), fails(status(401)), says("one")}, "first");
    const auto second = fake_model::doing({says("two")}, "second");
    const std::vector<fallback_entry> all{{.model = first, .breaker = breaker_of_one()}, {.model = second}};
    fallback_model model{all};
    for (int call = 0; call < 2; ++call) {
        const ended_call ended = co_await ask(model);
        BOOST_TEST(text_of(ended) == "two");
    }
    const ended_call ended = co_await ask(model);
    BOOST_TEST(text_of(ended) == "one");
}

WEFT_ASYNC_TEST_CASE(with_all_breakers_open_the_error_says_when_to_come_back)
{
    const auto first = fake_model::doing({fails(status(500))}, "first");
    const std::vector<fallback_entry> all{{.model = first, .breaker = breaker_of_one()}};
    fallback_model model{all};
    const ended_call failed = co_await ask(model);
    const ended_call ended = co_await ask(model);
    BOOST_TEST(first->asked.size() == 1U);
    BOOST_TEST(ended.code == errc::model_overloaded);
    BOOST_TEST((ended.failure->retry_after == 30s));
    BOOST_TEST(ended.what.find("circuit breaker is open") != std::string::npos);
}

WEFT_ASYNC_TEST_CASE(what_the_sink_throws_goes_up)
{
    const auto first = fake_model::doing({fake_call{}}, "first");
    const auto second = fake_model::doing({says("two")}, "second");
    fallback_model model{entries({first, second})};
    noting_sink sink;
    sink.throws_at = "Hel";
    const ended_call ended = co_await ask(model, question(), sink);
    BOOST_TEST(ended.what.find("a sink") != std::string::npos);
    BOOST_TEST(second->asked.empty());
}

WEFT_ASYNC_TEST_CASE(IVY_17_a_capable_model_that_failed_twice_is_followed_by_a_balanced_one)
{
    const auto capable = fake_model::doing({fails(status(500))}, "capable");
    const auto balanced = fake_model::doing({says("done")}, "balanced");
    weft::retrying_model_options twice;
    twice.policy.attempts_max = 2;
    const std::vector<fallback_entry> tiers{
        {.model = std::make_shared<weft::retrying_model>(capable, twice)}, {.model = balanced}};
    fallback_model model{tiers};
    const ended_call ended = co_await ask(model);
    BOOST_TEST(text_of(ended) == "done");
    BOOST_TEST(capable->asked.size() == 2U);
    BOOST_TEST(balanced->asked.size() == 1U);
    BOOST_TEST(ended.reply->attempts == 3);
}

WEFT_ASYNC_TEST_CASE(IVY_17_a_failure_that_passes_is_retried_and_one_that_does_not_fails)
{
    const auto passing = fake_model::doing({fails(status(500)), says("again")}, "capable");
    const auto refusing = fake_model::doing({fails(status(400))}, "capable");
    const auto balanced = fake_model::doing({says("done")}, "balanced");
    for (const auto& capable : {passing, refusing}) {
        const std::vector<fallback_entry> tiers{{.model = std::make_shared<weft::retrying_model>(capable)},
                                                {.model = balanced}};
        fallback_model model{tiers};
        const ended_call ended = co_await ask(model);
        if (capable == passing)
            BOOST_TEST(text_of(ended) == "again");
        else
            BOOST_TEST(ended.code == errc::model_rejected);
    }
    BOOST_TEST(balanced->asked.empty());
}

WEFT_ASYNC_TEST_CASE(PYA_13_fallback_models_are_tried_in_order_each_with_the_same_retries)
{
    weft::retrying_model_options options;
    options.policy = {.attempts_max = 4, .base = 1s, .delay_max = 30s, .overload_base = 1s,
                      .overload_delay_max = 30s, .jitter_min = 1};
    const auto primary = fake_model::doing({fails(status(500))}, "primary");
    const auto refused = fake_model::doing({fails(status(401))}, "refused");
    const auto last = fake_model::doing({fails(status(503)), says("last")}, "last");
    std::vector<fallback_entry> chain;
    for (const auto& inner : {primary, refused, last})
        chain.push_back({.model = std::make_shared<weft::retrying_model>(inner, options)});
    fallback_model model{chain};
    const ended_call ended = co_await ask(model);
    BOOST_TEST(text_of(ended) == "last");
    BOOST_TEST(primary->asked.size() == 4U);
    BOOST_TEST((primary->asked_at[1] - primary->asked_at[0] == 1100ms));
    BOOST_TEST((primary->asked_at[2] - primary->asked_at[1] == 2100ms));
    BOOST_TEST((primary->asked_at[3] - primary->asked_at[2] == 4100ms));
    BOOST_TEST(refused->asked.size() == 1U);  // not retryable: the next one at once
    BOOST_TEST(last->asked.size() == 2U);
    BOOST_TEST(primary->asked[0].model == primary->asked[3].model);
}

BOOST_AUTO_TEST_CASE(a_stop_ends_the_call_of_any_model)
{
    const auto call = []() -> weft::task<void> {
        const std::vector<fallback_entry> all{
            {.model = fake_model::doing({fails(status(500))}), .breaker = breaker_of_one()},
            {.model = fake_model::doing({says("two")})}};
        fallback_model model{all};
        weft::no_sink sink;
        co_await model.reply(question(), sink);
    };
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(call) >= 2U);
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(call) >= 2U);
}

BOOST_AUTO_TEST_SUITE_END()
