#include <boost/test/unit_test.hpp>

#include "model/endpoint_calls.hpp"
#include "model/stream_reader.hpp"
#include "model/transcripts.hpp"
#include "net/test_loop.hpp"

#include <weft/async/sleep.hpp>

#include <stdexcept>
#include <string>

BOOST_AUTO_TEST_SUITE(openai_model_test)

using namespace endpoint_calls;
using weft::errc;
using weft::model_error;
using weft::stop_reason;
using weft::testing::any_request;
using weft::testing::scripted_endpoint;
using weft::testing::scripted_endpoint_counts;
using weft::testing::scripted_endpoint_options;
using weft::testing::scripted_transport;
using namespace std::chrono_literals;
namespace script = weft::testing;

BOOST_AUTO_TEST_CASE(a_reply_is_streamed_over_tls)
{
    scripted_endpoint endpoint;
    weft::usage count;
    count.input = weft::tokens{9};
    count.output = weft::tokens{3};
    endpoint.when(any_request())
        .reply(script::text_pieces({"Hel", "lo 👋"}).usage(count).header("x-request-id", "req_1"));
    weft::openai_model model = model_for(endpoint);
    BOOST_TEST(model.label() == "gpt-x at localhost:" + std::to_string(endpoint.port()));

    recording_sink sink;
    const weft::chat_reply reply = weft::run_blocking(model.reply(hello(), sink));
    BOOST_TEST(reply.message.text() == "Hello 👋");
    BOOST_TEST((reply.stop == stop_reason::stop));
    BOOST_TEST((reply.usage == count));
    BOOST_TEST(reply.model == "gpt-x");
    BOOST_TEST(reply.request_id == "req_1");
    BOOST_TEST(sink.text == "Hello 👋");
    BOOST_TEST(sink.pieces == 2);
    endpoint.check_complete();

    const auto requests = endpoint.requests();
    BOOST_REQUIRE(requests.size() == 1);
    BOOST_TEST(requests[0].method == "POST");
    BOOST_TEST(requests[0].target == "/v1/chat/completions");
    BOOST_TEST(requests[0].header("authorization") == "Bearer " + std::string{secret});
    BOOST_TEST(requests[0].header("accept") == "text/event-stream");
    BOOST_TEST(requests[0].header("content-type") == "application/json");
    BOOST_TEST(requests[0].header("idempotency-key") == "");
    BOOST_TEST(requests[0].body ==
               R"({"model":"gpt-x","stream":true,"stream_options":{"include_usage":true},)"
               R"("messages":[{"role":"user","content":"Say hello"}]})");
}

BOOST_AUTO_TEST_CASE(a_stream_that_calls_itself_plain_text_is_read)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request())
        .reply(script::status(200)
                   .body("data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\n"
                         "data: [DONE]\n\n")
                   .header("content-type", "text/plain; charset=utf-8"));
    weft::openai_model model = model_for(endpoint);
    BOOST_TEST(weft::run_blocking(model.reply(hello())).message.text() == "hi");
}

BOOST_AUTO_TEST_CASE(tool_calls_come_whole)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request())
        .reply(script::text("I look.")
                   .tool_call("add", R"({"x":1,"y":2})", "call_a")
                   .tool_call("add", R"({"x":3})", "call_b")
                   .tool_calls_alternate());
    weft::openai_model model = model_for(endpoint);
    const weft::chat_reply reply = weft::run_blocking(model.reply(hello()));
    BOOST_TEST(reply.message.text() == "I look.");
    BOOST_TEST((reply.stop == stop_reason::tool_calls));
    BOOST_REQUIRE(reply.message.tool_calls.size() == 2);
    BOOST_TEST(reply.message.tool_calls[0].id == "call_a");
    BOOST_TEST(reply.message.tool_calls[0].arguments == R"({"x":1,"y":2})");
    BOOST_TEST(reply.message.tool_calls[1].id == "call_b");
    BOOST_TEST(reply.message.tool_calls[1].arguments == R"({"x":3})");
}

