#include <boost/test/unit_test.hpp>

#include "model/fake_models.hpp"

#include <weft/model/decorator/retrying_model.hpp>
#include <weft/testing/async_test_case.hpp>

#include <set>

BOOST_AUTO_TEST_SUITE(retrying_model_test)

namespace {

using namespace fake_models;
using weft::errc;
using weft::retrying_model;
using weft::retrying_model_options;

fake_call partial(std::vector<std::string> pieces, weft::model_failure failure)
{
    fake_call call;
    call.pieces = std::move(pieces);
    call.failure = std::move(failure);
    return call;
}

fake_call answers(weft::usage usage = used(7, 3))
{
    fake_call call;
    call.usage = usage;
    return call;
}

retrying_model_options exact_delays()
{
    retrying_model_options options;
    options.policy.jitter_min = 1;
    options.policy.hint_jitter = 0;
    return options;
}

}  // namespace

WEFT_ASYNC_TEST_CASE(a_call_that_succeeds_is_made_once)
{
    const auto inner = fake_model::doing({answers()});
    retrying_model model{inner};
    noting_sink sink;
    const ended_call ended = co_await ask(model, question(), sink);
    BOOST_TEST(text_of(ended) == "Hello");
    BOOST_TEST(ended.reply->attempts == 1);
    BOOST_TEST(sink.seen == "<reply-0>Hel|lo|");
    BOOST_TEST(model.label() == "a fake");
}

WEFT_ASYNC_TEST_CASE(attempts_that_fail_before_a_token_are_not_seen_by_the_sink)
{
    const auto inner = fake_model::doing({fails(status(500)), fails(lost()), answers()});
    retrying_model model{inner, exact_delays()};
    noting_sink sink;
    const ended_call ended = co_await ask(model, question(), sink);
    BOOST_TEST(text_of(ended) == "Hello");
    BOOST_TEST(sink.seen == "<reply-2>Hel|lo|");
    BOOST_TEST(ended.reply->attempts == 3);
    BOOST_TEST((ended.reply->waited == 1500ms));
    BOOST_TEST((ended.took == 1810ms));
}

WEFT_ASYNC_TEST_CASE(all_attempts_have_one_call_id)
{
    const auto inner = fake_model::doing({fails(status(500)), fails(status(500)), answers()});
    retrying_model model{inner};
    const ended_call first = co_await ask(model);
    BOOST_TEST(inner->asked[0].call_id.size() == 36U);
    BOOST_TEST(inner->asked[0].call_id == inner->asked[2].call_id);
    const ended_call second = co_await ask(model);
    BOOST_TEST(inner->asked[3].call_id != inner->asked[0].call_id);
    weft::chat_request named = question();
    named.call_id = "mine";
    const ended_call third = co_await ask(model, named);
    BOOST_TEST(inner->asked.back().call_id == "mine");
}

WEFT_ASYNC_TEST_CASE(after_a_token_the_error_goes_up_with_what_had_arrived)
{
    const auto inner = fake_model::doing({partial({"Hel"}, lost(weft::model_phase::stream)), answers()});
    retrying_model model{inner};
    noting_sink sink;
    const ended_call ended = co_await ask(model, question(), sink);
    BOOST_TEST(ended.code == errc::connection_lost);
    BOOST_TEST(ended.failure->partial.message.text() == "Hel");
    BOOST_TEST(ended.what.find("some of the reply was delivered") != std::string::npos);
    BOOST_TEST(inner->asked.size() == 1U);
    BOOST_TEST(sink.seen == "<reply-0>Hel|");
}

WEFT_ASYNC_TEST_CASE(who_can_take_tokens_back_gets_another_attempt)
{
    const auto inner = fake_model::doing({partial({"Hal"}, lost(weft::model_phase::stream)), answers()});
    retrying_model_options options;
    options.policy.restarts_after_tokens = true;
    retrying_model model{inner, options};
    noting_sink sink;
    const ended_call ended = co_await ask(model, question(), sink);
    BOOST_TEST(text_of(ended) == "Hello");
    BOOST_TEST(sink.seen == "<reply-0>Hal|-<reply-1>Hel|lo|");
}

WEFT_ASYNC_TEST_CASE(usage_of_failed_attempts_counts)
{
    fake_call cut = fails(lost(weft::model_phase::stream));
    cut.usage = used(5, 1);
    const auto inner = fake_model::doing({fails(lost()), cut, answers(used(7, 3))});
    retrying_model model{inner};
    noting_sink sink;
    const ended_call ended = co_await ask(model, question(), sink);
    weft::usage expected = used(12, 4);
    expected.unreported = 1;  // the one whose connection was lost
    BOOST_TEST((ended.reply->usage == expected));
    BOOST_TEST((sink.last_usage == expected));
}

WEFT_ASYNC_TEST_CASE(an_attempt_that_was_refused_or_never_arrived_costs_nothing)
{
    weft::model_failure no_address = lost();
    no_address.code = errc::resolve_failed;
    const auto inner = fake_model::doing({fails(status(429, 1ms)), fails(no_address), answers(used(7, 3))});
    retrying_model model{inner};
    const ended_call ended = co_await ask(model);
    BOOST_TEST((ended.reply->usage == used(7, 3)));
}

