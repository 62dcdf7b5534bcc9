#include <boost/test/unit_test.hpp>

#include "scripted_reply_reading.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(scripted_reply_test)

using namespace reply_test;
using namespace weft::testing;
using namespace std::chrono_literals;
using std::chrono::nanoseconds;

BOOST_AUTO_TEST_CASE(a_text_is_streamed_word_by_word_with_its_white_space)
{
    const wire_plan planned = plan(text("A  \"dear\"\nwörld. "));
    check_equal(deltas(planned),
                {opening, R"({"content":"A"})", R"({"content":"  \"dear\""})",
                 R"({"content":"\nwörld."})", R"({"content":" "})", "{} stop", "[DONE]"});
    BOOST_TEST(writes(planned).back() == "0\r\n\r\n");
    BOOST_TEST(pieces(planned) == 4U);
    BOOST_CHECK(planned.ending == wire_ending::keep);
}

BOOST_AUTO_TEST_CASE(the_head_of_a_stream_says_what_follows)
{
    const std::string head = writes(plan(text("a").header("x-extra", "1")))[0];
    BOOST_TEST(head.starts_with("HTTP/1.1 200 OK\r\n"));
    BOOST_TEST(head.find("\r\ncontent-type: text/event-stream; charset=utf-8\r\n") !=
               std::string::npos);
    BOOST_TEST(head.find("\r\ntransfer-encoding: chunked\r\n") != std::string::npos);
    BOOST_TEST(head.find("\r\nx-request-id: req_1\r\n") != std::string::npos);
    BOOST_TEST(head.find("\r\nx-extra: 1\r\n") != std::string::npos);
    BOOST_TEST(head.find("connection") == std::string::npos);
    BOOST_TEST(head.ends_with("\r\n\r\n"));
}

BOOST_AUTO_TEST_CASE(usage_comes_when_the_request_asks_for_it)
{
    reply_setting setting = streaming();
    setting.wants_usage = true;
    setting.prompt_bytes = 400;
    const wire_plan counted = plan(text("a b c"), setting);
    const std::vector<std::string> all = deltas(counted);
    BOOST_REQUIRE(all.size() == 7U);
    BOOST_TEST(all[5] == R"({"prompt_tokens":101,"completion_tokens":3,"total_tokens":104,)"
                         R"("prompt_tokens_details":{"cached_tokens":0},)"
                         R"("completion_tokens_details":{"reasoning_tokens":0}})");
    BOOST_TEST(event(chunks(counted)[1]).at("usage").is_null());

    weft::usage said;
    said.input = weft::tokens{9};
    said.cached = weft::tokens{4};
    said.output = weft::tokens{5};
    said.reasoning = weft::tokens{2};
    BOOST_TEST(deltas(plan(text("a").usage(said), setting))[3] ==
               R"({"prompt_tokens":9,"completion_tokens":5,"total_tokens":14,)"
               R"("prompt_tokens_details":{"cached_tokens":4},)"
               R"("completion_tokens_details":{"reasoning_tokens":2}})");
}

BOOST_AUTO_TEST_CASE(tool_calls_come_in_pieces)
{
    const wire_plan planned = plan(tool_call("weather", R"({"city":"Köln"})", "call_a"));
    check_equal(deltas(planned),
                {R"({"role":"assistant","content":null})",
                 R"({"tool_calls":[{"index":0,"id":"call_a","type":"function",)"
                 R"("function":{"name":"weather","arguments":""}}]})",
                 R"({"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":"}}]})",
                 R"({"tool_calls":[{"index":0,"function":{"arguments":"\"Köln\"}"}}]})",
                 "{} tool_calls", "[DONE]"});
    BOOST_TEST(pieces(planned) == 3U);
}

