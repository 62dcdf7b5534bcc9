#include <boost/test/unit_test.hpp>

#include "model/endpoint_calls.hpp"
#include "model/responses_reader.hpp"
#include "model/responses_transcripts.hpp"
#include "model/torn_calls.hpp"

#include <weft/model/responses_model.hpp>

#include <functional>
#include <string>

BOOST_AUTO_TEST_SUITE(responses_model_test)

namespace transcripts = responses_transcripts;
namespace script = weft::testing;
using namespace endpoint_calls;
using namespace std::chrono_literals;
using weft::errc;
using weft::model_error;
using weft::testing::scripted_endpoint;
using weft::testing::scripted_reply;

namespace {

weft::responses_model_options where(const scripted_endpoint& endpoint)
{
    return options_at<weft::responses_model_options>(endpoint, "gpt-x");
}

weft::responses_model asking(const scripted_endpoint& endpoint, weft::http_timeouts limits = {})
{
    return weft::responses_model{client_for(endpoint, limits), where(endpoint)};
}

/** What becomes of a call that gets this reply. */
outcome answered(const scripted_reply& reply, weft::http_timeouts limits = {})
{
    scripted_endpoint endpoint;
    endpoint.when(script::path_ends_with("/responses")).reply(reply);
    weft::responses_model model = asking(endpoint, limits);
    return piecewise::observe([&](weft::chat_sink& sink) { return weft::run_blocking(model.reply(hello(), sink)); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_reply_is_streamed_over_tls)
{
    scripted_endpoint endpoint;
    endpoint.when(script::path_ends_with("/responses"))
        .reply(script::event_stream(transcripts::normal).header("x-request-id", "req_1"));
    weft::responses_model model = asking(endpoint);
    BOOST_TEST(model.label() == "gpt-x at localhost:" + std::to_string(endpoint.port()));
    recording_sink sink;
    const weft::chat_reply reply = weft::run_blocking(model.reply(hello(), sink));
    BOOST_TEST(reply.message.text() == "Hello");
    BOOST_TEST(reply.request_id == "req_1");
    BOOST_TEST(sink.text == "Hello");
    endpoint.check_complete();

    const auto requests = endpoint.requests();
    BOOST_REQUIRE(requests.size() == 1);
    BOOST_TEST(requests[0].method == "POST");
    BOOST_TEST(requests[0].target == "/v1/responses");
    BOOST_TEST(requests[0].header("authorization") == "Bearer " + std::string{secret});
    BOOST_TEST(requests[0].header("accept") == "text/event-stream");
    BOOST_TEST(requests[0].header("content-type") == "application/json");
    BOOST_TEST(requests[0].body == R"({"model":"gpt-x","stream":true,"store":false,)"
                                   R"("input":[{"type":"message","role":"user","content":"Say hello"}],)"
                                   R"("include":["reasoning.encrypted_content"]})");
}

BOOST_AUTO_TEST_CASE(headers_of_the_account_and_the_call_are_sent)
{
    scripted_endpoint endpoint;
    endpoint.when(script::path_ends_with("/responses")).reply(script::event_stream(transcripts::normal));
    weft::responses_model_options options = where(endpoint);
    options.organization = "org-1";
    options.project = "proj-1";
    options.settings.auth_header = "api-key";
    options.settings.auth_prefix.clear();
    options.settings.headers = {{"X-Title", "weft"}};
    options.base_url += "/?api-version=preview";
    weft::responses_model model{client_for(endpoint), options};
    weft::chat_request request = hello();
    request.call_id = "call-7";
    (void)weft::run_blocking(model.reply(std::move(request)));
    const auto requests = endpoint.requests();
    BOOST_REQUIRE(requests.size() == 1);
    BOOST_TEST(requests[0].target == "/v1/responses?api-version=preview");
    BOOST_TEST(requests[0].header("openai-organization") == "org-1");
    BOOST_TEST(requests[0].header("openai-project") == "proj-1");
    BOOST_TEST(requests[0].header("x-title") == "weft");
    BOOST_TEST(requests[0].header("api-key") == secret);
    BOOST_TEST(requests[0].header("idempotency-key") == "call-7");
}

BOOST_AUTO_TEST_CASE(every_transcript_reads_the_same_over_the_wire)
{
    for (const std::string_view body : {transcripts::normal, transcripts::parallel_calls, transcripts::early_error,
                                        transcripts::failed, transcripts::incomplete, transcripts::truncated}) {
        const outcome expected = responses_reader::read(body);
        const outcome o = answered(script::event_stream(body));
        BOOST_TEST(o.sink.log() == expected.sink.log());
        BOOST_TEST(o.reply.has_value() == expected.reply.has_value());
        if (o.reply && expected.reply) BOOST_TEST((o.reply->message == expected.reply->message));
        if (o.failure && expected.failure) BOOST_TEST((o.failure->code() == expected.failure->code()));
    }
}

BOOST_AUTO_TEST_CASE(a_history_with_reasoning_goes_back_as_it_came)
{
    const std::string output = R"([{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"AAA"},)"
                               R"({"id":"fc_1","type":"function_call","status":"completed","call_id":"c","name":"f",)"
                               R"("arguments":"{}"}])";
    scripted_endpoint endpoint;
    endpoint.when(script::path_ends_with("/responses"))
        .reply(script::event_stream(responses_reader::stream_of({responses_reader::completed(output)})))
        .reply(script::event_stream(transcripts::normal));
    weft::responses_model model = asking(endpoint);
    weft::chat_request request = hello();
    request.add(weft::run_blocking(model.reply(request)).message);
    request.add(weft::message::tool_result("c", "ok"));
    (void)weft::run_blocking(model.reply(request));
    const std::string inner = output.substr(1, output.size() - 2);
    BOOST_TEST(endpoint.requests().at(1).body.find(
                   R"("content":"Say hello"},)" + inner +
                   R"(,{"type":"function_call_output","call_id":"c","output":"ok"}])") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_document_is_taken_in_place_of_a_stream)
{
    const outcome o = answered(script::status(200)
                                   .body(R"({"object":"response","status":"completed","output":[{"type":"message",)"
                                         R"("content":[{"type":"output_text","text":"Hi"}]}]})")
                                   .header("content-type", "application/json; charset=utf-8"));
    BOOST_TEST(reply_of(o).message.text() == "Hi");
    BOOST_TEST(o.sink.text == "Hi");
}

BOOST_AUTO_TEST_CASE(a_status_is_judged_before_anything_else)
{
    const model_error limited = failure_of(answered(script::status(429, "slow down").header("retry-after-ms", "6500")));
    BOOST_TEST((limited.code() == errc::model_rate_limited));
    BOOST_TEST((limited.failure().retry_after == 6500ms));
    BOOST_TEST(limited.is_retryable());
    BOOST_TEST((failure_of(answered(script::status(404, "no"))).code() == errc::model_not_found));
    BOOST_TEST((failure_of(answered(script::status(400, "no"))).code() == errc::model_rejected));
    const model_error key = failure_of(answered(script::status(401, "Incorrect API key: " + std::string{secret})));
    BOOST_TEST((key.code() == errc::model_unauthorized));
    BOOST_TEST(std::string{key.what()}.find("0123456789") == std::string::npos);
    const model_error page =
        failure_of(answered(script::status(200).body("<html>Log in</html>").header("content-type", "text/html")));
    BOOST_TEST((page.code() == errc::invalid_configuration));
}

BOOST_AUTO_TEST_CASE(a_cut_turn_has_no_tool_calls)
{
    for (std::size_t pieces = 1; pieces < 9; ++pieces) {
        const outcome o = answered(script::event_stream(transcripts::parallel_calls).cut_after(pieces));
        BOOST_TEST((failure_of(o).code() == errc::response_truncated));
        BOOST_TEST(failure_of(o).partial().message.tool_calls.empty());
    }
}

BOOST_AUTO_TEST_CASE(silence_ends_the_call)
{
    const auto limits = weft::http_timeouts{.gap = 50ms};
    const outcome o = answered(script::event_stream(transcripts::normal).stall_after(9), limits);
    BOOST_TEST((failure_of(o).code() == errc::gap_timeout));
    BOOST_TEST(failure_of(o).partial().message.text() == "Hello");
    BOOST_TEST(!failure_of(o).is_retryable());
}

BOOST_AUTO_TEST_CASE(mistakes_in_the_options_are_found_at_once)
{
    const auto make = [](std::function<void(weft::responses_model_options&)> change) {
        weft::responses_model_options options;
        options.model = "m";
        change(options);
        return weft::responses_model{weft::http_client{}, std::move(options)};
    };
    const auto is = [](errc code) { return [code](const weft::error& e) { return e.code() == code; }; };
    make([](auto&) {});
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.model.clear(); }), weft::error, is(errc::invalid_configuration));
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.base_url = "api.openai.com"; }), weft::error, is(errc::invalid_url));
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.project = "a\r\nb: c"; }), weft::error, is(errc::invalid_configuration));
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.key = weft::secret_string{"a\nb"}; }), weft::error,
                          is(errc::invalid_configuration));
}

BOOST_AUTO_TEST_CASE(a_call_may_be_destroyed_after_any_step)
{
    scripted_endpoint endpoint;
    endpoint.when(script::path_ends_with("/responses")).reply_always(script::event_stream(transcripts::normal));
    weft::responses_model model = asking(endpoint);
    torn_calls::check_destroyed_anywhere(endpoint, model);
}

BOOST_AUTO_TEST_CASE(a_call_that_is_stopped_after_any_step_ends_as_cancelled)
{
    scripted_endpoint endpoint;
    endpoint.when(script::path_ends_with("/responses")).reply_always(script::event_stream(transcripts::normal));
    weft::responses_model model = asking(endpoint);
    torn_calls::check_stopped_anywhere(model, "Hello");
}

BOOST_AUTO_TEST_SUITE_END()