WEFT_ASYNC_TEST_CASE(the_last_error_tells_of_all_attempts)
{
    const auto inner = fake_model::doing({fails(lost()), fails(lost()), fails(status(503))});
    retrying_model model{inner, exact_delays()};
    const ended_call ended = co_await ask(model);
    BOOST_TEST(ended.code == errc::model_overloaded);
    BOOST_TEST(ended.what.find("3 attempts") != std::string::npos);
    BOOST_TEST(ended.what.find("a fake") != std::string::npos);
    BOOST_TEST(ended.failure->partial.usage.unreported == 2);
    BOOST_TEST(ended.failure->partial.attempts == 3);
    BOOST_TEST((ended.failure->partial.waited == 1500ms));
}

WEFT_ASYNC_TEST_CASE(a_hint_that_is_too_long_is_in_the_error)
{
    const auto inner = fake_model::doing({fails(status(429, 120s))});
    retrying_model model{inner};
    const ended_call ended = co_await ask(model);
    BOOST_TEST(ended.code == errc::model_rate_limited);
    BOOST_TEST((ended.failure->retry_after == 120s));
    BOOST_TEST(ended.what.find("120000 ms") != std::string::npos);
    BOOST_TEST((ended.took == 100ms));
}

WEFT_ASYNC_TEST_CASE(a_hint_is_followed)
{
    const auto inner = fake_model::doing({fails(status(429, 7s)), answers()});
    retrying_model model{inner};
    const ended_call ended = co_await ask(model);
    BOOST_TEST((inner->asked_at[1] - inner->asked_at[0] >= 7100ms));
    BOOST_TEST((inner->asked_at[1] - inner->asked_at[0] <= 7802ms));
}

WEFT_ASYNC_TEST_CASE(what_the_sink_throws_is_no_failure_of_the_model)
{
    const auto inner = fake_model::doing({answers()});
    retrying_model_options options;
    options.policy.restarts_after_tokens = true;
    retrying_model model{inner, options};
    noting_sink sink;
    sink.throws_at = "Hel";
    const ended_call ended = co_await ask(model, question(), sink);
    BOOST_TEST(ended.code == errc::timeout);  // transient, if it were the model's
    BOOST_TEST(ended.what.find("a sink") != std::string::npos);
    BOOST_TEST(inner->asked.size() == 1U);
}

WEFT_ASYNC_TEST_CASE(the_observer_hears_of_each_attempt)
{
    const auto inner = fake_model::doing({fails(status(500)), fails(status(429, 2s)), answers()});
    std::string log;
    retrying_model_options options = exact_delays();
    options.on_attempt = [&log](const weft::model_attempt& seen) {
        log += std::to_string(seen.number) + " " + std::to_string(seen.failure ? seen.failure->status : 200) + " " +
               std::string{seen.request_id} + " " + (seen.delay ? std::to_string(*seen.delay / 1ms) : "last") + " " +
               std::to_string(seen.waited / 1ms) + "\n";
        BOOST_TEST(seen.call_id.size() == 36U);
        BOOST_TEST(seen.model == "a fake");
    };
    retrying_model model{inner, options};
    const ended_call ended = co_await ask(model);
    BOOST_TEST(log == "1 500 request-500 500 0\n2 429 request-429 2000 500\n3 200  last 2500\n");
}

WEFT_ASYNC_TEST_CASE(a_budget_is_shared_over_calls)
{
    const auto inner = fake_model::doing({fails(status(500))});
    retrying_model_options options;
    options.budget = std::make_shared<weft::extra_call_budget>(weft::extra_call_share{.share = 0.1, .reserve = 2});
    retrying_model model{inner, options};
    retrying_model other{inner, options};
    for (int call = 0; call < 10; ++call) {
        retrying_model& asked = call % 2 == 0 ? model : other;
        const ended_call ended = co_await ask(asked);
        BOOST_TEST(ended.code == errc::model_overloaded);
    }
    BOOST_TEST(inner->asked.size() == 10U + 2U);
}

WEFT_ASYNC_TEST_CASE(attempts_of_a_model_below_are_counted)
{
    const auto inner = fake_model::doing({fails(status(500)), fails(status(500)), answers()});
    const auto below = std::make_shared<retrying_model>(inner, exact_delays());
    retrying_model model{below};
    const ended_call ended = co_await ask(model);
    BOOST_TEST(ended.reply->attempts == 3);
    BOOST_TEST((ended.reply->waited == 1500ms));
}

BOOST_AUTO_TEST_CASE(a_stop_ends_the_attempt_or_the_wait)
{
    const auto call = []() -> weft::task<void> {
        const auto inner = fake_model::doing({fails(status(500)), partial({"a"}, lost()), answers()});
        retrying_model_options options;
        options.policy.restarts_after_tokens = true;
        retrying_model model{inner, options};
        weft::no_sink sink;
        co_await model.reply(question(), sink);
    };
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(call) >= 5U);
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(call) >= 5U);
}

BOOST_AUTO_TEST_SUITE_END()
