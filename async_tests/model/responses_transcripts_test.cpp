#include <boost/test/unit_test.hpp>

#include "responses_reader.hpp"
#include "responses_transcripts.hpp"

BOOST_AUTO_TEST_SUITE(responses_transcripts_test)

namespace transcripts = responses_transcripts;
using responses_reader::read;
using weft::errc;
using weft::stop_reason;

namespace {

constexpr std::string_view all[] = {transcripts::normal, transcripts::parallel_calls, transcripts::early_error,
                                    transcripts::failed, transcripts::incomplete,     transcripts::truncated};

outcome read_any(std::string_view body, const piecewise::pieces& how)
{
    return read(body, how);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_normal_stream_gives_text_reasoning_usage_and_names)
{
    const outcome o = read(transcripts::normal);
    const weft::chat_reply& reply = reply_of(o);
    BOOST_TEST(reply.message.text() == "Hello");
    BOOST_TEST(reply.message.reasoning() == "Greeting.");
    BOOST_TEST((reply.message.role == weft::role::assistant));
    BOOST_TEST((reply.stop == stop_reason::stop));
    BOOST_TEST(reply.stop_detail == "completed");
    BOOST_TEST(reply.usage.input.count() == 9);
    BOOST_TEST(reply.usage.output.count() == 24);
    BOOST_TEST(reply.usage.reasoning.count() == 20);
    BOOST_TEST(reply.usage.is_exact());
    BOOST_TEST(reply.id == "resp_1");
    BOOST_TEST(reply.model == "gpt-x");
    BOOST_TEST(reply.request_id == "req_1");
    BOOST_TEST(reply.warnings.empty());
    BOOST_TEST(o.sink.text == "Hello");
    BOOST_TEST(o.sink.reasoning == "Greeting.");
    BOOST_TEST(o.sink.pieces == 1);
    BOOST_TEST(o.sink.starts == 1);
    BOOST_TEST(o.sink.started == "resp_1/gpt-x");
    BOOST_TEST((o.sink.usage == reply.usage));
}

BOOST_AUTO_TEST_CASE(parallel_calls_are_kept_apart)
{
    const outcome o = read(transcripts::parallel_calls);
    const weft::chat_reply& reply = reply_of(o);
    BOOST_REQUIRE(reply.message.tool_calls.size() == 2);
    BOOST_TEST(reply.message.tool_calls[0].id == "call_a");
    BOOST_TEST(reply.message.tool_calls[0].name == "add");
    BOOST_TEST(reply.message.tool_calls[0].arguments == R"({"x":1})");
    BOOST_TEST(reply.message.tool_calls[1].id == "call_b");
    BOOST_TEST(reply.message.tool_calls[1].arguments == R"({"x":2})");
    BOOST_TEST((reply.stop == stop_reason::tool_calls));
    BOOST_TEST(reply.usage.output.count() == 30);
    BOOST_TEST(!reply.message.provider);  // the neutral form says all of it
    BOOST_TEST(o.sink.calls.at(0).id == "call_a");
    BOOST_TEST(o.sink.calls.at(0).arguments == R"({"x":1})");
    BOOST_TEST(o.sink.calls.at(1).arguments == R"({"x":2})");
}

BOOST_AUTO_TEST_CASE(an_early_error_is_judged_as_if_by_its_status)
{
    const outcome o = read(transcripts::early_error);
    const weft::model_error& e = failure_of(o);
    BOOST_TEST((e.code() == errc::model_quota_exhausted));
    BOOST_TEST(e.detail().find("You exceeded your current quota") != std::string::npos);
    BOOST_TEST(!e.is_retryable());
    BOOST_TEST((e.failure().phase == weft::model_phase::stream));
}

BOOST_AUTO_TEST_CASE(a_failed_response_keeps_the_text_so_far)
{
    const outcome o = read(transcripts::failed);
    const weft::model_error& e = failure_of(o);
    BOOST_TEST((e.code() == errc::model_stream_error));
    BOOST_TEST(e.failure().provider_code == "server_error");
    BOOST_TEST(e.detail().find("The model failed to generate a response.") != std::string::npos);
    BOOST_TEST(e.partial().message.text() == "The ans");
    BOOST_TEST(e.partial().id == "resp_3");
    BOOST_TEST((e.partial().stop == stop_reason::unfinished));
    BOOST_TEST(e.partial().request_id == "req_1");
    BOOST_TEST(!e.is_retryable());
}

BOOST_AUTO_TEST_CASE(a_call_that_the_limit_of_tokens_cut_is_not_executed)
{
    const outcome o = read(transcripts::incomplete);
    const weft::chat_reply& reply = reply_of(o);
    BOOST_TEST(reply.message.tool_calls.empty());
    BOOST_TEST((reply.stop == stop_reason::length));
    BOOST_TEST(reply.stop_detail == "max_output_tokens");
    BOOST_TEST(reply.usage.output.count() == 16);
    BOOST_REQUIRE(reply.warnings.size() == 1);
    BOOST_TEST(reply.warnings[0] == "a call of pay was dropped: it is incomplete");
}

BOOST_AUTO_TEST_CASE(a_truncated_stream_executes_nothing)
{
    const outcome o = read(transcripts::truncated);
    const weft::model_error& e = failure_of(o);
    BOOST_TEST((e.code() == errc::response_truncated));
    BOOST_TEST(e.partial().message.tool_calls.empty());
}

BOOST_AUTO_TEST_CASE(it_does_not_matter_where_a_stream_is_cut_into_pieces)
{
    for (const std::string_view body : all) piecewise::check_any_pieces(body, read_any);
}

BOOST_AUTO_TEST_CASE(a_stream_that_ends_after_any_byte_is_whole_or_harmless)
{
    for (const std::string_view body : all) piecewise::check_any_end(body, read_any);
}

BOOST_AUTO_TEST_SUITE_END()
