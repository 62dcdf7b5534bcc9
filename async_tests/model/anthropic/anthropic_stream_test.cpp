#include <boost/test/unit_test.hpp>

#include "model/anthropic_reader.hpp"

#include <weft/base/json.hpp>

#include <boost/json/serialize.hpp>

BOOST_AUTO_TEST_SUITE(anthropic_stream_test)

using namespace anthropic_reading;
using weft::errc;
using weft::stop_reason;
namespace json = boost::json;

namespace {

constexpr std::string_view call_begins =
    R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"f","input":{}}})";

constexpr std::string_view block_ends = R"({"type":"content_block_stop","index":0})";

std::string arguments(std::string_view escaped_json)
{
    return R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":")" +
           std::string{escaped_json} + R"("}})";
}

std::string provider_of(const weft::chat_reply& reply)
{
    return reply.message.provider ? json::serialize(reply.message.provider->fields) : "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_ping_may_be_anywhere)
{
    const std::string_view ping = R"({"type":"ping"})";
    const outcome o = reader.read(
        stream_of({ping, begun, ping, text_begins, ping, text("Hi"), ping, stops("end_turn"), ping, stopped}));
    BOOST_TEST(reply_of(o).message.text() == "Hi");
    const weft::model_error e = failure_of(reader.read(stream_of({ping, ping})));
    BOOST_TEST((e.code() == errc::response_truncated));
    BOOST_TEST(e.is_retryable());
}

BOOST_AUTO_TEST_CASE(what_is_unknown_is_ignored)
{
    const outcome o = reader.read(
        stream_of({R"({"type":"weather_report","index":0})", R"({"no":"type"})", begun, text_begins,
                R"({"type":"content_block_delta","index":0,"delta":{"type":"smell_delta","smell":"rose"}})",
                R"({"type":"content_block_delta","index":0,"delta":null})",
                R"({"type":"content_block_delta","index":0})",
                text("Hi"), R"({"type":"content_block_stop"})", stops("end_turn"), stopped}));
    BOOST_TEST(reply_of(o).message.text() == "Hi");
    BOOST_TEST(reply_of(o).warnings.empty());
}

BOOST_AUTO_TEST_CASE(a_delta_of_an_unknown_block_is_dropped_with_one_warning)
{
    const outcome o = reader.read(
        stream_of({begun, text("lost", 3), text("lost", 3), text_begins, text("Hi"), stops("end_turn"), stopped}));
    BOOST_TEST(reply_of(o).message.text() == "Hi");
    BOOST_TEST(reply_of(o).warnings.size() == 1);
}

BOOST_AUTO_TEST_CASE(a_delta_of_another_kind_than_its_block_is_ignored)
{
    const outcome o =
        reader.read(stream_of({begun, text_begins, arguments("{}"), text("Hi"), stops("end_turn"), stopped}));
    BOOST_TEST(reply_of(o).message.text() == "Hi");
    BOOST_TEST(reply_of(o).message.tool_calls.empty());
}

BOOST_AUTO_TEST_CASE(counts_replace_each_other_and_null_replaces_nothing)
{
    const outcome o = reader.read(
        stream_of({begun, text_begins, text("Hi"),
                R"({"type":"message_delta","delta":{},"usage":{"input_tokens":null,"cache_read_input_tokens":4,)"
                R"("cache_creation_input_tokens":null,"output_tokens":3}})",
                R"({"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7,)"
                R"("output_tokens_details":{"thinking_tokens":2}}})",
                stopped}));
    const weft::usage& used = reply_of(o).usage;
    BOOST_TEST(used.input.count() == 13);
    BOOST_TEST(used.cached.count() == 4);
    BOOST_TEST(used.output.count() == 7);
    BOOST_TEST(used.reasoning.count() == 2);
    const outcome nothing =
        reader.read(stream_of({text_begins, text("Hi"),
                               R"({"type":"message_delta","delta":{"stop_reason":"end_turn"}})", stopped}));
    BOOST_TEST(reply_of(nothing).usage.unreported == 1);
}

