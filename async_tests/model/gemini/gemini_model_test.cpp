#include <boost/test/unit_test.hpp>

#include "model/endpoint_calls.hpp"
#include "model/gemini_reader.hpp"
#include "model/gemini_transcripts.hpp"
#include "net/test_loop.hpp"

#include <weft/model/gemini_model.hpp>

#include <functional>
#include <string>

BOOST_AUTO_TEST_SUITE(gemini_model_test)

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
namespace transcripts = gemini_transcripts;

namespace {

weft::gemini_model_options options_for(const scripted_endpoint& endpoint)
{
    return endpoint_calls::options_at<weft::gemini_model_options>(endpoint, "model-x");
}

weft::gemini_model model_for(const scripted_endpoint& endpoint)
{
    return weft::gemini_model{client_for(endpoint), options_for(endpoint)};
}

model_error failure_of_reply(scripted_reply reply)
{
    return endpoint_calls::failure_by([](const auto& endpoint) { return model_for(endpoint); }, std::move(reply));
}

/** The address that a model of this name is asked at. */
std::string target_of(std::string model, std::string_view query = {})
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(script::event_stream(transcripts::thought));
    weft::gemini_model_options options = options_for(endpoint);
    options.base_url += query;
    options.model = std::move(model);
    weft::gemini_model asked{client_for(endpoint), options};
    (void)weft::run_blocking(asked.reply(hello()));
    return endpoint.requests().at(0).target;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_reply_is_streamed_over_tls)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(script::event_stream(transcripts::thought));
    weft::gemini_model model = model_for(endpoint);
    BOOST_TEST(model.label() == "model-x at localhost:" + std::to_string(endpoint.port()));
    recording_sink sink;
    weft::chat_request request = hello();
    request.call_id = "call-7";
    const weft::chat_reply reply = weft::run_blocking(model.reply(std::move(request), sink));
    BOOST_TEST(reply.message.text() == "Hello");
    BOOST_TEST(reply.message.provider->model == "model-x");
    BOOST_TEST(sink.reasoning == "A greeting.");

    const auto requests = endpoint.requests();
    BOOST_REQUIRE(requests.size() == 1);
    BOOST_TEST(requests[0].method == "POST");
    BOOST_TEST(requests[0].target == "/v1/models/model-x:streamGenerateContent?alt=sse");
    BOOST_TEST(requests[0].header("x-goog-api-key") == secret);
    BOOST_TEST(requests[0].header("authorization") == "");
    BOOST_TEST(requests[0].header("accept") == "text/event-stream");
    BOOST_TEST(requests[0].header("idempotency-key") == "call-7");
    BOOST_TEST(requests[0].body == R"({"contents":[{"role":"user","parts":[{"text":"Say hello"}]}]})");
}

BOOST_AUTO_TEST_CASE(the_model_is_a_part_of_the_address)
{
    BOOST_TEST(target_of("tunedModels/my-model") == "/v1/tunedModels/my-model:streamGenerateContent?alt=sse");
    BOOST_TEST(target_of("a b?c#d%") == "/v1/models/a%20b%3Fc%23d%25:streamGenerateContent?alt=sse");
    BOOST_TEST(target_of("model-x", "/?trace=1") == "/v1/models/model-x:streamGenerateContent?trace=1&alt=sse");

    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(script::event_stream(transcripts::thought));
    weft::gemini_model model = model_for(endpoint);
    weft::chat_request request = hello();
    request.model = "model-y";
    BOOST_TEST(weft::run_blocking(model.reply(std::move(request))).message.provider->model == "model-y");
    BOOST_TEST(endpoint.requests().at(0).target == "/v1/models/model-y:streamGenerateContent?alt=sse");
    weft::chat_request astray = hello();
    astray.model = "../files";
    BOOST_CHECK_EXCEPTION((void)weft::run_blocking(model.reply(std::move(astray))), weft::error,
                          [](const weft::error& e) { return e.code() == errc::invalid_configuration; });
}

