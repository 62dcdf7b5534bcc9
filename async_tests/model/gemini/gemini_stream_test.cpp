#include <boost/test/unit_test.hpp>

#include "model/gemini_reader.hpp"

#include <weft/base/json.hpp>

#include <boost/json/serialize.hpp>

BOOST_AUTO_TEST_SUITE(gemini_stream_test)

using namespace gemini_reading;
using weft::errc;
using weft::stop_reason;

namespace {

constexpr std::string_view call = R"({"functionCall":{"name":"f","args":{"x":1}}})";

std::string provider_of(const weft::chat_reply& reply)
{
    return reply.message.provider ? boost::json::serialize(reply.message.provider->fields) : "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(pieces_of_text_become_one)
{
    const outcome o = reader.read(stream_of({chunk(text("a") + "," + text("b")), chunk(text("")), chunk(""),
                                             chunk(text("c"), "STOP")}));
    BOOST_TEST((reply_of(o).message == weft::message::assistant("abc")));
    BOOST_TEST(o.sink.text == "abc");
}

BOOST_AUTO_TEST_CASE(a_call_may_lack_everything_but_its_name)
{
    const outcome o = reader.read(stream_of({chunk(R"({"functionCall":{"name":"now"}})"), chunk("", "STOP")}));
    const weft::chat_reply& reply = reply_of(o);
    BOOST_REQUIRE(reply.message.tool_calls.size() == 1);
    BOOST_TEST(reply.message.tool_calls[0].arguments == "{}");
    BOOST_TEST(!reply.message.tool_calls[0].id.empty());
    BOOST_TEST(o.sink.calls.at(0).arguments == "{}");
    BOOST_TEST(!reply.message.provider);
    BOOST_TEST((reply.stop == stop_reason::tool_calls));
    const outcome nameless = reader.read(stream_of({chunk(R"({"functionCall":{"args":{"x":1}}})", "STOP")}));
    BOOST_TEST((failure_of(nameless).code() == errc::invalid_model_reply));
}

BOOST_AUTO_TEST_CASE(an_id_of_the_provider_is_kept_and_marked)
{
    const outcome o = reader.read(
        stream_of({chunk(R"({"functionCall":{"id":"c1","name":"f"}},{"functionCall":{"name":"g"}})", "STOP")}));
    const weft::chat_reply& reply = reply_of(o);
    BOOST_TEST(reply.message.tool_calls.at(0).id == "c1");
    BOOST_TEST(o.sink.calls.at(0).id == "c1");
    BOOST_TEST(provider_of(reply) == R"({"parts":[{"call":"c1","has_id":true},{"call":")" +
                                         reply.message.tool_calls.at(1).id + R"(","has_id":false}]})");
}

BOOST_AUTO_TEST_CASE(calls_come_in_one_chunk_or_in_several)
{
    for (const std::string& body : {stream_of({chunk(std::string{call} + "," + std::string{call}), chunk("", "STOP")}),
                                    stream_of({chunk(call), chunk(call, "STOP")})}) {
        const outcome o = reader.read(body);
        BOOST_REQUIRE(reply_of(o).message.tool_calls.size() == 2);
        BOOST_TEST(o.reply->message.tool_calls[0].id != o.reply->message.tool_calls[1].id);
    }
}

BOOST_AUTO_TEST_CASE(a_signature_stays_with_its_part)
{
    const outcome o = reader.read(
        stream_of({chunk(text("a")), chunk(R"({"text":"","thoughtSignature":"s1"})"), chunk(text("b")),
                   chunk(R"({"text":"c","thoughtSignature":"s2"})"), chunk(text("d"), "STOP")}));
    BOOST_TEST(reply_of(o).message.text() == "abcd");
    BOOST_TEST(provider_of(*o.reply) == R"({"parts":[{"text":"a"},{"text":"","thoughtSignature":"s1"},{"text":"b"},)"
                                        R"({"text":"c","thoughtSignature":"s2"},{"text":"d"}]})");
}

BOOST_AUTO_TEST_CASE(what_has_no_neutral_form_goes_back_as_it_came)
{
    const outcome o = reader.read(stream_of(
        {chunk(R"({"executableCode":{"language":"PYTHON","code":"1+1"}},{"codeExecutionResult":{"output":"2"}})"),
         chunk(R"({"inlineData":{"mimeType":"image/png","data":"aGk="}})"), chunk(text("two"), "STOP")}));
    const weft::chat_reply& reply = reply_of(o);
    BOOST_TEST(provider_of(reply) ==
               R"({"parts":[{"executableCode":{"language":"PYTHON","code":"1+1"}},)"
               R"({"codeExecutionResult":{"output":"2"}},{"inlineData":{"mimeType":"image/png","data":"aGk="}},)"
               R"({"text":"two"}]})");
    const weft::content_part picture = weft::image_part{.data = weft::image_data{"image/png", "aGk="}};
    BOOST_TEST((reply.message.content.at(0) == picture));
    BOOST_TEST(reply.message.text() == "two");
}