BOOST_AUTO_TEST_CASE(the_last_signature_of_a_block_counts)
{
    const auto sign = [](std::string_view signature) {
        return R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":")" +
               std::string{signature} + R"("}})";
    };
    const outcome o = reader.read(
        stream_of({begun,
                   R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"a"}})",
                R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"b"}})",
                sign("one"), sign("two"), stops("end_turn"), stopped}));
    const weft::content_part thought = weft::reasoning_part{"ab", "two"};
    BOOST_TEST((reply_of(o).message.content.front() == thought));
}

BOOST_AUTO_TEST_CASE(what_a_gateway_appends_is_ignored)
{
    const std::string body = stream_of({begun, text_begins, text("Hi"), stops("end_turn"), stopped});
    BOOST_TEST(reply_of(reader.read(body + "event: data\ndata: [DONE]\n\n")).message.text() == "Hi");
    BOOST_TEST(reply_of(reader.read(body + "event: data\ndata: nonsense\n\n")).message.text() == "Hi");
    const outcome early = reader.read(stream_of({begun, text_begins, text("Hi"), stops("end_turn"), "[DONE]"}));
    BOOST_TEST((failure_of(early).code() == errc::response_truncated));
    const outcome silent = reader.read(stream_of({begun, text_begins, text("Hi"), stopped}));
    BOOST_TEST((failure_of(silent).code() == errc::response_truncated));
    BOOST_TEST(failure_of(silent).detail() == "the message ended without a stop reason");
}

BOOST_AUTO_TEST_CASE(empty_input_is_an_empty_object)
{
    for (const std::string& body :
         {stream_of({begun, call_begins, stops("tool_use"), stopped}),
          stream_of({begun, call_begins, arguments(""), block_ends, stops("tool_use"), stopped})}) {
        const outcome o = reader.read(body);
        BOOST_REQUIRE(reply_of(o).message.tool_calls.size() == 1);
        BOOST_TEST(o.reply->message.tool_calls[0].arguments == "{}");
        BOOST_TEST((o.reply->stop == stop_reason::tool_calls));
    }
}

BOOST_AUTO_TEST_CASE(input_may_stand_in_the_beginning_of_its_block)
{
    const std::string_view begins =
        R"({"type":"content_block_start","index":0,"content_block":)"
        R"({"type":"tool_use","id":"t1","name":"f","input":{"x":1}}})";
    const outcome o = reader.read(stream_of({begun, begins, stops("tool_use"), stopped}));
    BOOST_TEST(reply_of(o).message.tool_calls.at(0).arguments == R"({"x":1})");
    BOOST_TEST(o.sink.calls.at(0).arguments == R"({"x":1})");
    const outcome both =
        reader.read(stream_of({begun, begins, arguments(R"({\"x\":2})"), stops("tool_use"), stopped}));
    BOOST_TEST(reply_of(both).message.tool_calls.at(0).arguments == R"({"x":2})");
}

BOOST_AUTO_TEST_CASE(broken_arguments_are_a_matter_for_whoever_calls_the_tool)
{
    const outcome o = reader.read(stream_of({begun, call_begins, arguments(R"({\"x\":)"),
                                          block_ends, stops("tool_use"), stopped}));
    BOOST_TEST(reply_of(o).message.tool_calls.at(0).arguments == R"({"x":)");
}

BOOST_AUTO_TEST_CASE(arguments_that_the_limit_cut_are_dropped)
{
    for (const std::string_view piece : {R"({\"x\":)", ""}) {
        const outcome o = reader.read(stream_of({begun, call_begins, arguments(piece),
                                              block_ends, stops("max_tokens"),
                                              stopped}));
        BOOST_TEST(reply_of(o).message.tool_calls.empty());
        BOOST_TEST((o.reply->stop == stop_reason::length));
        BOOST_TEST(o.reply->warnings.size() == 1);
    }
    const outcome whole =
        reader.read(stream_of({begun, call_begins, arguments("{}"), stops("max_tokens"), stopped}));
    BOOST_TEST(reply_of(whole).message.tool_calls.size() == 1);
    BOOST_TEST((whole.reply->stop == stop_reason::length));
}

