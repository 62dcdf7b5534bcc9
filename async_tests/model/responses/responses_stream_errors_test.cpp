#include <boost/test/unit_test.hpp>

#include "model/responses_reader.hpp"

BOOST_AUTO_TEST_SUITE(responses_stream_errors_test)

using responses_reader::completed;
using responses_reader::read;
using responses_reader::read_document;
using responses_reader::stream_of;
using weft::errc;

namespace {

constexpr std::string_view hello = R"({"type":"response.output_text.delta","output_index":0,"delta":"Hello"})";

}  // namespace

BOOST_AUTO_TEST_CASE(errors_have_two_shapes)
{
    for (const std::string_view report :
         {R"({"type":"error","code":"rate_limit_exceeded","message":"slow down","param":null,"sequence_number":2})",
          R"({"type":"error","error":{"type":"x","code":"rate_limit_exceeded","message":"slow down"}})",
          R"({"error":{"code":"rate_limit_exceeded","message":"slow down"}})"}) {
        const weft::model_error early = failure_of(read(stream_of({report})));
        BOOST_TEST((early.code() == errc::model_rate_limited));
        BOOST_TEST(early.failure().provider_code == "rate_limit_exceeded");
        BOOST_TEST(early.detail().find("slow down") != std::string::npos);
        BOOST_TEST(early.is_retryable());
        const weft::model_error late = failure_of(read(stream_of({hello, report})));
        BOOST_TEST((late.code() == errc::model_stream_error));
        BOOST_TEST(late.partial().message.text() == "Hello");
        BOOST_TEST(!late.is_retryable());
    }
}

BOOST_AUTO_TEST_CASE(an_error_may_be_marked_by_the_name_of_its_event_only)
{
    const weft::model_error e = failure_of(read("event: error\ndata: {\"message\":\"boom\"}\n\n"));
    BOOST_TEST(e.detail().find("boom") != std::string::npos);
    const weft::model_error text = failure_of(read("event: error\ndata: out of order\n\n"));
    BOOST_TEST(text.detail().find("out of order") != std::string::npos);
    const weft::model_error field = failure_of(read("error: {\"code\":503,\"message\":\"loading\"}\n\n"));
    BOOST_TEST((field.code() == errc::model_overloaded));
}

BOOST_AUTO_TEST_CASE(a_response_that_failed_or_was_cancelled_is_no_reply)
{
    const weft::model_error failed = failure_of(read(stream_of(
        {R"({"type":"response.failed","response":{"status":"failed",)"
         R"("error":{"code":"server_is_overloaded","message":"x"},"usage":{"input_tokens":3,"output_tokens":0}}})"})));
    BOOST_TEST((failed.code() == errc::model_overloaded));
    BOOST_TEST(failed.is_retryable());
    BOOST_TEST(failed.partial().usage.input.count() == 3);
    const weft::model_error silent = failure_of(read(stream_of({R"({"type":"response.failed"})"})));
    BOOST_TEST((silent.code() == errc::model_stream_error));
    BOOST_TEST(silent.is_retryable());
    const weft::model_error cancelled =
        failure_of(read(stream_of({hello, R"({"type":"response.cancelled","response":{"status":"cancelled"}})"})));
    BOOST_TEST((cancelled.code() == errc::model_stream_error));
    BOOST_TEST(!cancelled.failure().is_transient);
    BOOST_TEST(cancelled.partial().message.text() == "Hello");
    // The response knows better than the event how it ended.
    const outcome other = read(stream_of({R"({"type":"response.completed","response":{"status":"failed"}})"}));
    BOOST_TEST((failure_of(other).code() == errc::model_stream_error));
}

BOOST_AUTO_TEST_CASE(nothing_but_the_end_of_the_response_completes_it)
{
    BOOST_TEST((failure_of(read(stream_of({hello, "[DONE]"}))).code() == errc::response_truncated));
    BOOST_TEST((failure_of(read("")).code() == errc::response_truncated));
    piecewise::pieces broken;
    broken.transport_failure = weft::error{errc::connection_lost};
    const outcome whole = read(stream_of({hello, completed()}), broken);
    BOOST_TEST(reply_of(whole).message.text() == "Hello");
}