BOOST_AUTO_TEST_CASE(each_finish_reason_has_its_meaning)
{
    const std::pair<std::string_view, stop_reason> cases[] = {
        {"STOP", stop_reason::stop},
        {"MAX_TOKENS", stop_reason::length},
        {"SAFETY", stop_reason::content_filter},
        {"RECITATION", stop_reason::content_filter},
        {"BLOCKLIST", stop_reason::content_filter},
        {"PROHIBITED_CONTENT", stop_reason::content_filter},
        {"SPII", stop_reason::content_filter},
        {"IMAGE_SAFETY", stop_reason::content_filter},
        {"LANGUAGE", stop_reason::unknown},
        {"NO_IMAGE", stop_reason::unknown},
        {"CONTINUATION", stop_reason::paused},
        {"SOMETHING_NEW", stop_reason::unknown},
    };
    for (const auto& [word, meaning] : cases) {
        const outcome o = reader.read(stream_of({chunk(text("a")), chunk("", word)}));
        BOOST_TEST_CONTEXT(word) {
            BOOST_TEST((reply_of(o).stop == meaning));
            BOOST_TEST(o.reply->stop_detail == word);
            BOOST_TEST(o.reply->message.text() == "a");
        }
    }
    const outcome none = reader.read(stream_of({chunk(text("a"), "FINISH_REASON_UNSPECIFIED")}));
    BOOST_TEST((failure_of(none).code() == errc::response_truncated));
}

BOOST_AUTO_TEST_CASE(a_model_that_gave_up_may_be_asked_again)
{
    for (const char* word :
         {"MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "OTHER"}) {
        const weft::model_error e = failure_of(reader.read(stream_of({chunk("", word)})));
        BOOST_TEST((e.code() == errc::model_stream_error));
        BOOST_TEST(e.is_retryable());
        BOOST_TEST(e.detail().find(word) != std::string::npos);
        const outcome late = reader.read(stream_of({chunk(text("a") + "," + std::string{call}, word)}));
        BOOST_TEST(!failure_of(late).is_retryable());
        BOOST_TEST(late.failure->partial().message.text() == "a");
        BOOST_TEST(late.failure->partial().message.tool_calls.empty());
    }
    const weft::model_error why = failure_of(reader.read(
        stream_of({R"({"candidates":[{"finishReason":"OTHER","finishMessage":"no idea"}]})"})));
    BOOST_TEST(why.detail() == "the model gave up (finish reason OTHER): no idea");
}

BOOST_AUTO_TEST_CASE(chunks_may_follow_the_finish_reason)
{
    const outcome o = reader.read(
        stream_of({chunk(text("a"), "STOP"),
                   R"({"usageMetadata":{"promptTokenCount":7,"toolUsePromptTokenCount":2,"cachedContentTokenCount":3,)"
                   R"("candidatesTokenCount":1}})"}));
    BOOST_TEST(reply_of(o).usage.input.count() == 9);
    BOOST_TEST(o.reply->usage.cached.count() == 3);
    BOOST_TEST(o.reply->usage.output.count() == 1);
    BOOST_TEST(reply_of(reader.read(stream_of({chunk(text("a"), "STOP")}))).usage.unreported == 1);
}

BOOST_AUTO_TEST_CASE(only_the_first_candidate_counts)
{
    const outcome o = reader.read(stream_of(
        {R"({"candidates":[{"index":1,"content":{"parts":[{"text":"b"}]}},)"
         R"({"index":0,"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]})",
         R"({"candidates":[{"index":1,"finishReason":"STOP"}]})"}));
    BOOST_TEST(reply_of(o).message.text() == "b");
}

BOOST_AUTO_TEST_CASE(what_is_missing_or_of_another_type_is_not_given)
{
    const outcome o = reader.read(stream_of(
        {"{}", R"({"candidates":null})", R"({"candidates":[null,{"content":null},{"content":{"parts":null}}]})",
         R"({"candidates":[{"content":{"parts":[7,{},{"text":null},{"text":"a","thought":"yes"}]},"index":null}]})",
         chunk("", "STOP")}));
    BOOST_TEST(reply_of(o).message.text() == "a");
}

