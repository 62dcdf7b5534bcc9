#include <boost/test/unit_test.hpp>

#include "model/endpoint_calls.hpp"

#include <string>

BOOST_AUTO_TEST_SUITE(openai_model_failures_test)

using namespace endpoint_calls;
using weft::errc;
using weft::model_error;
using weft::model_phase;
using weft::stop_reason;
using weft::testing::any_request;
using weft::testing::scripted_endpoint;
using weft::testing::scripted_reply;
using namespace std::chrono_literals;
namespace script = weft::testing;

BOOST_AUTO_TEST_CASE(a_status_is_judged_before_anything_else)
{
    const model_error e = failure_of(
        script::status(429, "Rate limit reached").header("retry-after-ms", "6500").header("x-request-id", "req_9"));
    BOOST_TEST((e.code() == errc::model_rate_limited));
    BOOST_TEST((e.failure().phase == model_phase::response));
    BOOST_TEST(e.failure().status == 429);
    BOOST_TEST(e.failure().request_id == "req_9");
    BOOST_TEST((e.failure().retry_after == 6500ms));
    BOOST_TEST(e.is_retryable());
    BOOST_TEST(e.where().starts_with("gpt-x at localhost:"));
    BOOST_TEST(e.detail().find("Rate limit reached") != std::string::npos);

    BOOST_TEST((failure_of(script::status(401, "no")).code() == errc::model_unauthorized));
    BOOST_TEST((failure_of(script::status(404, "no")).code() == errc::model_not_found));
    BOOST_TEST((failure_of(script::status(400, "no")).code() == errc::model_rejected));
    BOOST_TEST((failure_of(script::status(503, "no")).code() == errc::model_overloaded));
    BOOST_TEST((failure_of(script::status(302).header("location", "https://elsewhere")).code() ==
                errc::invalid_configuration));
    // Even when it claims to be a stream.
    BOOST_TEST(
        (failure_of(script::status(500).body("data: [DONE]\n\n").header("content-type", "text/event-stream")).code() ==
         errc::model_overloaded));
}