BOOST_AUTO_TEST_CASE(a_stop_wins_over_a_reply_that_is_complete)
{
    const weft::secret_string key;
    const weft::responses_settings settings;
    const auto stream = weft::model_detail::responses_reader(piecewise::reading(), settings, key);
    weft::no_sink sink;
    const std::string end = completed();
    BOOST_TEST(!stream->feed({.type = "message", .data = end, .id = {}, .error = {}}, sink));
    BOOST_CHECK_EXCEPTION((void)stream->finish_after(weft::error{errc::cancelled}), weft::model_error,
                          [](const weft::model_error& e) { return e.code() == errc::cancelled; });
}

BOOST_AUTO_TEST_CASE(what_is_no_event_is_refused)
{
    BOOST_TEST((failure_of(read(stream_of({hello, "{"}))).code() == errc::invalid_model_reply));
    BOOST_TEST((failure_of(read(stream_of({"[1]"}))).code() == errc::invalid_model_reply));
    const outcome key = read(stream_of({"no JSON but " + std::string{piecewise::secret}}));
    BOOST_TEST(std::string{failure_of(key).what()}.find("0123456789") == std::string::npos);
    BOOST_TEST(failure_of(key).detail().find("no JSON but ***") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(members_of_another_type_are_not_given)
{
    const outcome o = read(stream_of(
        {R"({"type":"response.created","response":[]})", R"({"type":"response.output_item.added","item":5})",
         R"({"type":"response.output_item.done","output_index":"x","item":null})",
         R"({"type":"response.output_text.delta","output_index":0,"delta":null})",
         R"({"type":"response.output_text.delta","output_index":0.0,"delta":"Hi"})",
         R"({"type":"response.function_call_arguments.delta","output_index":0,"delta":"{"})",
         R"({"type":"response.completed","response":{"usage":[],"output":[null,{"type":7}],"status":4}})"}));
    BOOST_TEST(reply_of(o).stop_detail == "completed");
    BOOST_TEST(reply_of(o).usage.unreported == 1);
}

BOOST_AUTO_TEST_CASE(an_index_out_of_all_proportion_is_not_given)
{
    const std::string last = R"({"type":"response.output_text.delta","output_index":9223372036854775807,"delta":"a"})";
    const outcome o = read(stream_of({last, R"({"type":"response.output_item.added","item":{"type":"reasoning"}})",
                                      R"({"type":"response.output_text.delta","item_id":"x","delta":"b"})",
                                      completed()}));
    BOOST_TEST(reply_of(o).message.text() == "ab");
}

BOOST_AUTO_TEST_CASE(everything_has_a_limit)
{
    const weft::reply_limits small{.text_bytes_max = 8, .tool_calls_max = 2, .argument_bytes_max = 8};
    const auto code = [&](const std::string& body) { return failure_of(read(body, {}, small)).code(); };
    BOOST_TEST((code(stream_of({hello, hello})) == errc::response_too_large));
    std::string calls;
    for (const char* index : {"0", "1", "2"})
        calls += stream_of({R"({"type":"response.output_item.added","output_index":)" + std::string{index} +
                            R"(,"item":{"type":"function_call","name":"f"}})"});
    BOOST_TEST((code(calls) == errc::response_too_large));
    const std::string arguments =
        R"({"type":"response.function_call_arguments.delta","output_index":0,"delta":"12345"})";
    BOOST_TEST((code(stream_of({arguments, arguments})) == errc::response_too_large));
    const std::string raw = R"({"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning",)"
                            R"("encrypted_content":"0123456789012345678901234567890123456789"}})";
    BOOST_TEST((code(stream_of({raw})) == errc::response_too_large));
    std::string items;
    for (int index = 0; index < 1025; ++index)
        items += stream_of({R"({"type":"response.output_item.added","output_index":)" + std::to_string(index) +
                            R"(,"item":{"type":"later"}})"});
    BOOST_TEST((failure_of(read(items)).code() == errc::response_too_large));
}

BOOST_AUTO_TEST_CASE(a_document_that_is_no_reply)
{
    const weft::model_error error = failure_of(read_document(R"({"error":{"message":"no credits","code":402}})"));
    BOOST_TEST((error.code() == errc::model_quota_exhausted));
    BOOST_TEST((error.failure().phase == weft::model_phase::response));
    BOOST_TEST((failure_of(read_document(R"({"id":"r","object":"response","status":"queued"})")).code() ==
                errc::invalid_model_reply));
    BOOST_TEST((failure_of(read_document("{}")).code() == errc::invalid_model_reply));
    BOOST_TEST((failure_of(read_document(R"({"object":"response","status":"failed","error":{"code":"server_error"}})"))
                    .code() == errc::model_overloaded));
}

BOOST_AUTO_TEST_SUITE_END()
