#include <boost/test/unit_test.hpp>

#include "model/anthropic_reader.hpp"
#include "model/anthropic_transcripts.hpp"
#include "model/endpoint_calls.hpp"
#include "net/test_loop.hpp"

#include <weft/base/json.hpp>
#include <weft/model/anthropic_model.hpp>

#include <functional>
#include <string>

BOOST_AUTO_TEST_SUITE(anthropic_model_test)

using endpoint_calls::client_for;
using endpoint_calls::document;
using endpoint_calls::hello;
using endpoint_calls::secret;
using weft::errc;
using weft::model_error;
using weft::testing::any_request;
using weft::testing::scripted_endpoint;
using weft::testing::scripted_endpoint_counts;
using weft::testing::scripted_reply;
using namespace std::chrono_literals;
namespace script = weft::testing;
namespace transcripts = anthropic_transcripts;

namespace {

weft::anthropic_model_options options_for(const scripted_endpoint& endpoint)
{
    return endpoint_calls::options_at<weft::anthropic_model_options>(endpoint, "model-x");
}

weft::anthropic_model model_for(const scripted_endpoint& endpoint)
{
    return weft::anthropic_model{client_for(endpoint), options_for(endpoint)};
}

model_error failure_of_reply(scripted_reply reply)
{
    return endpoint_calls::failure_by([](const auto& endpoint) { return model_for(endpoint); }, std::move(reply));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_reply_is_streamed_over_tls)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(script::event_stream(transcripts::thinking).header("request-id", "req_7"));
    weft::anthropic_model model = model_for(endpoint);
    BOOST_TEST(model.label() == "model-x at localhost:" + std::to_string(endpoint.port()));
    recording_sink sink;
    const weft::chat_reply reply = weft::run_blocking(model.reply(hello(), sink));
    BOOST_TEST(reply.message.text() == "Hello!");
    BOOST_TEST(reply.message.provider->model == "model-x");
    BOOST_TEST(reply.request_id == "req_7");
    BOOST_TEST(sink.reasoning == "A greeting.");

    const auto requests = endpoint.requests();
    BOOST_REQUIRE(requests.size() == 1);
    BOOST_TEST(requests[0].method == "POST");
    BOOST_TEST(requests[0].target == "/v1/messages");
    BOOST_TEST(requests[0].header("x-api-key") == secret);
    BOOST_TEST(requests[0].header("authorization") == "");
    BOOST_TEST(requests[0].header("anthropic-version") == "2023-06-01");
    BOOST_TEST(requests[0].header("anthropic-beta") == "");
    BOOST_TEST(requests[0].header("accept") == "text/event-stream");
    BOOST_TEST(requests[0].header("content-type") == "application/json");
    BOOST_TEST(requests[0].body ==
               R"({"model":"model-x","max_tokens":8192,"stream":true,)"
               R"("messages":[{"role":"user","content":"Say hello"}]})");
}

BOOST_AUTO_TEST_CASE(headers_follow_the_settings)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(script::event_stream(transcripts::thinking));
    weft::anthropic_model_options options = options_for(endpoint);
    options.settings.auth_header = "Authorization";
    options.settings.auth_prefix = "Bearer ";
    options.settings.version = "2026-10-21";
    options.settings.betas = {"one-2026", "two-2026"};
    options.settings.headers = {{"X-Title", "weft"}};
    weft::anthropic_model model{client_for(endpoint), options};
    weft::chat_request request = hello();
    request.call_id = "call-7";
    request.model = "model-y";
    BOOST_TEST(weft::run_blocking(model.reply(std::move(request))).message.provider->model == "model-y");
    const auto requests = endpoint.requests();
    BOOST_REQUIRE(requests.size() == 1);
    BOOST_TEST(requests[0].header("authorization") == "Bearer " + std::string{secret});
    BOOST_TEST(requests[0].header("x-api-key") == "");
    BOOST_TEST(requests[0].header("anthropic-version") == "2026-10-21");
    BOOST_TEST(requests[0].header("anthropic-beta") == "one-2026,two-2026");
    BOOST_TEST(requests[0].header("x-title") == "weft");
    BOOST_TEST(requests[0].header("idempotency-key") == "call-7");
    BOOST_TEST(requests[0].model() == "model-y");
}

BOOST_AUTO_TEST_CASE(every_transcript_reads_the_same_over_the_wire)
{
    for (const std::string_view body :
         {transcripts::thinking, transcripts::parallel_tool_calls, transcripts::error_first,
          transcripts::error_in_the_middle, transcripts::truncated}) {
        scripted_endpoint endpoint;
        endpoint.when(any_request()).reply(script::event_stream(body));
        weft::anthropic_model model = model_for(endpoint);
        const outcome expected = anthropic_reading::reader.read(body);
        outcome o;
        try {
            o.reply = weft::run_blocking(model.reply(hello(), o.sink));
        } catch (const model_error& e) {
            o.failure = e;
        }
        BOOST_TEST(o.sink.log() == expected.sink.log());
        BOOST_TEST(o.reply.has_value() == expected.reply.has_value());
        if (o.reply && expected.reply) BOOST_TEST((o.reply->message == expected.reply->message));
        if (o.failure && expected.failure) BOOST_TEST((o.failure->code() == expected.failure->code()));
    }
}