BOOST_AUTO_TEST_CASE(the_key_is_in_no_error)
{
    const model_error e = failure_of(script::status(401, "Incorrect API key provided: " + std::string{secret}));
    BOOST_TEST(std::string{e.what()}.find("0123456789") == std::string::npos);
    BOOST_TEST(std::string{e.what()}.find("Incorrect API key provided: ***") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_endless_error_body_is_read_no_further_than_needed)
{
    const model_error e =
        failure_of(script::status(400).body(std::string(8'000'000, 'x')).header("content-type", "text/plain"));
    BOOST_TEST((e.code() == errc::model_rejected));
    BOOST_TEST(e.detail().size() < 3000);
}

BOOST_AUTO_TEST_CASE(a_web_page_with_status_200_is_a_wrong_address)
{
    const model_error e =
        failure_of(script::status(200).body("<html>Log in</html>").header("content-type", "text/html"));
    BOOST_TEST((e.code() == errc::invalid_configuration));
    BOOST_TEST(!e.is_retryable());
}

BOOST_AUTO_TEST_CASE(a_plain_text_that_is_no_stream_is_no_reply)
{
    const auto plain = [](std::string body) {
        return failure_of(script::status(200).body(std::move(body)).header("content-type", "text/plain"));
    };
    const model_error e = plain("hello");
    BOOST_TEST((e.code() == errc::invalid_model_reply));
    BOOST_TEST(e.detail().find("\"text/plain\"") != std::string::npos);
    BOOST_TEST((plain(R"({"error":{"message":"no credits","code":402}})").code() == errc::model_quota_exhausted));
    BOOST_TEST((plain("data: {\"choices\":[]}\n\n").code() == errc::response_truncated));
}

BOOST_AUTO_TEST_CASE(a_document_that_is_an_error_is_one)
{
    const model_error e = failure_of(script::status(200)
                                         .body(R"({"error":{"message":"no credits","code":402}})")
                                         .header("content-type", "application/json"));
    BOOST_TEST((e.code() == errc::model_quota_exhausted));
    BOOST_TEST((e.failure().phase == model_phase::response));
}

BOOST_AUTO_TEST_CASE(an_error_in_the_stream_keeps_the_text_so_far)
{
    const model_error e = failure_of(script::text("one two three four").error_after(2, "EngineCore died"));
    BOOST_TEST((e.code() == errc::model_stream_error));
    BOOST_TEST((e.failure().phase == model_phase::stream));
    BOOST_TEST(e.failure().status == 500);
    BOOST_TEST(e.partial().message.text() == "one two");
    BOOST_TEST(!e.is_retryable());

    const model_error early = failure_of(script::text("one two").error_after(0, "busy", 503));
    BOOST_TEST((early.code() == errc::model_overloaded));
    BOOST_TEST(early.is_retryable());
}

BOOST_AUTO_TEST_CASE(a_stream_that_breaks_off_is_truncated)
{
    for (const scripted_reply& reply :
         {script::text("one two three four").end_after(2), script::text("one two three four").cut_after(2),
          script::text("one two three four").cut_mid_chunk_after(2),
          script::text("one two three four").reset_after(2)}) {
        const model_error e = failure_of(reply);
        BOOST_TEST((e.code() == errc::response_truncated));
        BOOST_TEST((e.failure().phase == model_phase::stream));
        BOOST_TEST((e.partial().stop == stop_reason::unfinished));
        BOOST_TEST(std::string_view{"one two three"}.starts_with(e.partial().message.text()));
        BOOST_TEST(!e.is_retryable());
    }
}

BOOST_AUTO_TEST_CASE(a_cut_turn_has_no_tool_calls)
{
    for (std::size_t pieces = 0; pieces < 6; ++pieces) {
        const model_error e = failure_of(script::tool_call("pay", R"({"amount":10,"to":"ann"})").cut_after(pieces));
        BOOST_TEST((e.code() == errc::response_truncated));
        BOOST_TEST(e.partial().message.tool_calls.empty());
    }
}

BOOST_AUTO_TEST_CASE(silence_in_the_stream_ends_the_call)
{
    const auto limits = weft::http_timeouts{.gap = 50ms};
    const model_error e = failure_of(script::text("one two three").stall_after(2), limits);
    BOOST_TEST((e.code() == errc::gap_timeout));
    BOOST_TEST(e.partial().message.text() == "one two");
    BOOST_TEST(e.failure().is_transient);
    BOOST_TEST(!e.is_retryable());
}

BOOST_AUTO_TEST_CASE(P45_tokens_have_limits_of_their_own)
{
    const auto failure = [](std::size_t pieces) {
        scripted_endpoint endpoint;
        endpoint.when(any_request()).reply(script::text("one two three").stall_after(pieces));
        weft::openai_model_options options = options_for(endpoint);
        options.first_token_max = pieces == 0 ? 50ms : 10s;
        options.token_gap_max = pieces == 0 ? 10s : 50ms;
        weft::openai_model model{client_for(endpoint), options};
        try {
            (void)weft::run_blocking(model.reply(hello()));
        } catch (const model_error& e) {
            return e;
        }
        throw std::logic_error{"the call succeeded"};
    };
    const model_error first = failure(0);
    BOOST_TEST((first.code() == errc::first_byte_timeout));
    BOOST_TEST(first.detail().find("which first_token_max allows") != std::string::npos, first.detail());
    BOOST_TEST(first.is_retryable());
    const model_error gap = failure(2);
    BOOST_TEST((gap.code() == errc::gap_timeout));
    BOOST_TEST(gap.detail().find("which token_gap_max allows") != std::string::npos, gap.detail());
    BOOST_TEST(gap.partial().message.text() == "one two");
}

BOOST_AUTO_TEST_CASE(W3_a_line_of_a_stream_may_be_as_long_as_a_reply)
{
    const std::string text(5'000'000, 'x');
    const std::string body = R"(data: {"choices":[{"index":0,"delta":{"content":")" + text +
                             R"("},"finish_reason":"stop"}]})" "\n\n";
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply_always(script::event_stream(body));
    BOOST_TEST(weft::run_blocking(model_for(endpoint).reply(hello())).message.text().size() == text.size());
    weft::openai_model_options options = options_for(endpoint);
    options.limits.text_bytes_max = 4'000'000;
    weft::openai_model careful{client_for(endpoint), options};
    BOOST_CHECK_EXCEPTION((void)weft::run_blocking(careful.reply(hello())), model_error,
                          [](const model_error& e) { return e.code() == errc::response_too_large; });
}

BOOST_AUTO_TEST_CASE(W9_a_word_and_the_message_beside_it_are_both_told)
{
    const auto detail = [](std::string body) { return failure_of(script::status(500).body(std::move(body))).detail(); };
    BOOST_TEST(detail(R"({"error":"TypeError","message":"Cannot read properties of null","status":500})") ==
               "status 500: TypeError: Cannot read properties of null");
    BOOST_TEST(detail(R"({"error":"busy","message":"busy"})") == "status 500: busy");
    BOOST_TEST(detail(R"({"error":{"message":"inner"},"message":"outer"})") == "status 500: inner");
}

BOOST_AUTO_TEST_CASE(W10_a_byte_order_mark_before_a_document_is_skipped)
{
    const std::string document = R"({"choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"stop"}]})";
    scripted_endpoint endpoint;
    endpoint.when(any_request())
        .reply(script::status(200)
                   .body("\xEF\xBB\xBF" + document)
                   .header("content-type", "application/json"));
    BOOST_TEST(weft::run_blocking(model_for(endpoint).reply(hello())).message.text() == "hi");
}

