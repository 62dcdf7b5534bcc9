#include <boost/test/unit_test.hpp>

#include "model/responses_reader.hpp"

#include <boost/json/serialize.hpp>

BOOST_AUTO_TEST_SUITE(responses_stream_test)

using responses_reader::completed;
using responses_reader::read;
using responses_reader::read_document;
using responses_reader::stream_of;
using weft::errc;
using weft::stop_reason;

namespace {

constexpr std::string_view created = R"({"type":"response.created","response":{"id":"r","model":"m"}})";
constexpr std::string_view hello = R"({"type":"response.output_text.delta","output_index":0,"delta":"Hello"})";

std::string message_of(std::string_view text)
{
    return R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":")" + std::string{text} +
           R"("}]})";
}

std::string call_of(std::string_view status, std::string_view arguments)
{
    return R"({"type":"function_call","call_id":"c","name":"f","status":")" + std::string{status} +
           R"(","arguments":")" + std::string{arguments} + R"("})";
}

std::string output_of(const outcome& o)
{
    const weft::chat_reply& reply = reply_of(o);
    return reply.message.provider ? boost::json::serialize(reply.message.provider->fields) : "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(items_are_told_apart_by_their_index_and_not_by_their_id)
{
    const outcome o = read(stream_of(
        {R"({"type":"response.output_item.added","output_index":0,)"
         R"("item":{"id":"a","type":"function_call","call_id":"c1","name":"f"}})",
         R"({"type":"response.output_item.added","output_index":1,)"
         R"("item":{"id":"a","type":"function_call","call_id":"c2","name":"g"}})",
         R"({"type":"response.function_call_arguments.delta","output_index":1,"item_id":"x","delta":"{\"b\":2}"})",
         R"({"type":"response.function_call_arguments.delta","output_index":0,"item_id":"y","delta":"{\"a\":1}"})",
         R"({"type":"response.function_call_arguments.done","output_index":0,"arguments":"{\"a\":1}"})",
         R"({"type":"response.function_call_arguments.done","output_index":1,"arguments":"{\"b\":2}"})", completed()}));
    const weft::chat_reply& reply = reply_of(o);
    BOOST_REQUIRE(reply.message.tool_calls.size() == 2);
    BOOST_TEST(reply.message.tool_calls[0].arguments == R"({"a":1})");
    BOOST_TEST(reply.message.tool_calls[1].name == "g");
    BOOST_TEST(reply.message.tool_calls[1].arguments == R"({"b":2})");
    BOOST_TEST(o.sink.calls.at(1).arguments == R"({"b":2})");
}

BOOST_AUTO_TEST_CASE(servers_that_give_no_index_are_understood)
{
    const outcome o = read(stream_of(
        {R"({"type":"response.output_item.added","item":{"id":"m1","type":"message"}})",
         R"({"type":"response.output_text.delta","item_id":"m1","delta":"He"})",
         R"({"type":"response.output_text.delta","delta":"llo"})", completed()}));
    BOOST_TEST(reply_of(o).message.text() == "Hello");
}

BOOST_AUTO_TEST_CASE(what_was_streamed_stands_in_for_an_empty_final_output)
{
    const outcome o = read(stream_of(
        {created, hello, R"({"type":"response.output_item.done","output_index":0,"item":)" + message_of("Hello") + "}",
         R"({"type":"response.output_item.done","output_index":1,"item":)" + call_of("completed", "{}") + "}",
         completed()}));
    const weft::chat_reply& reply = reply_of(o);
    BOOST_TEST(reply.message.text() == "Hello");
    BOOST_TEST(reply.message.tool_calls.size() == 1);
    BOOST_TEST((reply.stop == stop_reason::tool_calls));
    BOOST_TEST(reply.warnings.empty());
}

BOOST_AUTO_TEST_CASE(the_sink_gets_what_was_not_streamed)
{
    const std::string output = "[" + message_of("Hello there") + "," + call_of("completed", R"({\"x\":1})") + "]";
    const outcome o = read(stream_of({created, hello, completed(output)}));
    BOOST_TEST(reply_of(o).message.text() == "Hello there");
    BOOST_TEST(reply_of(o).warnings.empty());
    BOOST_TEST(o.sink.text == "Hello there");
    BOOST_TEST(o.sink.pieces == 2);
    BOOST_TEST(o.sink.calls.at(0).arguments == R"({"x":1})");
}

BOOST_AUTO_TEST_CASE(what_the_end_says_counts_and_a_difference_is_told)
{
    const outcome other = read(stream_of({created, hello, completed("[" + message_of("Bye") + "]")}));
    BOOST_TEST(reply_of(other).message.text() == "Bye");
    BOOST_TEST(reply_of(other).warnings.size() == 1);
    const outcome gone = read(stream_of({created, hello, completed("[" + call_of("completed", "{}") + "]")}));
    BOOST_TEST(reply_of(gone).message.text() == "");
    BOOST_TEST(reply_of(gone).warnings.size() == 1);
    const outcome arguments = read(stream_of(
        {R"({"type":"response.output_item.added","output_index":0,"item":)" + call_of("in_progress", "") + "}",
         R"({"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"x\":1"})",
         completed("[" + call_of("completed", R"({\"x\":2})") + "]")}));
    BOOST_TEST(reply_of(arguments).message.tool_calls.at(0).arguments == R"({"x":2})");
    BOOST_TEST(reply_of(arguments).warnings.size() == 1);
}

