#include <boost/test/unit_test.hpp>

#include "gemini_reader.hpp"
#include "gemini_transcripts.hpp"

#include <weft/base/json.hpp>

#include <boost/json/serialize.hpp>

BOOST_AUTO_TEST_SUITE(gemini_transcripts_test)

using gemini_reading::reader;
using weft::errc;
using weft::stop_reason;

namespace {

constexpr std::string_view all_transcripts[] = {
    gemini_transcripts::thought, gemini_transcripts::parallel_tool_calls, gemini_transcripts::blocked_prompt,
    gemini_transcripts::error_in_the_middle, gemini_transcripts::truncated};

std::string provider_of(const weft::chat_reply& reply)
{
    return reply.message.provider ? boost::json::serialize(reply.message.provider->fields) : "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_transcript_with_a_thought)
{
    const outcome o = reader.read(gemini_transcripts::thought);
    const weft::chat_reply& reply = reply_of(o);
    BOOST_TEST(reply.message.reasoning() == "A greeting.");
    BOOST_TEST(reply.message.text() == "Hello");
    BOOST_TEST((reply.stop == stop_reason::stop));
    BOOST_TEST(reply.stop_detail == "STOP");
    BOOST_TEST(reply.usage.input.count() == 4);
    BOOST_TEST(reply.usage.output.count() == 12);
    BOOST_TEST(reply.usage.reasoning.count() == 10);
    BOOST_TEST(reply.usage.is_exact());
    BOOST_TEST(reply.id == "r1");
    BOOST_TEST(reply.model == "gemini-x-001");
    BOOST_TEST(o.sink.started == "r1/gemini-x-001");
    BOOST_TEST(o.sink.starts == 1);
    BOOST_TEST(o.sink.reasoning == "A greeting.");
    BOOST_TEST(o.sink.text == "Hello");
    BOOST_TEST((o.sink.usage == reply.usage));
    BOOST_REQUIRE(reply.message.provider);
    BOOST_TEST(reply.message.provider->provider == "gemini");
    BOOST_TEST(reply.message.provider->model == "model-x");
    BOOST_TEST(provider_of(reply) == R"({"parts":[{"text":"A greeting.","thought":true},{"text":"Hel"},)"
                                     R"({"text":"lo","thoughtSignature":"CiQB"}]})");
}

BOOST_AUTO_TEST_CASE(the_transcript_of_parallel_tool_calls)
{
    const outcome o = reader.read(gemini_transcripts::parallel_tool_calls);
    const weft::chat_reply& reply = reply_of(o);
    BOOST_TEST((reply.stop == stop_reason::tool_calls));
    BOOST_TEST(reply.stop_detail == "STOP");
    BOOST_REQUIRE(reply.message.tool_calls.size() == 2);
    const weft::tool_call& first = reply.message.tool_calls[0];
    const weft::tool_call& second = reply.message.tool_calls[1];
    BOOST_TEST(first.name == "add");
    BOOST_TEST(first.arguments == R"({"x":1})");
    BOOST_TEST(second.arguments == R"({"x":2})");
    BOOST_TEST(!first.id.empty());
    BOOST_TEST(first.id != second.id);
    BOOST_TEST(o.sink.calls.at(1).arguments == R"({"x":2})");
    BOOST_TEST(reply.message.content.empty());
    BOOST_TEST(provider_of(reply) == R"({"parts":[{"call":")" + first.id +
                                         R"(","has_id":false,"thoughtSignature":"CiQC"},{"call":")" + second.id +
                                         R"(","has_id":false}]})");
    BOOST_TEST(reply.usage.input.count() == 40);
    BOOST_TEST(reply.usage.output.count() == 20);
}

BOOST_AUTO_TEST_CASE(the_transcript_of_a_blocked_prompt)
{
    const outcome o = reader.read(gemini_transcripts::blocked_prompt);
    const weft::chat_reply& reply = reply_of(o);
    BOOST_TEST((reply.stop == stop_reason::content_filter));
    BOOST_TEST(reply.stop_detail == "PROHIBITED_CONTENT");
    BOOST_TEST(reply.message.content.empty());
    BOOST_TEST(reply.usage.input.count() == 7);
    BOOST_TEST(reply.usage.output.count() == 0);
}

BOOST_AUTO_TEST_CASE(the_transcript_of_an_error_in_the_middle)
{
    const weft::model_error e = failure_of(reader.read(gemini_transcripts::error_in_the_middle));
    BOOST_TEST((e.code() == errc::model_stream_error));
    BOOST_TEST(e.failure().status == 503);
    BOOST_TEST(e.failure().provider_type == "UNAVAILABLE");
    BOOST_TEST(e.partial().message.text() == "The ans");
    BOOST_TEST(!e.is_retryable());
    BOOST_TEST(e.detail() == "status 503: The model is overloaded. (UNAVAILABLE)");
}

BOOST_AUTO_TEST_CASE(the_transcript_that_breaks_off)
{
    const weft::model_error e = failure_of(reader.read(gemini_transcripts::truncated));
    BOOST_TEST((e.code() == errc::response_truncated));
    BOOST_TEST(e.partial().message.text() == "The ans");
    BOOST_TEST(e.partial().usage.output.count() == 2);
    BOOST_TEST(!e.is_retryable());
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
