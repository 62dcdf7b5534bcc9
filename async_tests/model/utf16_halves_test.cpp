#include <boost/test/unit_test.hpp>

#include "stream_reader.hpp"

#include <weft/base/utf8.hpp>

#include <boost/json/serialize.hpp>

#include <string>

// Servers that count in UTF-16 units cut characters in two.

BOOST_AUTO_TEST_SUITE(utf16_halves_test)

using weft::errc;

namespace {

const std::string grin = "\xF0\x9F\x98\x80";  // U+1F600, \ud83d\ude00
const std::string unknown = "\xEF\xBF\xBD";

/** The text that the sink was given, which must be that of the reply. */
std::string text_after(std::initializer_list<std::string_view> chunks)
{
    const outcome o = read_stream(events(chunks));
    BOOST_TEST(o.sink.text == reply_of(o).message.text());
    BOOST_TEST(weft::is_valid_utf8(o.sink.text));
    return o.sink.text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_character_that_is_cut_between_two_texts_is_joined)
{
    BOOST_TEST(text_after({delta(R"({"content":"a\ud83d"})"), delta(R"({"content":"\ude00b"})", "stop")}) ==
               "a" + grin + "b");
    // What is no text in between does not matter.
    BOOST_TEST(text_after({delta(R"({"content":"\ud83d"})"), delta(R"({"content":""})"), R"({"choices":[]})",
                           delta(R"({"reasoning":"hm"})"), delta(R"({"content":"\uDE00"})"), delta("{}", "stop")}) ==
               grin);
    // Neither does what stands in the same chunk, escaped or not.
    BOOST_TEST(text_after({delta(R"({"content":"\ud83d\ude00 \\ud83d \"é\" \ud83d"})"),
                           delta(R"({"content":"\ude00\ud83d"})"), delta(R"({"content":"\ude00"})", "stop")}) ==
               grin + " \\ud83d \"\xC3\xA9\" " + grin + grin);
}

BOOST_AUTO_TEST_CASE(a_half_that_stays_alone_becomes_a_replacement_character)
{
    BOOST_TEST(text_after({delta(R"({"content":"\ude00a\ud83d"})"), delta(R"({"content":"b"})", "stop")}) ==
               unknown + "a" + unknown + "b");
    BOOST_TEST(text_after({delta(R"({"content":"\ud83d"})"), delta(R"({"content":"\ud83d"})"),
                           delta(R"({"content":"\ude00"})", "stop")}) == unknown + grin);
    // At the end, the sink hears of it too.
    BOOST_TEST(text_after({delta(R"({"content":"a\ud83d"})"), delta("{}", "stop")}) == "a" + unknown);
    BOOST_TEST(text_after({delta(R"({"content":"a\ud83d"})", "stop")}) == "a" + unknown);
}

BOOST_AUTO_TEST_CASE(a_half_is_no_reason_to_wait_for_a_finish_reason)
{
    weft::openai_profile lax;
    lax.done_implies_stop = true;
    const outcome o = read_stream(events({delta(R"({"content":"a\ud83d"})")}), {.profile = lax});
    BOOST_TEST(reply_of(o).message.text() == "a" + unknown);
    BOOST_TEST(o.sink.text == "a" + unknown);
    // What is cut off by the end of the stream was half a character, which was never delivered.
    const outcome cut = read_stream(events({delta(R"({"content":"a\ud83d"})")}, ""));
    BOOST_TEST((failure_of(cut).code() == errc::response_truncated));
    BOOST_TEST(failure_of(cut).partial().message.text() == "a");
}

BOOST_AUTO_TEST_CASE(each_text_has_its_own_halves)
{
    const outcome o = read_stream(
        events({delta(R"({"reasoning":"r\ud83d","content":"c\ud83d","refusal":"f\ud83d"})"),
                delta(R"({"refusal":"\ude00","content":"\ude00","reasoning":"\ude00"})", "stop")}));
    BOOST_TEST(reply_of(o).message.reasoning() == "r" + grin);
    BOOST_TEST(reply_of(o).message.text() == "c" + grin);
    BOOST_TEST(reply_of(o).message.refusal() == "f" + grin);
    BOOST_TEST(o.sink.reasoning == "r" + grin);
    BOOST_TEST(o.sink.refusal == "f" + grin);
}