BOOST_AUTO_TEST_CASE(errors_come_in_several_shapes)
{
    const std::string_view error = R"({"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}})";
    for (const std::string& body :
         {stream_of({error}), stream_of({"[" + std::string{error} + "]"}), std::string{error} + "\n",
          "[" + std::string{error} + "]\n", "event: error\ndata: " + std::string{error} + "\n\n"}) {
        const weft::model_error e = failure_of(reader.read(body));
        BOOST_TEST((e.code() == errc::model_overloaded));
        BOOST_TEST(e.failure().status == 503);
        BOOST_TEST(e.is_retryable());
    }
    const outcome late = reader.read(stream_of({chunk(text("a")), error}));
    BOOST_TEST((failure_of(late).code() == errc::model_stream_error));
    BOOST_TEST(late.failure->partial().message.text() == "a");
}

BOOST_AUTO_TEST_CASE(a_document_is_a_reply_too)
{
    const outcome o = reader.read_document(chunk(text("a") + "," + std::string{call}, "STOP"));
    BOOST_TEST(reply_of(o).message.text() == "a");
    BOOST_TEST(o.reply->message.tool_calls.size() == 1);
    const outcome list =
        reader.read_document(" [" + chunk(text("a")) + ",\r\n" + chunk(text("b"), "STOP") + "]");
    BOOST_TEST(reply_of(list).message.text() == "ab");
    BOOST_TEST(list.sink.text == "ab");
    BOOST_TEST((reply_of(reader.read_document(R"({"promptFeedback":{"blockReason":"OTHER"}})")).stop ==
                stop_reason::content_filter));

    const weft::model_error error = failure_of(
        reader.read_document(R"([{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}])"));
    BOOST_TEST((error.code() == errc::model_rate_limited));
    BOOST_TEST((error.failure().phase == weft::model_phase::response));
    for (const std::string_view body : {"{}", "[]", "", "[7]", "7", "[{"})
        BOOST_TEST((failure_of(reader.read_document(body)).code() == errc::invalid_model_reply));
}

BOOST_AUTO_TEST_CASE(what_is_no_chunk_is_refused)
{
    for (const std::string_view body : {"data: {\"a\":\n\n", "data: 7\n\n", "data: [7]\n\n", "data: [{]\n\n"})
        BOOST_TEST((failure_of(reader.read(body)).code() == errc::invalid_model_reply));
}

BOOST_AUTO_TEST_CASE(a_reply_has_limits)
{
    reading how;
    how.limits = {.text_bytes_max = 4, .tool_calls_max = 1, .argument_bytes_max = 12};
    const auto code = [&](const std::string& parts) {
        return failure_of(reader.read(stream_of({chunk(parts, "STOP")}), how)).code();
    };
    BOOST_TEST((code(text("12345")) == errc::response_too_large));
    BOOST_TEST((code(R"({"functionCall":{"name":"f"}},{"functionCall":{"name":"f"}})") == errc::response_too_large));
    BOOST_TEST((code(R"({"functionCall":{"name":"f","args":{"x":"123456789"}}})") == errc::response_too_large));
    BOOST_TEST((code(R"({"fileData":{"fileUri":"https://x"}})") == errc::response_too_large));
    how.limits = {};
    BOOST_TEST((failure_of(reader.read(stream_of({"[" + chunk(text(std::string(5000, 'x'))) + "]"}),
                                       {.limits = {.text_bytes_max = 4}}))
                    .code() == errc::response_too_large));
}

BOOST_AUTO_TEST_CASE(characters_that_are_cut_in_two_are_joined)
{
    const outcome o = reader.read(stream_of({chunk(text("a\\ud83d")), chunk(text("\\ude00\\ud83d"), "STOP")}));
    BOOST_TEST(reply_of(o).message.text() == "a\U0001F600\uFFFD");
    BOOST_TEST(o.sink.text == "a\U0001F600\uFFFD");
}

BOOST_AUTO_TEST_CASE(a_stopped_call_is_cancelled_even_when_the_reply_was_complete)
{
    const auto stream = weft::model_detail::gemini_reader(test_reply_options({}), settings, test_key);
    weft::no_sink sink;
    const std::string data = chunk(text("a"), "STOP");
    BOOST_TEST(stream->feed({.type = "message", .data = data, .id = {}, .error = {}}, sink));
    BOOST_CHECK_EXCEPTION((void)stream->finish_after(weft::error{errc::cancelled}), weft::model_error,
                          [](const weft::model_error& e) { return e.code() == errc::cancelled; });
}

BOOST_AUTO_TEST_SUITE_END()