BOOST_AUTO_TEST_CASE(several_tool_calls_come_one_after_the_other_or_alternate)
{
    const std::string long_arguments = R"({"text":"much longer than a piece 👋👋👋👋👋"})";
    const auto index_changes = [](const wire_plan& planned) {
        std::int64_t last = 0;
        int changes = 0;
        for (const std::string& chunk : chunks(planned)) {
            if (chunk == "data: [DONE]\n\n") continue;
            const boost::json::value choice = event(chunk).at("choices").at(0);
            const auto* const calls = choice.at("delta").as_object().if_contains("tool_calls");
            if (!calls) continue;
            const std::int64_t index = calls->at(0).at("index").as_int64();
            if (index != last) ++changes;
            last = index;
        }
        return changes;
    };
    scripted_reply both = text("Wait.").tool_call("a", long_arguments).tool_call("b", "{\"x\":");
    const wire_plan in_turn = plan(both);
    BOOST_TEST(index_changes(in_turn) == 1);
    const wire_plan alternating = plan(both.tool_calls_alternate());
    BOOST_TEST(index_changes(alternating) == 4);
    for (const wire_plan* planned : {&in_turn, &alternating}) {
        BOOST_TEST(arguments_of(*planned, 0) == long_arguments);
        BOOST_TEST(arguments_of(*planned, 1) == "{\"x\":");
        BOOST_TEST(deltas(*planned)[1] == R"({"content":"Wait."})");
    }
}