BOOST_AUTO_TEST_CASE(every_transcript_reads_the_same_over_the_wire)
{
    for (const std::string_view body : {transcripts::thought, transcripts::parallel_tool_calls,
                                        transcripts::blocked_prompt, transcripts::error_in_the_middle,
                                        transcripts::truncated}) {
        scripted_endpoint endpoint;
        endpoint.when(any_request()).reply(script::event_stream(body));
        weft::gemini_model model = model_for(endpoint);
        const outcome expected = gemini_reading::reader.read(body);
        outcome o;
        try {
            o.reply = weft::run_blocking(model.reply(hello(), o.sink));
        } catch (const model_error& e) {
            o.failure = e;
        }
        BOOST_TEST(o.sink.text == expected.sink.text);  // ids are made of another seed
        BOOST_TEST(o.reply.has_value() == expected.reply.has_value());
        if (o.reply && expected.reply) BOOST_TEST((o.reply->message.content == expected.reply->message.content));
        if (o.failure && expected.failure) BOOST_TEST((o.failure->code() == expected.failure->code()));
    }
}

BOOST_AUTO_TEST_CASE(the_next_call_uses_the_same_connection)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply_always(script::event_stream(transcripts::thought));
    weft::gemini_model model = model_for(endpoint);
    test_loop loop;
    for (int i = 0; i < 3; ++i) {
        started call{loop, model.reply(hello())};
        BOOST_TEST(call.result().message.text() == "Hello");
    }
    BOOST_TEST(endpoint.counts().connections == 1);
}

BOOST_AUTO_TEST_CASE(statuses_come_before_content)
{
    const model_error limited = failure_of_reply(
        document(429, R"([{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED","details":[)"
                      R"({"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"3.5s"}]}}])"));
    BOOST_TEST((limited.code() == errc::model_rate_limited));
    BOOST_TEST((limited.failure().retry_after == 3500ms));
    BOOST_TEST(limited.is_retryable());
    const model_error page = failure_of_reply(script::status(200).body("<html>").header("content-type", "text/html"));
    BOOST_TEST((page.code() == errc::invalid_configuration));
    const model_error echoed = failure_of_reply(
        document(400, R"({"error":{"code":400,"message":"key )" + std::string{secret} + R"(?"}})"));
    BOOST_TEST(std::string{echoed.what()}.find("0123456789") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_document_is_taken_in_place_of_a_stream)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request())
        .reply(document(200, "[" + gemini_reading::chunk(gemini_reading::text("Hi"), "STOP") + "]"));
    weft::gemini_model model = model_for(endpoint);
    BOOST_TEST(weft::run_blocking(model.reply(hello())).message.text() == "Hi");
}

BOOST_AUTO_TEST_CASE(a_stop_closes_the_connection)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(script::event_stream(transcripts::parallel_tool_calls).stall_after(1));
    weft::gemini_model model = model_for(endpoint);
    test_loop loop;
    recording_sink sink;
    started call{loop, model.reply(hello(), sink)};
    loop.run_until([&] { return sink.calls.size() == 2; });
    call.stop();
    BOOST_TEST((call.failure().code() == errc::cancelled));
    BOOST_TEST(endpoint.wait_until([](const scripted_endpoint_counts& c) { return c.closed_early == 1; }));
}

BOOST_AUTO_TEST_CASE(mistakes_in_the_options_are_found_at_once)
{
    const auto make = [](const std::function<void(weft::gemini_model_options&)>& change) {
        weft::gemini_model_options options;
        options.model = "m";
        change(options);
        return weft::gemini_model{weft::http_client{}, std::move(options)};
    };
    const auto is = [](errc code) { return [code](const weft::error& e) { return e.code() == code; }; };
    make([](auto&) {});
    for (const char* model : {"", "..", "a//b", "a/./b", "/a", "a/"})
        BOOST_CHECK_EXCEPTION(make([&](auto& o) { o.model = model; }), weft::error, is(errc::invalid_configuration));
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.base_url = "google"; }), weft::error, is(errc::invalid_url));
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.settings.headers = {{"a b", "c"}}; }), weft::error,
                          is(errc::invalid_configuration));
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.base_url += "?a=b&key=AIzaTEST"; }), weft::error,
                          [](const weft::error& e) {
                              return e.code() == errc::invalid_configuration &&
                                     std::string{e.what()}.find("AIza") == std::string::npos;
                          });
}

BOOST_AUTO_TEST_SUITE_END()
