#include <boost/test/unit_test.hpp>

#include "model/endpoint_calls.hpp"
#include "model/ollama_reader.hpp"
#include "model/ollama_transcripts.hpp"
#include "model/torn_calls.hpp"

#include <weft/model/ollama_model.hpp>

#include <functional>
#include <string>

BOOST_AUTO_TEST_SUITE(ollama_model_test)

namespace transcripts = ollama_transcripts;
namespace script = weft::testing;
using namespace endpoint_calls;
using namespace std::chrono_literals;
using weft::errc;
using weft::model_error;
using weft::testing::scripted_endpoint;
using weft::testing::scripted_reply;

namespace {

weft::ollama_model_options where(const scripted_endpoint& endpoint)
{
    weft::ollama_model_options options;
    options.base_url = endpoint.url().substr(0, endpoint.url().rfind("/v1"));
    options.model = "llama3.2";
    return options;
}

scripted_reply lines(std::string_view body)
{
    return script::status(200).body(std::string{body}).header("content-type", "application/x-ndjson");
}

outcome answered(const scripted_reply& reply)
{
    scripted_endpoint endpoint;
    endpoint.when(script::path_ends_with("/api/chat")).reply(reply);
    weft::ollama_model model{client_for(endpoint), where(endpoint)};
    return piecewise::observe([&](weft::chat_sink& sink) { return weft::run_blocking(model.reply(hello(), sink)); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(W3_a_line_may_be_as_long_as_a_reply)
{
    const std::string text(5'000'000, 'x');
    const outcome o = answered(lines(R"({"message":{"content":")" + text + R"("},"done":true,"done_reason":"stop"})"
                                                                            "\n"));
    BOOST_TEST(reply_of(o).message.text().size() == text.size());
}

BOOST_AUTO_TEST_CASE(W10_a_byte_order_mark_before_the_lines_is_skipped)
{
    const outcome o = answered(lines("\xEF\xBB\xBF" R"({"message":{"content":"hi"},"done":true,"done_reason":"stop"})"
                                     "\n"));
    BOOST_TEST(reply_of(o).message.text() == "hi");
}

BOOST_AUTO_TEST_CASE(a_reply_is_streamed_over_tls)
{
    scripted_endpoint endpoint;
    endpoint.when(script::path_ends_with("/api/chat")).reply_always(lines(transcripts::normal));
    weft::ollama_model model{client_for(endpoint), where(endpoint)};
    BOOST_TEST(model.label() == "llama3.2 at localhost:" + std::to_string(endpoint.port()));
    BOOST_TEST(weft::run_blocking(model.reply(hello())).message.text() == "Hello");

    weft::ollama_model_options guarded = where(endpoint);
    guarded.key = weft::secret_string{secret};
    guarded.settings.headers = {{"X-Title", "weft"}};
    weft::ollama_model other{client_for(endpoint), guarded};
    weft::chat_request request = hello();
    request.call_id = "call-7";
    (void)weft::run_blocking(other.reply(std::move(request)));

    const auto requests = endpoint.requests();
    BOOST_REQUIRE(requests.size() == 2);
    BOOST_TEST(requests[0].method == "POST");
    BOOST_TEST(requests[0].target == "/api/chat");
    BOOST_TEST(requests[0].header("authorization") == "");
    BOOST_TEST(requests[0].header("accept") == "application/x-ndjson");
    BOOST_TEST(requests[0].body ==
               R"({"model":"llama3.2","stream":true,"messages":[{"role":"user","content":"Say hello"}]})");
    BOOST_TEST(requests[1].header("authorization") == "Bearer " + std::string{secret});
    BOOST_TEST(requests[1].header("x-title") == "weft");
    BOOST_TEST(requests[1].header("idempotency-key") == "call-7");
}

BOOST_AUTO_TEST_CASE(every_transcript_reads_the_same_over_the_wire)
{
    for (const std::string_view body :
         {transcripts::normal, transcripts::parallel_calls, transcripts::error_in_the_middle, transcripts::truncated}) {
        const outcome expected = ollama_reader::read(body);
        const outcome o = answered(lines(body));
        BOOST_TEST(o.sink.log() == expected.sink.log());
        BOOST_TEST(o.reply.has_value() == expected.reply.has_value());
        if (o.reply && expected.reply)
            BOOST_TEST((o.reply->message.tool_calls == expected.reply->message.tool_calls));
        if (o.failure && expected.failure) BOOST_TEST((o.failure->code() == expected.failure->code()));
    }
}

BOOST_AUTO_TEST_CASE(a_full_queue_and_a_missing_model)
{
    const auto error = [](int status, std::string text) {
        return script::status(status).body(R"({"error":")" + text + R"("})").header("content-type", "application/json");
    };
    const model_error busy = failure_of(answered(error(503, "server busy, please try again")));
    BOOST_TEST((busy.code() == errc::model_overloaded));
    BOOST_TEST(busy.is_retryable());
    BOOST_TEST(busy.detail() == "status 503: server busy, please try again");
    const model_error missing = failure_of(answered(error(404, "model 'x' not found")));
    BOOST_TEST((missing.code() == errc::model_not_found));
    BOOST_TEST(!missing.is_retryable());
    const model_error page =
        failure_of(answered(script::status(200).body("<html>").header("content-type", "text/html")));
    BOOST_TEST((page.code() == errc::invalid_configuration));
}

BOOST_AUTO_TEST_CASE(a_document_is_taken_in_place_of_a_stream)
{
    const outcome o = answered(script::status(200)
                                   .body(R"({"model":"m","message":{"content":"Hi"},"done":true,"eval_count":1})")
                                   .header("content-type", "application/json; charset=utf-8"));
    BOOST_TEST(reply_of(o).message.text() == "Hi");
    BOOST_TEST(o.sink.text == "Hi");
}

BOOST_AUTO_TEST_CASE(a_model_is_given_time_to_be_loaded)
{
    BOOST_TEST((weft::ollama_model_options{}.timeouts->first_byte == 10min));
    scripted_endpoint endpoint;
    endpoint.when(script::path_ends_with("/api/chat")).reply(script::silence());
    weft::ollama_model_options options = where(endpoint);
    options.timeouts.reset();
    weft::ollama_model model{client_for(endpoint, weft::http_timeouts{.first_byte = 50ms}), options};
    BOOST_CHECK_EXCEPTION((void)weft::run_blocking(model.reply(hello())), model_error,
                          [](const model_error& e) { return e.code() == errc::first_byte_timeout; });
}

BOOST_AUTO_TEST_CASE(mistakes_in_the_options_are_found_at_once)
{
    const auto make = [](std::function<void(weft::ollama_model_options&)> change) {
        weft::ollama_model_options options;
        options.model = "m";
        change(options);
        return weft::ollama_model{weft::http_client{}, std::move(options)};
    };
    const auto is = [](errc code) { return [code](const weft::error& e) { return e.code() == code; }; };
    make([](auto&) {});
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.model.clear(); }), weft::error, is(errc::invalid_configuration));
    for (const char* url : {"localhost:11434", "http://localhost:11434/v1", "http://localhost:11434/v1/",
                            "http://localhost:11434/api", "http://localhost:11434/api/chat"})
        BOOST_CHECK_EXCEPTION(make([url](auto& o) { o.base_url = url; }), weft::error, is(errc::invalid_url));
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.settings.headers = {{"a b", "c"}}; }), weft::error,
                          is(errc::invalid_configuration));
}

BOOST_AUTO_TEST_CASE(a_call_may_be_destroyed_after_any_step)
{
    scripted_endpoint endpoint;
    endpoint.when(script::path_ends_with("/api/chat")).reply_always(lines(transcripts::normal));
    weft::ollama_model model{client_for(endpoint), where(endpoint)};
    torn_calls::check_destroyed_anywhere(endpoint, model);
}

BOOST_AUTO_TEST_CASE(a_call_that_is_stopped_after_any_step_ends_as_cancelled)
{
    scripted_endpoint endpoint;
    endpoint.when(script::path_ends_with("/api/chat")).reply_always(lines(transcripts::normal));
    weft::ollama_model model{client_for(endpoint), where(endpoint)};
    torn_calls::check_stopped_anywhere(model, "Hello");
}

BOOST_AUTO_TEST_SUITE_END()