BOOST_AUTO_TEST_CASE(without_streaming_the_reply_is_one_document_in_one_write)
{
    const wire_plan planned =
        plan(text("a b").tool_call("f", "{}").finish_reason("length"), in_one_document());
    BOOST_TEST(planned.steps.size() == 1U);
    const boost::json::value value = document(planned);
    BOOST_TEST(boost::json::serialize(value.at("choices").at(0)) ==
               R"({"index":0,"message":{"role":"assistant","content":"a b","refusal":null,)"
               R"("tool_calls":[{"id":"call_1","type":"function",)"
               R"("function":{"name":"f","arguments":"{}"}}]},)"
               R"("logprobs":null,"finish_reason":"length"})");
    BOOST_TEST(value.at("usage").at("completion_tokens").as_int64() == 4);
    BOOST_TEST(planned.bytes.find("content-length: " +
                                  std::to_string(boost::json::serialize(value).size()) + "\r\n") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(waits_are_where_the_script_wants_them)
{
    const scripted_reply reply =
        text("a b c").head_delay(5ms).first_token(300ms).between_tokens(20ms);
    const std::vector<nanoseconds> should_be{5ms, 300ms, 0ms, 20ms, 20ms, 0ms, 0ms, 0ms};
    BOOST_CHECK(waits(plan(reply)) == should_be);
    BOOST_CHECK(waits(plan(reply, in_one_document())) == std::vector<nanoseconds>{345ms});

    reply_setting fast = streaming();
    fast.pace = 0.5;
    BOOST_CHECK(waits(plan(reply, fast))[1] == 150ms);
    BOOST_CHECK(waits(plan(reply, fast))[3] == 10ms);
}

BOOST_AUTO_TEST_CASE(jitter_stays_in_its_bounds_and_follows_the_seed)
{
    const scripted_reply reply =
        text_pieces(std::vector<std::string>(200, "x")).between_tokens(100ms).jitter(0.25);
    const std::vector<nanoseconds> first = waits(plan(reply));
    nanoseconds shortest = 1s;
    nanoseconds longest{};
    for (std::size_t i = 3; i < 202; ++i) {
        shortest = std::min(shortest, first[i]);
        longest = std::max(longest, first[i]);
    }
    BOOST_CHECK(shortest >= 75ms && shortest < 80ms);
    BOOST_CHECK(longest <= 125ms && longest > 120ms);
    BOOST_CHECK(waits(plan(reply)) == first);
    reply_setting other = streaming();
    other.seed = 2;
    BOOST_CHECK(waits(plan(reply, other)) != first);
}

BOOST_AUTO_TEST_CASE(a_slow_head_comes_in_small_pieces)
{
    const wire_plan planned = plan(text("a").head_delay(10ms).head_spread(1s));
    const std::vector<std::string> written = writes(planned);
    BOOST_TEST(written[0] == "HTTP/1.1");
    nanoseconds spread{};
    std::size_t i = 1;
    for (std::string head = written[0]; !head.ends_with("\r\n\r\n"); head += written[i++])
        spread += planned.steps[i].wait;
    BOOST_CHECK(planned.steps[0].wait == 10ms);
    BOOST_CHECK(spread > 800ms && spread <= 1100ms);
}

BOOST_AUTO_TEST_CASE(pieces_without_a_wait_share_a_write_when_speed_counts)
{
    const std::vector<std::string> many(1000, "word ");
    const wire_plan each = plan(text_pieces(many));
    const wire_plan coalesced = plan(text_pieces(many).coalesced());
    BOOST_TEST(each.steps.size() == 1005U);
    BOOST_TEST(coalesced.steps.size() > 10U);
    BOOST_TEST(coalesced.steps.size() < 20U);
    BOOST_TEST(coalesced.bytes == each.bytes);
    BOOST_TEST(pieces(coalesced) == 1000U);
    for (const std::string& write : writes(coalesced)) BOOST_TEST(write.size() <= 16 * 1024U);
    BOOST_CHECK(waits(plan(text("a b c").between_tokens(1ms).coalesced())) ==
                (std::vector<nanoseconds>{0ms, 1ms, 1ms}));
}

BOOST_AUTO_TEST_CASE(a_status_has_an_error_document_unless_it_gets_a_body)
{
    const wire_plan limited = plan(status(429, "slow down").header("retry-after", "7"));
    BOOST_TEST(limited.bytes.starts_with("HTTP/1.1 429 Too Many Requests\r\n"));
    BOOST_TEST(limited.bytes.find("\r\nretry-after: 7\r\n") != std::string::npos);
    BOOST_TEST(boost::json::serialize(document(limited)) ==
               R"({"error":{"message":"slow down","type":"rate_limit_error",)"
               R"("param":null,"code":429}})");

    const wire_plan page =
        plan(status(200).body("<html>").header("Content-Type", "text/html").closes_connection());
    BOOST_TEST(page.bytes.ends_with("\r\n\r\n<html>"));
    BOOST_TEST(page.bytes.find("application/json") == std::string::npos);
    BOOST_TEST(page.bytes.find("\r\nconnection: close\r\n") != std::string::npos);
    BOOST_CHECK(page.ending == wire_ending::close);

    const wire_plan nothing = plan(status(204));
    BOOST_TEST(nothing.bytes.ends_with("\r\n\r\n"));
    BOOST_TEST(nothing.bytes.find("content-length") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_given_stream_arrives_byte_for_byte)
{
    const std::string body = ": ping\n\ndata:{\"a\":1}\nid: 7\n\ndata: unfinished";
    const wire_plan planned = plan(event_stream(body).between_tokens(3ms));
    check_equal(chunks(planned), {": ping\n\n", "data:{\"a\":1}\nid: 7\n\n", "data: unfinished"});
    BOOST_CHECK(waits(planned) == (std::vector<nanoseconds>{0ms, 0ms, 3ms, 3ms, 0ms}));
    BOOST_TEST(chunks(plan(event_stream(body).cut_after(1))).size() == 1U);
}

BOOST_AUTO_TEST_CASE(raw_bytes_stand_in_place_of_http)
{
    BOOST_TEST(plan(raw_response("HTTP/1.1 banana")).bytes == "HTTP/1.1 banana");
    BOOST_CHECK(plan(raw_response("x")).ending == wire_ending::close);
    BOOST_TEST(plan(garbage()).bytes.size() == 64U);
    BOOST_TEST(plan(hang_up()).bytes.empty());
    BOOST_CHECK(plan(hang_up()).ending == wire_ending::cut);
    BOOST_TEST(plan(silence()).bytes.empty());
    BOOST_CHECK(plan(silence()).ending == wire_ending::stall);
}

BOOST_AUTO_TEST_SUITE_END()