BOOST_AUTO_TEST_CASE(the_next_call_uses_the_same_connection)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request())
        .reply_always(script::event_stream(std::string{transcripts::thinking} + "event: data\ndata: [DONE]\n\n"));
    weft::anthropic_model model = model_for(endpoint);
    test_loop loop;
    for (int i = 0; i < 3; ++i) {
        started call{loop, model.reply(hello())};
        BOOST_TEST(call.result().message.text() == "Hello!");
    }
    BOOST_TEST(endpoint.counts().connections == 1);
}

BOOST_AUTO_TEST_CASE(statuses_come_before_content)
{
    const model_error busy = failure_of_reply(
        document(529, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})")
            .header("request-id", "req_9")
            .header("retry-after", "3"));
    BOOST_TEST((busy.code() == errc::model_overloaded));
    BOOST_TEST(busy.failure().status == 529);
    BOOST_TEST(busy.failure().request_id == "req_9");
    BOOST_TEST((busy.failure().retry_after == 3s));
    BOOST_TEST(busy.is_retryable());
    const model_error spent = failure_of_reply(
        document(429, R"({"type":"error","error":{"type":"rate_limit_error","message":"m",)"
                      R"("details":{"error_code":"enforced_spend_limit_reached"}}})"));
    BOOST_TEST((spent.code() == errc::model_quota_exhausted));
    BOOST_TEST(!spent.is_retryable());
    const model_error page = failure_of_reply(script::status(200).body("<html>").header("content-type", "text/html"));
    BOOST_TEST((page.code() == errc::invalid_configuration));
    const model_error gone = failure_of_reply(script::hang_up());
    BOOST_TEST((gone.code() == errc::connection_lost));
    BOOST_TEST((gone.failure().phase == weft::model_phase::request));
}

BOOST_AUTO_TEST_CASE(a_document_is_taken_in_place_of_a_stream)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request())
        .reply(document(200, R"({"id":"m","type":"message","content":[{"type":"text","text":"Hi"}],)"
                             R"("stop_reason":"end_turn","usage":{"input_tokens":4,"output_tokens":1}})"));
    weft::anthropic_model model = model_for(endpoint);
    const weft::chat_reply reply = weft::run_blocking(model.reply(hello()));
    BOOST_TEST(reply.message.text() == "Hi");
    BOOST_TEST(reply.usage.input.count() == 4);
}

BOOST_AUTO_TEST_CASE(a_stop_closes_the_connection)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(script::event_stream(transcripts::thinking).stall_after(8));
    weft::anthropic_model model = model_for(endpoint);
    std::stop_source stop;
    endpoint_calls::acting_sink sink{[&] { stop.request_stop(); }};
    BOOST_CHECK_EXCEPTION((void)weft::run_blocking(model.reply(hello(), sink), stop.get_token()), model_error,
                          [](const model_error& e) {
                              return e.code() == errc::cancelled && e.partial().message.text() == "Hello!";
                          });
    BOOST_TEST(endpoint.wait_until([](const scripted_endpoint_counts& c) { return c.closed_early == 1; }));
}

BOOST_AUTO_TEST_CASE(a_call_may_be_destroyed_after_any_step)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply_always(script::event_stream(transcripts::parallel_tool_calls));
    weft::anthropic_model model = model_for(endpoint);
    std::size_t steps = 0;
    for (bool is_done = false; !is_done; ++steps) {
        test_loop loop;
        recording_sink sink;
        started call{loop, model.reply(hello(), sink)};
        for (std::size_t i = 0; i < steps && !call.is_done(); ++i) {
            loop.context().restart();
            loop.context().run_one_for(10s);
        }
        is_done = call.is_done();
        call.destroy();
        const std::string seen = sink.log();
        loop.settle();
        BOOST_TEST(sink.log() == seen);
    }
    BOOST_TEST(steps > 5);
    BOOST_TEST(endpoint.wait_until([](const scripted_endpoint_counts& c) { return c.connections_open == 0; }));
}

BOOST_AUTO_TEST_CASE(mistakes_in_the_options_are_found_at_once)
{
    const auto make = [](const std::function<void(weft::anthropic_model_options&)>& change) {
        weft::anthropic_model_options options;
        options.model = "m";
        change(options);
        return weft::anthropic_model{weft::http_client{}, std::move(options)};
    };
    const auto is = [](errc code) { return [code](const weft::error& e) { return e.code() == code; }; };
    make([](auto&) {});
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.model.clear(); }), weft::error, is(errc::invalid_configuration));
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.base_url = "anthropic"; }), weft::error, is(errc::invalid_url));
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.settings.betas = {"a\r\nb: c"}; }), weft::error,
                          is(errc::invalid_configuration));
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.settings.cache.messages = 5; }), weft::error,
                          is(errc::invalid_configuration));
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.key = weft::secret_string{"a\nb"}; }), weft::error,
                          is(errc::invalid_configuration));
}

BOOST_AUTO_TEST_CASE(a_key_goes_over_tls_only)
{
    weft::anthropic_model_options options;
    options.base_url = "http://192.0.2.1/v1";
    options.model = "m";
    options.key = weft::secret_string{secret};
    weft::anthropic_model remote{weft::http_client{}, options};
    BOOST_CHECK_EXCEPTION((void)weft::run_blocking(remote.reply(hello())), model_error, [](const model_error& e) {
        return e.code() == errc::invalid_configuration && !e.is_retryable();
    });
}

BOOST_AUTO_TEST_SUITE_END()