BOOST_AUTO_TEST_CASE(a_final_output_that_left_items_out_is_matched_by_their_kind)
{
    const outcome o = read(stream_of(
        {R"({"type":"response.reasoning_text.delta","output_index":0,"delta":"Hm."})",
         R"({"type":"response.output_text.delta","output_index":1,"delta":"Hello"})",
         completed("[" + message_of("Hello") + "]")}));
    BOOST_TEST(reply_of(o).message.text() == "Hello");
    BOOST_TEST(o.sink.text == "Hello");
    BOOST_TEST(reply_of(o).warnings.empty());
}

BOOST_AUTO_TEST_CASE(only_calls_that_are_complete_are_executed)
{
    const auto calls = [](std::string_view ending, const std::string& call) {
        const outcome o = read(stream_of({R"({"type":"response.)" + std::string{ending} +
                                          R"(","response":{"status":")" + std::string{ending} + R"(","output":[)" +
                                          call + "]}}"}));
        return reply_of(o).message.tool_calls.size();
    };
    BOOST_TEST(calls("completed", call_of("completed", "{}")) == 1);
    BOOST_TEST(calls("completed", call_of("completed", "")) == 1);
    BOOST_TEST(calls("completed", call_of("completed", "{no")) == 1);  // the model's mistake: it is told
    BOOST_TEST(calls("completed", call_of("", "{}")) == 1);
    BOOST_TEST(calls("completed", call_of("in_progress", "{}")) == 1);
    BOOST_TEST(calls("completed", call_of("in_progress", "{")) == 0);
    BOOST_TEST(calls("completed", call_of("incomplete", "{}")) == 0);
    BOOST_TEST(calls("incomplete", call_of("incomplete", "{}")) == 0);
    BOOST_TEST(calls("incomplete", call_of("completed", "{}")) == 1);
    BOOST_TEST(calls("incomplete", call_of("completed", "{")) == 0);
    BOOST_TEST(calls("incomplete", call_of("", "{")) == 0);
}

BOOST_AUTO_TEST_CASE(a_call_that_no_event_ended_must_be_a_whole_object)
{
    const auto calls = [](std::string_view arguments) {
        const outcome o = read(stream_of(
            {R"({"type":"response.output_item.added","output_index":0,"item":)" + call_of("in_progress", "") + "}",
             R"({"type":"response.function_call_arguments.delta","output_index":0,"delta":")" +
                 std::string{arguments} + R"("})",
             completed()}));
        return reply_of(o).message.tool_calls.size();
    };
    BOOST_TEST(calls(R"({\"x\":1})") == 1);
    BOOST_TEST(calls(R"({\"x\":1)") == 0);
    BOOST_TEST(calls("") == 0);
}

BOOST_AUTO_TEST_CASE(calls_with_free_text)
{
    const outcome o = read(stream_of(
        {R"({"type":"response.output_item.added","output_index":0,)"
         R"("item":{"type":"custom_tool_call","call_id":"c","name":"sh"}})",
         R"({"type":"response.custom_tool_call_input.delta","output_index":0,"delta":"ls "})",
         R"({"type":"response.custom_tool_call_input.delta","output_index":0,"delta":"-l"})",
         R"({"type":"response.custom_tool_call_input.done","output_index":0,"input":"ls -l"})", completed()}));
    const weft::chat_reply& reply = reply_of(o);
    BOOST_REQUIRE(reply.message.tool_calls.size() == 1);
    BOOST_TEST(reply.message.tool_calls[0].arguments == "ls -l");
    BOOST_TEST((reply.message.tool_calls[0].input == weft::tool_input::text));
    BOOST_TEST(o.sink.calls.at(0).arguments == "ls -l");
}

BOOST_AUTO_TEST_CASE(calls_without_an_id_get_one_and_calls_without_a_name_are_refused)
{
    const std::string nameless = R"([{"type":"function_call","call_id":"c","arguments":"{}"}])";
    BOOST_TEST((failure_of(read(stream_of({completed(nameless)}))).code() == errc::invalid_model_reply));
    const std::string two = R"([{"type":"function_call","name":"f","arguments":"{}"},)"
                            R"({"type":"function_call","name":"f","arguments":"{}"}])";
    const weft::chat_reply reply = reply_of(read(stream_of({completed(two)})));
    BOOST_TEST(reply.message.tool_calls.at(0).id.starts_with("call_"));
    BOOST_TEST(reply.message.tool_calls.at(0).id != reply.message.tool_calls.at(1).id);
}