BOOST_AUTO_TEST_CASE(the_next_call_uses_the_same_connection)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply_always(script::text("one two three"));
    weft::openai_model model = model_for(endpoint);
    test_loop loop;
    for (int i = 0; i < 3; ++i) {
        started call{loop, model.reply(hello())};
        BOOST_TEST(call.result().message.text() == "one two three");
    }
    BOOST_TEST(endpoint.counts().requests == 3);
    BOOST_TEST(endpoint.counts().connections == 1);
}

BOOST_AUTO_TEST_CASE(headers_of_the_account_and_the_call_are_sent)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(script::text("x"));
    weft::openai_model_options options = options_for(endpoint);
    options.organization = "org-1";
    options.project = "proj-1";
    options.profile = weft::openai_profiles::azure();
    options.profile.headers = {{"X-Title", "weft"}};
    options.base_url += "/?api-version=2024-10-21";
    weft::openai_model model{client_for(endpoint), options};
    weft::chat_request request = hello();
    request.call_id = "call-7";
    request.model = "gpt-y";
    (void)weft::run_blocking(model.reply(std::move(request)));
    const auto requests = endpoint.requests();
    BOOST_REQUIRE(requests.size() == 1);
    BOOST_TEST(requests[0].target == "/v1/chat/completions?api-version=2024-10-21");
    BOOST_TEST(requests[0].header("openai-organization") == "org-1");
    BOOST_TEST(requests[0].header("openai-project") == "proj-1");
    BOOST_TEST(requests[0].header("x-title") == "weft");
    BOOST_TEST(requests[0].header("api-key") == secret);
    BOOST_TEST(requests[0].header("authorization") == "");
    BOOST_TEST(requests[0].header("idempotency-key") == "call-7");
    BOOST_TEST(requests[0].model() == "gpt-y");
}

BOOST_AUTO_TEST_CASE(every_transcript_reads_the_same_over_the_wire)
{
    for (const std::string_view body :
         {transcripts::normal, transcripts::tool_call, transcripts::parallel_tool_calls, transcripts::hostile_dialect,
          transcripts::error_of_vllm, transcripts::error_of_openrouter, transcripts::error_of_llama_cpp}) {
        scripted_endpoint endpoint;
        endpoint.when(any_request()).reply(script::event_stream(body));
        weft::openai_model model = model_for(endpoint);
        const outcome expected = read_stream(body);
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

BOOST_AUTO_TEST_CASE(a_document_is_taken_in_place_of_a_stream)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request())
        .reply(
            script::status(200)
                .body(
                    R"({"id":"c1","model":"m","choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}],)"
                    R"("usage":{"prompt_tokens":4,"completion_tokens":1}})")
                .header("content-type", "Application/JSON; charset=utf-8"));
    weft::openai_model model = model_for(endpoint);
    recording_sink sink;
    const weft::chat_reply reply = weft::run_blocking(model.reply(hello(), sink));
    BOOST_TEST(reply.message.text() == "Hi");
    BOOST_TEST(reply.usage.input.count() == 4);
    BOOST_TEST(sink.text == "Hi");
}

BOOST_AUTO_TEST_CASE(a_key_goes_without_tls_to_the_own_machine_only)
{
    scripted_endpoint endpoint{scripted_endpoint_options{}.transport(scripted_transport::plain)};
    endpoint.when(any_request()).reply(script::text("x"));
    weft::openai_model local{weft::http_client{}, options_for(endpoint)};
    BOOST_TEST(weft::run_blocking(local.reply(hello())).message.text() == "x");

    weft::openai_model_options options = options_for(endpoint);
    options.base_url = "http://192.0.2.1/v1";
    weft::openai_model remote{weft::http_client{}, options};
    BOOST_CHECK_EXCEPTION((void)weft::run_blocking(remote.reply(hello())), model_error, [](const model_error& e) {
        return e.code() == errc::invalid_configuration && !e.is_retryable();
    });
}