BOOST_AUTO_TEST_CASE(arguments_of_tools_are_joined_for_each_call)
{
    const outcome o = read_stream(events({
        delta(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":\"\ud83d"}},)"
              R"({"index":1,"id":"b","function":{"name":"g","arguments":"{\"y\":\"\ud83d"}}]})"),
        delta(R"({"tool_calls":[{"index":1,"function":{"arguments":"\ude00\"}"}},)"
              R"({"index":0,"function":{"arguments":"\"}"}}]})"),
        delta("{}", "tool_calls"),
    }));
    const auto& calls = reply_of(o).message.tool_calls;
    BOOST_REQUIRE(calls.size() == 2);
    BOOST_TEST(calls[0].arguments == R"({"x":")" + unknown + R"("})");
    BOOST_TEST(calls[1].arguments == R"({"y":")" + grin + R"("})");
    BOOST_TEST(o.sink.calls.at(1).arguments == calls[1].arguments);

    const outcome as_object = read_stream(events({
        delta(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":{"text":"\ud83d"}}}]})"),
        delta("{}", "tool_calls"),
    }));
    BOOST_TEST(reply_of(as_object).message.tool_calls.at(0).arguments == R"({"text":")" + unknown + R"("})");
}

BOOST_AUTO_TEST_CASE(arguments_that_end_with_a_half_end_with_a_replacement_character)
{
    const outcome o = read_stream(events({
        delta(R"({"tool_calls":[{"index":0,"id":"a","type":"custom","custom":{"name":"f","input":"x\ud83d"}}]})"),
        delta("{}", "tool_calls"),
    }));
    BOOST_TEST(reply_of(o).message.tool_calls.at(0).arguments == "x" + unknown);
    BOOST_TEST(o.sink.calls.at(0).arguments == "x" + unknown);
}

BOOST_AUTO_TEST_CASE(what_does_not_come_in_pieces_keeps_no_halves)
{
    const outcome o = read_stream(
        events({R"({"id":"\ud83d","model":"m\ude00","choices":[{"index":0,"delta":{"reasoning_details":[)"
                R"({"type":"reasoning.text","text":"a\ud83d","index":0,"\ud83d":"\ud83d"}]}}]})",
                delta(R"({"reasoning_details":[{"type":"reasoning.text","text":"\ude00b","index":0}]})"),
                delta(R"({"content":"c"})", "stop")}),
        {.profile = weft::openai_profiles::openrouter()});
    BOOST_TEST(reply_of(o).id == unknown);
    BOOST_TEST(reply_of(o).model == "m" + unknown);
    const auto& kept = reply_of(o).message.provider;
    BOOST_REQUIRE(kept);
    const std::string fields = boost::json::serialize(kept->fields);
    BOOST_TEST(weft::is_valid_utf8(fields));
    BOOST_TEST(fields.find("\"text\":\"a" + grin + "b\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(errors_keep_no_halves)
{
    const outcome o = read_stream(events({R"({"error":{"message":"bad \ud83d","text":"\ud83d"}})"}));
    BOOST_TEST(std::string{failure_of(o).what()}.find("bad " + unknown) != std::string::npos);
    BOOST_TEST(weft::is_valid_utf8(failure_of(o).what()));
}

BOOST_AUTO_TEST_CASE(a_document_may_have_halves_too)
{
    const outcome o = read_document(
        R"({"choices":[{"index":0,"message":{"content":"a\ud83d"},"finish_reason":"stop"}]})");
    BOOST_TEST(reply_of(o).message.text() == "a" + unknown);
    BOOST_TEST(o.sink.text == "a" + unknown);
}

BOOST_AUTO_TEST_CASE(halves_excuse_nothing_else)
{
    for (const char* body : {R"({"choices":"\ud83d)", R"({"choices":"\ud83d"}})", R"({"choices":"\ud83g"})",
                             "{\"choices\":\"\\ud83d \xED\xA0\xBD\"}", "{\"choices\":\"\\ud83d \xFF\"}"}) {
        const weft::model_error failure = failure_of(read_document(body));
        BOOST_TEST((failure.code() == errc::invalid_model_reply), body);
        BOOST_TEST(std::string{failure.what()}.find("not JSON") != std::string::npos, failure.what());
    }
}

BOOST_AUTO_TEST_CASE(an_event_that_the_end_cuts_counts_with_its_half)
{
    std::string body = events({delta(R"({"content":"a\ud83d"})", "stop")}, "");
    body.resize(body.size() - 2);
    BOOST_TEST(reply_of(read_stream(body)).message.text() == "a" + unknown);
}

BOOST_AUTO_TEST_SUITE_END()
