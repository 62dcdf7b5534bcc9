#include <boost/test/unit_test.hpp>

#include "endpoint_calls.hpp"
#include "fake_models.hpp"

#include <weft/base/budget_ledger.hpp>
#include <weft/model/decorator/budgeted_model.hpp>
#include <weft/model/decorator/retrying_model.hpp>

#include <memory>

// Decorators around a model that talks HTTPS to an endpoint on this machine.
BOOST_AUTO_TEST_SUITE(decorated_endpoint_test)

namespace {

using namespace endpoint_calls;
using namespace weft::testing;
using fake_models::noting_sink;
using std::chrono::milliseconds;
using weft::errc;

struct asked {
    errc code{};
    std::string text;
    std::size_t requests = 0;
};

/** Asks an endpoint that answers so at first, and well then. */
asked ask_after(scripted_reply first, weft::retrying_model_options options = {})
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(std::move(first)).reply(text("Hello"));
    options.policy.base = milliseconds{1};
    options.policy.overload_base = milliseconds{1};
    weft::retrying_model model{std::make_shared<weft::openai_model>(client_for(endpoint), options_for(endpoint)),
                               options};
    asked result;
    try {
        result.text = weft::run_blocking(model.reply(hello())).message.text();
    } catch (const weft::error& e) {
        result.code = e.code();
        result.text = e.what();
    }
    result.requests = endpoint.requests().size();
    return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_an_endpoint_says_about_retries_is_followed)
{
    const asked overloaded = ask_after(status(503));
    BOOST_TEST(overloaded.text == "Hello");
    BOOST_TEST(overloaded.requests == 2U);

    const asked told_not_to = ask_after(status(503).header("x-should-retry", "false"));
    BOOST_TEST(told_not_to.code == errc::model_overloaded);
    BOOST_TEST(told_not_to.requests == 1U);

    const asked told_to = ask_after(status(400).header("x-should-retry", "true"));
    BOOST_TEST(told_to.text == "Hello");

    const asked rejected = ask_after(status(400));
    BOOST_TEST(rejected.code == errc::model_rejected);
    BOOST_TEST(rejected.requests == 1U);
}

BOOST_AUTO_TEST_CASE(hints_of_responses_are_followed_or_refused)
{
    const asked soon = ask_after(status(429).header("retry-after-ms", "2.5"));
    BOOST_TEST(soon.text == "Hello");
    const asked past = ask_after(status(429)
                                     .header("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")
                                     .header("date", "Mon, 07 Nov 1994 08:49:37 GMT"));
    BOOST_TEST(past.text == "Hello");
    const asked garbage = ask_after(status(429).header("retry-after", "soon"));
    BOOST_TEST(garbage.text == "Hello");
    const asked negative = ask_after(status(429).header("retry-after", "-1"));
    BOOST_TEST(negative.text == "Hello");
    const asked huge = ask_after(status(429).header("retry-after", "3600"));
    BOOST_TEST(huge.code == errc::model_rate_limited);
    BOOST_TEST(huge.text.find("3600000 ms") != std::string::npos);
    BOOST_TEST(huge.requests == 1U);
}

BOOST_AUTO_TEST_CASE(all_attempts_carry_one_idempotency_key)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(status(500)).reply(text("Hello"));
    weft::retrying_model_options options;
    options.policy.base = milliseconds{1};
    weft::retrying_model model{std::make_shared<weft::openai_model>(client_for(endpoint), options_for(endpoint)),
                               options};
    (void)weft::run_blocking(model.reply(hello()));
    const auto requests = endpoint.requests();
    BOOST_REQUIRE(requests.size() == 2U);
    BOOST_TEST(requests[0].header("Idempotency-Key").size() == 36U);
    BOOST_TEST(requests[1].header("Idempotency-Key") == requests[0].header("Idempotency-Key"));
}

/** Two calls on one loop, so that the second one finds an unused connection. */
weft::task<weft::chat_reply> asked_twice(weft::chat_model& model)
{
    weft::chat_reply first = co_await model.reply(hello());
    BOOST_TEST(first.attempts == 1);
    weft::chat_reply second = co_await model.reply(hello());
    co_return second;
}

BOOST_AUTO_TEST_CASE(W1_a_call_that_the_endpoint_has_read_is_made_again_by_the_retrying_model_only_and_counted)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(text("Hello")).reply(weft::testing::hang_up()).reply(text("Hello again"));
    const auto bare = std::make_shared<weft::openai_model>(client_for(endpoint), options_for(endpoint));
    weft::retrying_model_options options;
    options.policy.base = milliseconds{1};
    int failed = 0;
    options.on_attempt = [&](const weft::model_attempt& seen) { failed += seen.failure ? 1 : 0; };
    weft::retrying_model model{bare, options};
    const weft::chat_reply reply = weft::run_blocking(asked_twice(model));
    BOOST_TEST(reply.message.text() == "Hello again");
    BOOST_TEST(reply.attempts == 2);
    BOOST_TEST(failed == 1);
    const auto requests = endpoint.requests();
    BOOST_REQUIRE(requests.size() == 3U);
    BOOST_TEST(requests[2].header("Idempotency-Key") == requests[1].header("Idempotency-Key"));
    BOOST_TEST(requests[1].header("Idempotency-Key") != requests[0].header("Idempotency-Key"));
}

BOOST_AUTO_TEST_CASE(W1_a_call_that_the_endpoint_has_read_is_an_error_that_may_be_retried)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(text("Hello")).reply(weft::testing::hang_up());
    weft::openai_model model{client_for(endpoint), options_for(endpoint)};
    try {
        (void)weft::run_blocking(asked_twice(model));
        BOOST_ERROR("the call succeeded");
    } catch (const weft::model_error& e) {
        BOOST_TEST((e.code() == errc::connection_lost));
        BOOST_TEST(e.is_retryable());
    }
    BOOST_TEST(endpoint.requests().size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_budget_closes_the_stream_that_exceeds_it)
{
    scripted_endpoint endpoint;
    std::string long_text;
    while (long_text.size() < 40'000) long_text += "word ";
    endpoint.when(any_request()).reply(text(long_text).between_tokens(milliseconds{1}));
    weft::budget limits;
    limits.tokens = weft::tokens{500};
    weft::budgeted_model_options options;
    options.output_expected = weft::tokens{100};
    weft::budgeted_model model{std::make_shared<weft::openai_model>(client_for(endpoint), options_for(endpoint)),
                               options};
    weft::chat_request request = hello();
    request.budget = std::make_shared<weft::budget_ledger>("run", limits);
    noting_sink sink;
    try {
        (void)weft::run_blocking(model.reply(request, sink));
        BOOST_ERROR("the reply was written to its end");
    } catch (const weft::model_error& e) {
        BOOST_TEST(e.code() == errc::budget_exhausted);
        BOOST_TEST(sink.seen.size() < 5'000U);
    }
    BOOST_TEST(request.budget->spent().tokens.count() <= 500);
}

BOOST_AUTO_TEST_SUITE_END()