BOOST_AUTO_TEST_CASE(each_stop_reason_has_its_meaning)
{
    const std::pair<std::string_view, stop_reason> cases[] = {
        {"end_turn", stop_reason::stop},       {"stop_sequence", stop_reason::stop},
        {"tool_use", stop_reason::stop},       {"max_tokens", stop_reason::length},
        {"pause_turn", stop_reason::paused},   {"model_context_window_exceeded", stop_reason::length},
        {"compaction", stop_reason::unknown},  {"refusal", stop_reason::content_filter},
    };
    for (const auto& [word, meaning] : cases) {
        const outcome o = reader.read(stream_of({begun, text_begins, text("Hi"), stops(word), stopped}));
        BOOST_TEST_CONTEXT(word) {
            BOOST_TEST((reply_of(o).stop == meaning));
            BOOST_TEST(o.reply->stop_detail == word);
        }
    }
}

BOOST_AUTO_TEST_CASE(of_a_refusal_only_the_explanation_is_kept)
{
    const outcome o = reader.read(
        stream_of({begun, text_begins, text("First, you"), call_begins,
                R"({"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":)"
                R"({"type":"refusal","category":"bio","explanation":"I can't help with that."}}})",
                stopped}));
    const weft::message& m = reply_of(o).message;
    BOOST_TEST(m.text() == "");
    BOOST_TEST(m.tool_calls.empty());
    BOOST_TEST(m.refusal() == "I can't help with that.");
    BOOST_TEST(o.sink.refusal == "I can't help with that.");
    BOOST_TEST((o.reply->stop == stop_reason::content_filter));
}

BOOST_AUTO_TEST_CASE(what_has_no_neutral_form_goes_back_as_it_came)
{
    const outcome o = reader.read(stream_of(
        {begun,
         R"({"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"Em=="}})",
         R"({"type":"content_block_start","index":1,"content_block":)"
         R"({"type":"server_tool_use","id":"s1","name":"web_search","input":{}}})",
         R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"query\":"}})",
         R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"\"rain\"}"}})",
         R"({"type":"content_block_stop","index":1})",
         R"({"type":"content_block_start","index":2,"content_block":{"type":"text","text":"Rain.","citations":null}})",
         R"({"type":"content_block_delta","index":2,"delta":{"type":"citations_delta",)"
         R"("citation":{"url":"https://x"}}})",
         R"({"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"t1","name":"f"}})",
         stops("tool_use"), stopped}));
    const weft::chat_reply& reply = reply_of(o);
    BOOST_TEST(reply.message.text() == "Rain.");
    BOOST_TEST(reply.message.tool_calls.size() == 1);
    BOOST_TEST(provider_of(reply) ==
               R"({"content":[{"type":"redacted_thinking","data":"Em=="},)"
               R"({"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":"rain"}},)"
               R"({"type":"text","text":"Rain.","citations":[{"url":"https://x"}]},{"type":"tool_use","id":"t1"}]})");
}

BOOST_AUTO_TEST_CASE(what_the_neutral_form_holds_is_not_kept_twice)
{
    const outcome o = reader.read(
        stream_of({begun,
                   R"({"type":"content_block_start","index":0,"content_block":{"type":"text","citations":[]}})",
                   text("Hi"), stops("end_turn"), stopped}));
    BOOST_TEST((reply_of(o).message == weft::message::assistant("Hi")));
}

BOOST_AUTO_TEST_CASE(text_after_a_call_keeps_its_place)
{
    const outcome o = reader.read(
        stream_of({begun, call_begins, R"({"type":"content_block_start","index":1,"content_block":{"type":"text"}})",
                text("after", 1), stops("tool_use"), stopped}));
    BOOST_TEST(provider_of(reply_of(o)) ==
               R"({"content":[{"type":"tool_use","id":"t1"},{"type":"text","text":"after"}]})");
}