BOOST_AUTO_TEST_CASE(reasoning_is_kept_for_its_provider)
{
    const std::string output =
        R"([{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"One."},)"
        R"({"type":"summary_text","text":"Two."}],"encrypted_content":"AAA"},)" +
        call_of("completed", "{}") + "]";
    const outcome o = read(stream_of(
        {R"({"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"One."})",
         R"({"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":1,"delta":"Tw"})",
         R"({"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":1,"delta":"o."})",
         completed(output)}));
    BOOST_TEST(reply_of(o).message.reasoning() == "One.\n\nTwo.");
    BOOST_TEST(o.sink.reasoning == "One.\n\nTwo.");
    BOOST_TEST(output_of(o) == R"({"output":)" + output + "}");
    BOOST_TEST(reply_of(o).message.provider->provider == "openai-responses");
    BOOST_TEST(reply_of(o).message.provider->model == "gpt-x");
}

BOOST_AUTO_TEST_CASE(items_that_are_unknown_are_kept_unless_the_response_is_incomplete)
{
    const std::string items = R"("output":[{"type":"web_search_call","id":"ws","status":"completed"},)" +
                              message_of("Hi") + "]";
    const auto body = [&](std::string_view ending) {
        return stream_of({R"({"type":"response.)" + std::string{ending} + R"(","response":{"status":")" +
                          std::string{ending} + "\"," + items + "}}"});
    };
    BOOST_TEST(output_of(read(body("completed"))) == "{" + items + "}");
    BOOST_TEST(output_of(read(body("incomplete"))) == "");
    BOOST_TEST(reply_of(read(body("incomplete"))).message.text() == "Hi");
    BOOST_TEST((reply_of(read(body("incomplete"))).stop == stop_reason::unknown));
}

BOOST_AUTO_TEST_CASE(refusals_are_parts_of_their_own)
{
    const std::string output = R"([{"type":"message","content":[{"type":"refusal","refusal":"No."}]}])";
    const outcome o = read(stream_of(
        {R"({"type":"response.refusal.delta","output_index":0,"delta":"No."})", completed(output)}));
    BOOST_TEST(reply_of(o).message.refusal() == "No.");
    BOOST_TEST(reply_of(o).message.text() == "");
    BOOST_TEST(o.sink.refusal == "No.");
}

BOOST_AUTO_TEST_CASE(unknown_events_signs_of_life_and_a_late_sentinel_are_ignored)
{
    const outcome o = read(": ping\n\ndata:\n\n" +
                           stream_of({created, R"({"type":"response.web_search_call.searching","output_index":3})",
                                      R"({"type":"response.content_part.added","output_index":0,"part":{}})",
                                      R"({"type":"later.invention","delta":"?"})", R"({"no":"type"})", hello,
                                      completed("[" + message_of("Hello") + "]"), "[DONE]"}));
    BOOST_TEST(reply_of(o).message.text() == "Hello");
    BOOST_TEST(reply_of(o).message.tool_calls.empty());
}

BOOST_AUTO_TEST_CASE(an_event_that_does_not_say_its_type_is_known_by_its_name)
{
    const outcome o = read("event: response.output_text.delta\ndata: {\"output_index\":0,\"delta\":\"Hi\"}\n\n"
                           "event: response.completed\ndata: {\"response\":{\"output\":[]}}\n\n");
    BOOST_TEST(reply_of(o).message.text() == "Hi");
}

BOOST_AUTO_TEST_CASE(halves_of_characters_are_joined)
{
    const outcome o = read(stream_of({R"({"type":"response.output_text.delta","output_index":0,"delta":"a\ud83d"})",
                                      R"({"type":"response.output_text.delta","output_index":0,"delta":"\ude00b"})",
                                      completed("[" + message_of("a😀b") + "]")}));
    BOOST_TEST(o.sink.text == "a😀b");
    BOOST_TEST(reply_of(o).message.text() == "a😀b");
    BOOST_TEST(reply_of(o).warnings.empty());
    const outcome lost =
        read(stream_of({R"({"type":"response.output_text.delta","output_index":0,"delta":"a\ud83d"})", completed()}));
    BOOST_TEST(reply_of(lost).message.text() == "a\xEF\xBF\xBD");
    BOOST_TEST(lost.sink.text == "a\xEF\xBF\xBD");
}

BOOST_AUTO_TEST_CASE(a_document_is_a_whole_reply)
{
    const outcome o = read_document(R"({"id":"r","object":"response","model":"m","status":"completed","error":null,)"
                                    R"("output":[)" + message_of("Hi") + "," + call_of("completed", "{}") +
                                    R"(],"usage":{"input_tokens":4,"output_tokens":1,)"
                                    R"("input_tokens_details":{"cached_tokens":2,"cache_write_tokens":1}}})");
    const weft::chat_reply& reply = reply_of(o);
    BOOST_TEST(reply.message.text() == "Hi");
    BOOST_TEST(reply.message.tool_calls.size() == 1);
    BOOST_TEST(reply.usage.cached.count() == 2);
    BOOST_TEST(reply.usage.cache_written.count() == 1);
    BOOST_TEST(o.sink.text == "Hi");
    BOOST_TEST(o.sink.started == "r/m");
    BOOST_TEST((reply_of(read_document(R"({"output":[]})")).stop == stop_reason::stop));
}

BOOST_AUTO_TEST_SUITE_END()
