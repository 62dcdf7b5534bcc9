#include <boost/test/unit_test.hpp>

#include "stream_reader.hpp"
#include "transcripts.hpp"

#include <memory>
#include <random>

BOOST_AUTO_TEST_SUITE(openai_transcripts_test)

using weft::errc;
using weft::stop_reason;

namespace {

constexpr std::string_view all[] = {
    transcripts::normal,        transcripts::tool_call,           transcripts::parallel_tool_calls,
    transcripts::hostile_dialect, transcripts::error_of_vllm,     transcripts::error_of_openrouter,
    transcripts::error_of_llama_cpp, transcripts::truncated,
};

void check_call(const weft::tool_call& call, std::string_view id, std::string_view name, std::string_view arguments)
{
    BOOST_TEST(call.id == id);
    BOOST_TEST(call.name == name);
    BOOST_TEST(call.arguments == arguments);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_normal_stream_gives_text_usage_and_names)
{
    const outcome o = read_stream(transcripts::normal);
    BOOST_REQUIRE(o.reply);
    BOOST_TEST(o.reply->message.text() == "Hello 👋");
    BOOST_TEST((o.reply->message.role == weft::role::assistant));
    BOOST_TEST((o.reply->stop == stop_reason::stop));
    BOOST_TEST(o.reply->stop_detail == "stop");
    BOOST_TEST(o.reply->usage.input.count() == 9);
    BOOST_TEST(o.reply->usage.output.count() == 3);
    BOOST_TEST(o.reply->usage.is_exact());
    BOOST_TEST(o.reply->id == "chatcmpl-1");
    BOOST_TEST(o.reply->model == "gpt-x-2026");
    BOOST_TEST(o.reply->request_id == "req_1");
    BOOST_TEST(o.sink.text == "Hello 👋");
    BOOST_TEST(o.sink.pieces == 2);
    BOOST_TEST(o.sink.starts == 1);
    BOOST_TEST(o.sink.started == "chatcmpl-1/gpt-x-2026");
    BOOST_TEST((o.sink.usage == o.reply->usage));
}

BOOST_AUTO_TEST_CASE(a_tool_call_is_put_together)
{
    const outcome o = read_stream(transcripts::tool_call);
    BOOST_REQUIRE(o.reply);
    BOOST_REQUIRE(o.reply->message.tool_calls.size() == 1);
    check_call(o.reply->message.tool_calls[0], "call_a", "get_weather", R"({"city":"Köln"})");
    BOOST_TEST(o.reply->message.content.empty());
    BOOST_TEST((o.reply->stop == stop_reason::tool_calls));
    BOOST_TEST(o.reply->usage.unreported == 1);
    BOOST_TEST(o.sink.calls.at(0).id == "call_a");
    BOOST_TEST(o.sink.calls.at(0).arguments == R"({"city":"Köln"})");
}

BOOST_AUTO_TEST_CASE(interleaved_tool_calls_are_kept_apart)
{
    const outcome o = read_stream(transcripts::parallel_tool_calls);
    BOOST_REQUIRE(o.reply);
    BOOST_REQUIRE(o.reply->message.tool_calls.size() == 2);
    check_call(o.reply->message.tool_calls[0], "call_a", "add", R"({"x":1,"y":2})");
    check_call(o.reply->message.tool_calls[1], "call_b", "add", R"({"x":3,"y":4})");
    BOOST_TEST(o.sink.calls.at(0).arguments == R"({"x":1,"y":2})");
    BOOST_TEST(o.sink.calls.at(1).arguments == R"({"x":3,"y":4})");
}

BOOST_AUTO_TEST_CASE(a_hostile_dialect_is_understood)
{
    const outcome o = read_stream(transcripts::hostile_dialect);
    BOOST_REQUIRE(o.reply);
    BOOST_REQUIRE(o.reply->message.tool_calls.size() == 2);
    check_call(o.reply->message.tool_calls[0], "abc123XYZ", "add", R"({"x":1})");
    check_call(o.reply->message.tool_calls[1], "def456UVW", "add", R"({"x":2})");
    BOOST_TEST((o.reply->stop == stop_reason::tool_calls));
    BOOST_TEST(o.reply->stop_detail == "stop");
    BOOST_TEST(o.reply->usage.input.count() == 5);
    BOOST_TEST(o.reply->usage.output.count() == 7);
    BOOST_TEST(o.reply->model == "m");
}

BOOST_AUTO_TEST_CASE(an_error_in_the_stream_keeps_the_text_so_far)
{
    struct expectation {
        std::string_view body;
        int status;
        std::string_view message;
    };
    const expectation cases[] = {{transcripts::error_of_vllm, 500, "EngineCore died"},
                                 {transcripts::error_of_openrouter, 502, "Upstream disconnected"}};
    for (const auto& [body, status, message] : cases) {
        const outcome o = read_stream(body);
        BOOST_REQUIRE(o.failure);
        BOOST_TEST((o.failure->code() == errc::model_stream_error));
        BOOST_TEST((o.failure->failure().phase == weft::model_phase::stream));
        BOOST_TEST(o.failure->failure().status == status);
        BOOST_TEST(o.failure->detail().find(message) != std::string::npos);
        BOOST_TEST(o.failure->partial().message.text() == "The ans");
        BOOST_TEST((o.failure->partial().stop == stop_reason::unfinished));
        BOOST_TEST(o.failure->partial().request_id == "req_1");
        BOOST_TEST(!o.failure->is_retryable());
    }
}

BOOST_AUTO_TEST_CASE(an_error_in_a_field_of_its_own_is_found)
{
    const outcome o = read_stream(transcripts::error_of_llama_cpp);
    BOOST_REQUIRE(o.failure);
    BOOST_TEST((o.failure->code() == errc::model_overloaded));
    BOOST_TEST(o.failure->failure().status == 500);
    BOOST_TEST(o.failure->failure().provider_type == "server_error");
    BOOST_TEST(o.failure->detail().find("context shift is disabled") != std::string::npos);
    BOOST_TEST(o.failure->is_retryable());
}

BOOST_AUTO_TEST_CASE(a_truncated_stream_executes_nothing)
{
    const outcome o = read_stream(transcripts::truncated);
    BOOST_REQUIRE(o.failure);
    BOOST_TEST((o.failure->code() == errc::response_truncated));
    BOOST_TEST(o.failure->partial().message.tool_calls.empty());
    BOOST_TEST(o.failure->failure().has_delivered);
    BOOST_TEST(!o.failure->is_retryable());
    BOOST_TEST(o.sink.calls.at(0).arguments == R"({"amount":10)");
}

BOOST_AUTO_TEST_CASE(it_does_not_matter_where_a_stream_is_cut_into_pieces)
{
    std::minstd_rand random{7};
    for (const std::string_view body : all) {
        const std::string whole = read_stream(body).log();
        BOOST_TEST(read_stream(body, {.next_size = [] { return std::size_t{1}; }}).log() == whole);
        for (int i = 0; i < 50; ++i)
            BOOST_TEST(read_stream(body, {.next_size = [&] { return 1 + random() % 90; }}).log() == whole);
    }
}

// The connection may break after any byte. Then there is the whole reply or a part of it that can't do harm.
BOOST_AUTO_TEST_CASE(a_stream_that_ends_after_any_byte_is_whole_or_harmless)
{
    const weft::error lost{errc::connection_lost};
    for (const std::string_view body : all) {
        const outcome whole = read_stream(body);
        for (std::size_t size = 0; size < body.size(); ++size) {
            for (const bool breaks : {false, true}) {
                reading how;
                if (breaks) how.transport_failure = lost;
                const outcome o = read_stream(body.substr(0, size), how);
                BOOST_TEST_CONTEXT("cut after byte " << size) {
                    BOOST_TEST(whole.sink.text.starts_with(o.sink.text));
                    BOOST_REQUIRE(o.reply.has_value() != o.failure.has_value());
                    if (o.reply) {
                        BOOST_REQUIRE(whole.reply);
                        BOOST_TEST((o.reply->message == whole.reply->message));
                        continue;
                    }
                    BOOST_TEST(o.failure->partial().message.tool_calls.empty());
                    BOOST_TEST(o.failure->partial().message.text() == o.sink.text);
                    const errc ending = breaks ? errc::connection_lost : errc::response_truncated;
                    const bool is_cut = o.failure->code() == ending;
                    BOOST_TEST((is_cut || (whole.failure && o.failure->code() == whole.failure->code())));
                }
            }
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