BOOST_AUTO_TEST_CASE(W13_a_body_that_is_not_what_its_content_type_says_is_told_and_not_asked_for_again)
{
    const std::string document = R"({"choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"stop"}]})";
    const model_error json =
        failure_of(script::status(200).body(document).header("content-type", "text/event-stream"));
    BOOST_TEST((json.code() == errc::invalid_model_reply));
    BOOST_TEST(!json.failure().is_transient);
    BOOST_TEST(json.detail().starts_with("the body is JSON, but the content type announces an event stream: {"),
               json.detail());
    const model_error stream = failure_of(
        script::status(200).body("data: " + document + "\n\n").header("content-type", "application/json"));
    BOOST_TEST((stream.code() == errc::invalid_model_reply));
    BOOST_TEST(!stream.failure().is_transient);
    BOOST_TEST(stream.detail().starts_with("the content type is JSON, but the body is an event stream: data: {"),
               stream.detail());
}

BOOST_AUTO_TEST_CASE(U3_a_refused_key_is_told_with_its_origin)
{
    const auto detail = [](std::string key, std::string origin) {
        scripted_endpoint endpoint;
        endpoint.when(any_request()).reply(script::status(401, "no"));
        weft::openai_model_options options = options_for(endpoint);
        options.key = weft::secret_string{key};
        options.key_origin = std::move(origin);
        weft::openai_model model{client_for(endpoint), options};
        try {
            (void)weft::run_blocking(model.reply(hello()));
        } catch (const model_error& e) {
            BOOST_TEST(std::string_view{e.what()}.find("0123456789") == std::string_view::npos);
            return e.detail();
        }
        return std::string{"the call succeeded"};
    };
    BOOST_TEST(detail(std::string{secret}, "OPENAI_API_KEY").ends_with("; the key of OPENAI_API_KEY was sent"));
    BOOST_TEST(detail(std::string{secret}, "").ends_with("; the key of the model's options was sent"));
    BOOST_TEST(detail("", "OPENAI_API_KEY").ends_with("; no key was sent"));
}

BOOST_AUTO_TEST_CASE(silence_before_the_stream_ends_the_call)
{
    const model_error e = failure_of(script::silence(), weft::http_timeouts{.first_byte = 50ms});
    BOOST_TEST((e.code() == errc::first_byte_timeout));
    BOOST_TEST((e.failure().phase == model_phase::request));
    BOOST_TEST(e.is_retryable());
}

BOOST_AUTO_TEST_CASE(a_model_may_have_limits_of_its_own)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(script::silence());
    weft::openai_model_options options = options_for(endpoint);
    options.timeouts = weft::http_timeouts{.first_byte = 50ms};
    weft::openai_model model{client_for(endpoint), options};
    BOOST_CHECK_EXCEPTION((void)weft::run_blocking(model.reply(hello())), model_error,
                          [](const model_error& e) { return e.code() == errc::first_byte_timeout; });
}

BOOST_AUTO_TEST_CASE(what_is_no_reply_is_refused)
{
    const model_error json = failure_of(script::text("one two three").invalid_json_after(2));
    BOOST_TEST((json.code() == errc::invalid_model_reply));
    BOOST_TEST(json.partial().message.text() == "one two");
    BOOST_TEST((failure_of(script::garbage()).code() == errc::invalid_response));
    BOOST_TEST((failure_of(script::hang_up()).code() == errc::connection_lost));
}

BOOST_AUTO_TEST_CASE(a_line_that_no_reply_within_its_limits_needs_is_refused)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(script::text("one two three").oversized_line_after(1, 2'000'000));
    weft::openai_model_options options = options_for(endpoint);
    options.limits.text_bytes_max = 1000;
    options.limits.argument_bytes_max = 1000;
    weft::openai_model model{client_for(endpoint), options};
    BOOST_CHECK_EXCEPTION((void)weft::run_blocking(model.reply(hello())), model_error, [](const model_error& e) {
        return e.code() == errc::response_too_large && e.partial().message.text() == "one";
    });
}

BOOST_AUTO_TEST_CASE(a_late_error_outside_of_events_is_found)
{
    const model_error e =
        failure_of(script::text("one two three").bytes_after(1, "{\"error\":{\"message\":\"late\",\"code\":500}}\n"));
    BOOST_TEST((e.code() == errc::model_stream_error));
    BOOST_TEST(e.detail().find("late") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_untrusted_endpoint_gets_no_request)
{
    scripted_endpoint endpoint;
    weft::openai_model model{weft::http_client{}, options_for(endpoint)};
    BOOST_CHECK_EXCEPTION((void)weft::run_blocking(model.reply(hello())), model_error, [](const model_error& e) {
        return e.code() == errc::tls_untrusted && e.failure().phase == model_phase::request && !e.is_retryable();
    });
    BOOST_TEST(endpoint.counts().requests == 0);
}

BOOST_AUTO_TEST_CASE(an_endpoint_that_is_not_there_may_come_back)
{
    weft::openai_model_options options;
    {
        const scripted_endpoint endpoint;
        options = options_for(endpoint);
    }
    weft::openai_model model{weft::http_client{}, options};
    BOOST_CHECK_EXCEPTION((void)weft::run_blocking(model.reply(hello())), model_error, [](const model_error& e) {
        return e.code() == errc::connect_failed && e.failure().phase == model_phase::request && e.is_retryable();
    });
}

BOOST_AUTO_TEST_SUITE_END()