BOOST_AUTO_TEST_CASE(a_document_is_a_reply_too)
{
    const outcome o = reader.read_document(
        R"( {"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[)"
        R"({"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"Hello"},)"
        R"({"type":"tool_use","id":"t1","name":"f","input":{"x":1}},)"
        R"({"type":"tool_use","id":"t2","name":"g","input":{}}],)"
        R"("stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":4,"output_tokens":2}})");
    const weft::chat_reply& reply = reply_of(o);
    BOOST_TEST(reply.message.text() == "Hello");
    BOOST_TEST(reply.message.reasoning() == "hm");
    BOOST_REQUIRE(reply.message.tool_calls.size() == 2);
    BOOST_TEST(reply.message.tool_calls[0].arguments == R"({"x":1})");
    BOOST_TEST(reply.message.tool_calls[1].arguments == "{}");
    BOOST_TEST((reply.stop == stop_reason::tool_calls));
    BOOST_TEST(reply.usage.input.count() == 4);
    BOOST_TEST(o.sink.text == "Hello");

    const weft::model_error error = failure_of(reader.read_document(
        R"({"type":"error","error":{"type":"rate_limit_error","message":"slow down"},"request_id":"req_9"})"));
    BOOST_TEST((error.code() == errc::model_rate_limited));
    BOOST_TEST((error.failure().phase == weft::model_phase::response));
    BOOST_TEST((failure_of(reader.read_document("{}")).code() == errc::invalid_model_reply));
    BOOST_TEST((failure_of(reader.read_document("[]")).code() == errc::invalid_model_reply));
    BOOST_TEST((failure_of(reader.read_document("")).code() == errc::invalid_model_reply));
}

BOOST_AUTO_TEST_CASE(errors_come_in_other_shapes_too)
{
    for (const std::string_view body :
         {"event: error\ndata: {\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n",
          "event: error\ndata: {\"type\":\"overloaded_error\",\"message\":\"busy\"}\n\n",
          "data: {\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n",
          "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n"}) {
        const weft::model_error e = failure_of(reader.read(body));
        BOOST_TEST((e.code() == errc::model_overloaded));
        BOOST_TEST(e.detail().find("busy") != std::string::npos);
    }
    BOOST_TEST((failure_of(reader.read("event: error\ndata: out of order\n\n")).code() == errc::model_stream_error));
}

BOOST_AUTO_TEST_CASE(what_is_no_event_is_refused)
{
    BOOST_TEST((failure_of(reader.read("data: {\"type\":\n\n")).code() == errc::invalid_model_reply));
    BOOST_TEST((failure_of(reader.read("data: 7\n\n")).code() == errc::invalid_model_reply));
}

BOOST_AUTO_TEST_CASE(a_reply_has_limits)
{
    reading how;
    how.limits = {.text_bytes_max = 4, .tool_calls_max = 1, .argument_bytes_max = 12};
    const auto code = [&](std::initializer_list<std::string_view> data) {
        return failure_of(reader.read(stream_of(data), how)).code();
    };
    BOOST_TEST((code({begun, text_begins, text("12345")}) == errc::response_too_large));
    BOOST_TEST((code({begun, call_begins, call_begins}) == errc::response_too_large));
    BOOST_TEST((code({begun, call_begins, arguments("1234567890123")}) == errc::response_too_large));
    std::string many{"data: "};
    many.append(begun).append("\n\n");
    for (int i = 0; i < 5000; ++i) many.append("data: ").append(text_begins).append("\n\n");
    BOOST_TEST((failure_of(reader.read(many)).code() == errc::response_too_large));
}

BOOST_AUTO_TEST_CASE(characters_that_are_cut_in_two_are_joined)
{
    const outcome o = reader.read(stream_of({begun, text_begins, text("a\\ud83d"), text("\\ude00"), text("\\ud83d"),
                                          block_ends, stops("end_turn"), stopped}));
    BOOST_TEST(reply_of(o).message.text() == "a\U0001F600\uFFFD");
    BOOST_TEST(o.sink.text == "a\U0001F600\uFFFD");
    const outcome call = reader.read(stream_of({begun, call_begins, arguments(R"({\"x\":\"\ud83d)"),
                                             arguments(R"(\ude00\"})"), stops("tool_use"), stopped}));
    BOOST_TEST(reply_of(call).message.tool_calls.at(0).arguments == "{\"x\":\"\U0001F600\"}");
}

BOOST_AUTO_TEST_CASE(a_stopped_call_is_cancelled_even_when_the_reply_was_complete)
{
    const auto stream = weft::model_detail::anthropic_reader(test_reply_options({}), settings, test_key);
    weft::no_sink sink;
    for (const std::string& data : {std::string{begun}, stops("end_turn"), std::string{stopped}})
        (void)stream->feed({.type = "message", .data = data, .id = {}, .error = {}}, sink);
    BOOST_CHECK_EXCEPTION((void)stream->finish_after(weft::error{errc::cancelled}), weft::model_error,
                          [](const weft::model_error& e) { return e.code() == errc::cancelled; });
}

BOOST_AUTO_TEST_SUITE_END()
