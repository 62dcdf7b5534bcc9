#include <boost/test/unit_test.hpp>

#include "anthropic_reader.hpp"
#include "anthropic_transcripts.hpp"

#include <weft/base/json.hpp>

BOOST_AUTO_TEST_SUITE(anthropic_transcripts_test)

using anthropic_reading::reader;
using weft::errc;
using weft::stop_reason;

namespace {

constexpr std::string_view all_transcripts[] = {
    anthropic_transcripts::thinking, anthropic_transcripts::parallel_tool_calls, anthropic_transcripts::error_first,
    anthropic_transcripts::error_in_the_middle, anthropic_transcripts::truncated};

}  // namespace

BOOST_AUTO_TEST_CASE(the_transcript_with_thinking)
{
    const outcome o = reader.read(anthropic_transcripts::thinking);
    const weft::chat_reply& reply = reply_of(o);
    BOOST_TEST(reply.message.text() == "Hello!");
    BOOST_TEST(reply.message.reasoning() == "A greeting.");
    const weft::content_part thought = weft::reasoning_part{"A greeting.", "EqQBCgIYAhIM"};
    BOOST_TEST((reply.message.content.front() == thought));
    BOOST_TEST((reply.stop == stop_reason::stop));
    BOOST_TEST(reply.stop_detail == "end_turn");
    BOOST_TEST(reply.usage.input.count() == 1512);
    BOOST_TEST(reply.usage.cache_written.count() == 1500);
    BOOST_TEST(reply.usage.cached.count() == 0);
    BOOST_TEST(reply.usage.output.count() == 25);
    BOOST_TEST(reply.usage.is_exact());
    BOOST_TEST(reply.id == "msg_1");
    BOOST_TEST(reply.model == "claude-x");
    BOOST_TEST(reply.request_id == "req_1");
    BOOST_TEST(o.sink.started == "msg_1/claude-x");
    BOOST_TEST(o.sink.starts == 1);
    BOOST_TEST(o.sink.reasoning == "A greeting.");
    BOOST_TEST((o.sink.usage == reply.usage));
    BOOST_REQUIRE(reply.message.provider);
    BOOST_TEST(reply.message.provider->provider == "anthropic");
    BOOST_TEST(reply.message.provider->model == "model-x");
    BOOST_TEST((reply.message.provider->fields == boost::json::object{}));
    BOOST_TEST(reply.warnings.empty());
}

BOOST_AUTO_TEST_CASE(the_transcript_of_parallel_tool_calls)
{
    const outcome o = reader.read(anthropic_transcripts::parallel_tool_calls);
    const weft::chat_reply& reply = reply_of(o);
    BOOST_TEST(reply.message.text() == "Let me add.");
    BOOST_TEST((reply.stop == stop_reason::tool_calls));
    BOOST_REQUIRE(reply.message.tool_calls.size() == 2);
    BOOST_TEST(reply.message.tool_calls[0].id == "toolu_a");
    BOOST_TEST(reply.message.tool_calls[0].name == "add");
    BOOST_TEST((weft::parse_json(reply.message.tool_calls[0].arguments) == weft::parse_json(R"({"x":1,"y":2})")));
    BOOST_TEST(reply.message.tool_calls[1].id == "toolu_b");
    BOOST_TEST(reply.message.tool_calls[1].name == "now");
    BOOST_TEST(reply.message.tool_calls[1].arguments == "{}");
    BOOST_TEST(o.sink.calls.at(0).arguments == R"({"x": 1, "y": 2})");
    BOOST_TEST(o.sink.calls.at(1).name == "now");
    BOOST_TEST(reply.usage.input.count() == 400);
    BOOST_TEST(reply.usage.output.count() == 80);
    BOOST_TEST(!reply.message.provider);
}

BOOST_AUTO_TEST_CASE(the_transcript_of_an_error_as_first_event)
{
    const weft::model_error e = failure_of(reader.read(anthropic_transcripts::error_first));
    BOOST_TEST((e.code() == errc::model_overloaded));
    BOOST_TEST(e.failure().status == 529);
    BOOST_TEST(e.failure().provider_type == "overloaded_error");
    BOOST_TEST(e.is_retryable());
    BOOST_TEST((e.failure().phase == weft::model_phase::stream));
    BOOST_TEST(e.detail() == "status 529: Overloaded (overloaded_error)");
}

BOOST_AUTO_TEST_CASE(the_transcript_of_an_error_in_the_middle)
{
    const weft::model_error e = failure_of(reader.read(anthropic_transcripts::error_in_the_middle));
    BOOST_TEST((e.code() == errc::model_stream_error));
    BOOST_TEST(!e.is_retryable());
    BOOST_TEST(e.partial().message.text() == "The ans");
    BOOST_TEST(e.partial().usage.input.count() == 9);
    BOOST_TEST((e.partial().stop == stop_reason::unfinished));
    BOOST_TEST(e.failure().request_id == "req_2");
}

BOOST_AUTO_TEST_CASE(the_transcript_that_breaks_off_in_a_tool_call)
{
    const outcome o = reader.read(anthropic_transcripts::truncated);
    const weft::model_error& e = failure_of(o);
    BOOST_TEST((e.code() == errc::response_truncated));
    BOOST_TEST(e.partial().message.tool_calls.empty());
    BOOST_TEST(!e.is_retryable());
    BOOST_TEST(o.sink.calls.at(0).arguments == R"({"amount": 10})");
}

BOOST_AUTO_TEST_CASE(it_does_not_matter_where_a_stream_is_cut_into_pieces)
{
    for (const std::string_view body : all_transcripts) reader.check_splits(body);
}

BOOST_AUTO_TEST_CASE(a_stream_that_ends_after_any_byte_is_whole_or_harmless)
{
    for (const std::string_view body : all_transcripts) reader.check_cuts(body);
}

BOOST_AUTO_TEST_SUITE_END()