BOOST_AUTO_TEST_CASE(mistakes_in_the_options_are_found_at_once)
{
    const auto make = [](std::function<void(weft::openai_model_options&)> change) {
        weft::openai_model_options options;
        options.model = "m";
        change(options);
        return weft::openai_model{weft::http_client{}, std::move(options)};
    };
    const auto is = [](errc code) { return [code](const weft::error& e) { return e.code() == code; }; };
    make([](auto&) {});
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.model.clear(); }), weft::error, is(errc::invalid_configuration));
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.base_url = "api.openai.com"; }), weft::error, is(errc::invalid_url));
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.project = "a\r\nb: c"; }), weft::error, is(errc::invalid_configuration));
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.profile.headers = {{"a b", "c"}}; }), weft::error,
                          is(errc::invalid_configuration));
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.key = weft::secret_string{"a\nb"}; }), weft::error,
                          is(errc::invalid_configuration));
}

BOOST_AUTO_TEST_CASE(a_request_that_cannot_be_asked_is_refused)
{
    scripted_endpoint endpoint;
    weft::openai_model model = model_for(endpoint);
    const auto refused = [](const weft::error& e) { return e.code() == errc::invalid_configuration; };
    BOOST_CHECK_EXCEPTION((void)weft::run_blocking(model.reply(weft::chat_request{})), weft::error, refused);
    weft::chat_request split = hello();
    split.call_id = "a\r\nb: c";
    BOOST_CHECK_EXCEPTION((void)weft::run_blocking(model.reply(split)), weft::error, refused);
    BOOST_TEST(endpoint.counts().connections == 0);
}

BOOST_AUTO_TEST_CASE(what_a_sink_throws_reaches_the_caller_and_ends_the_call)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(script::text("one two three").stall_after(2));
    weft::openai_model model = model_for(endpoint);
    acting_sink sink{[] { throw std::runtime_error{"screen is gone"}; }};
    BOOST_CHECK_EXCEPTION((void)weft::run_blocking(model.reply(hello(), sink)), std::runtime_error,
                          [](const std::runtime_error& e) { return std::string{e.what()} == "screen is gone"; });
    BOOST_TEST(endpoint.wait_until([](const scripted_endpoint_counts& c) { return c.closed_early == 1; }));
}

namespace {

/** Takes one read at a time. */
class slow_sink final : public weft::chat_sink {
public:
    void on_text(std::string_view) override
    {
        BOOST_TEST(!is_waiting);
        is_full_ = true;
    }
    [[nodiscard]] bool is_full() const noexcept override { return is_full_; }
    [[nodiscard]] weft::task<> wait_for_room() override
    {
        is_waiting = true;
        co_await weft::sleep_for(1ms);
        is_waiting = false;
        is_full_ = false;
        ++waits;
    }
    int waits = 0;
    bool is_waiting = false;

private:
    bool is_full_ = false;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_full_sink_is_waited_for)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(script::text("one two three four").between_tokens(5ms));
    weft::openai_model model = model_for(endpoint);
    slow_sink sink;
    const weft::chat_reply reply = weft::run_blocking(model.reply(hello(), sink));
    BOOST_TEST(reply.message.text() == "one two three four");
    BOOST_TEST(sink.waits >= 1);
}

BOOST_AUTO_TEST_CASE(a_stop_ends_the_wait_for_a_full_sink)
{
    class full_sink final : public weft::chat_sink {
    public:
        [[nodiscard]] bool is_full() const noexcept override { return true; }
        [[nodiscard]] weft::task<> wait_for_room() override
        {
            is_waiting = true;
            co_await weft::sleep_for(1h);
        }
        bool is_waiting = false;
    };
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(script::text("one two three").stall_after(2));
    weft::openai_model model = model_for(endpoint);
    test_loop loop;
    full_sink sink;
    started call{loop, model.reply(hello(), sink)};
    loop.run_until([&] { return sink.is_waiting; });
    call.stop();
    BOOST_TEST((call.failure().code() == errc::cancelled));
}

BOOST_AUTO_TEST_SUITE_END()
