#include <boost/test/unit_test.hpp>

#include "model/stream_reader.hpp"

#include <boost/json/serialize.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(openai_stream_test)

using weft::errc;
using weft::model_phase;
using weft::stop_reason;

namespace {

std::string finished(std::string_view first) { return events({first, delta("{}", "stop")}); }

weft::usage usage_after(std::string_view chunk_tail)
{
    const std::string last = R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],)" + std::string{chunk_tail};
    return reply_of(read_stream(events({last}))).usage;
}

}  // namespace

// What stands in the chunks.

BOOST_AUTO_TEST_CASE(members_that_are_null_or_of_another_type_are_not_given)
{
    const outcome o = read_stream(events({
        R"({"id":null,"model":7,"choices":null,"usage":null,"error":null})",
        R"({"choices":[]})",
        R"({"choices":[null,3,{"index":0,"delta":null},{"index":0}]})",
        R"({"choices":[{"index":0,"delta":{"role":"","content":null,"refusal":null,"tool_calls":null}}]})",
        R"({"choices":[{"index":0,"delta":{"role":3,"content":3},"finish_reason":""}],"created":1.5})",
        R"({"choices":[{"delta":{"content":"hi"}}],"surprise":{"a":[1]}})",
        R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})",
    }));
    BOOST_TEST(reply_of(o).message.text() == "hi");
    BOOST_TEST(o.sink.starts == 1);
}

BOOST_AUTO_TEST_CASE(the_chunk_that_finishes_may_bring_the_last_text)
{
    BOOST_TEST(reply_of(read_stream(events({delta(R"({"content":"a"})"), delta(R"({"content":"b"})", "stop")})))
                   .message.text() == "ab");
}

BOOST_AUTO_TEST_CASE(content_may_be_a_list_of_parts)
{
    const outcome o = read_stream(finished(delta(
        R"({"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"thinking",)"
        R"("thinking":"!"},)"
        R"({"type":"text","text":"Hi"},{"type":"reference","reference_ids":[1]},null]})")));
    BOOST_TEST(reply_of(o).message.text() == "Hi");
    BOOST_TEST(reply_of(o).message.reasoning() == "hm!");
    BOOST_TEST(o.sink.reasoning == "hm!");
}

BOOST_AUTO_TEST_CASE(reasoning_is_read_from_the_first_field_that_has_it)
{
    const outcome o = read_stream(finished(delta(R"({"reasoning":"a","reasoning_content":"b","content":"c"})")));
    BOOST_TEST(reply_of(o).message.reasoning() == "b");
    const outcome vllm = read_stream(finished(delta(R"({"reasoning":"a","reasoning_content":"b"})")),
                                     {.profile = weft::openai_profiles::vllm()});
    BOOST_TEST(reply_of(vllm).message.reasoning() == "a");
    // Reasoning comes first in the message, whatever the order on the wire.
    BOOST_TEST(std::holds_alternative<weft::reasoning_part>(reply_of(o).message.content.front()));
}

BOOST_AUTO_TEST_CASE(reasoning_details_are_kept_for_the_provider)
{
    const outcome o = read_stream(
        events({delta(R"({"reasoning":"ab","reasoning_details":[{"type":"reasoning.text","text":"a","index":0}]})"),
                delta(R"({"reasoning_details":[{"type":"reasoning.text","text":"b","signature":"s","index":0}]})"),
                delta(R"({"reasoning_details":[{"type":"reasoning.encrypted","data":"x","index":1}]})"),
                delta(R"({"content":"c"})", "stop")}),
        {.profile = weft::openai_profiles::openrouter()});
    const auto& kept = reply_of(o).message.provider;
    BOOST_REQUIRE(kept);
    BOOST_TEST(kept->provider == "openrouter");
    BOOST_TEST(kept->model == "gpt-x");
    BOOST_TEST(boost::json::serialize(kept->fields) ==
               R"({"reasoning_details":[{"type":"reasoning.text","text":"ab","index":0,"signature":"s"},)"
               R"({"type":"reasoning.encrypted","data":"x","index":1}]})");
}

BOOST_AUTO_TEST_CASE(a_refusal_is_a_reply)
{
    const outcome o = read_stream(finished(delta(R"({"refusal":"I will not"})")));
    BOOST_TEST(reply_of(o).message.refusal() == "I will not");
    BOOST_TEST(reply_of(o).message.text() == "");
    BOOST_TEST(o.sink.refusal == "I will not");
}

BOOST_AUTO_TEST_CASE(only_the_first_choice_is_read)
{
    const outcome o = read_stream(events(
        {R"({"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"b"},)"
         R"("finish_reason":"stop"}]})",
         R"({"choices":[{"index":0,"delta":{"content":"c"},"finish_reason":"length"}]})"}));
    BOOST_TEST(reply_of(o).message.text() == "ac");
    BOOST_TEST((reply_of(o).stop == stop_reason::length));
}

BOOST_AUTO_TEST_CASE(W15_of_several_choices_that_of_index_0_counts)
{
    const outcome o = read_stream(events(
        {R"({"choices":[{"index":1,"delta":{"content":"b"}}]})", R"({"choices":[{"index":0,"delta":{"content":"a"}}]})",
         R"({"choices":[{"index":1,"delta":{},"finish_reason":"length"}]})",
         R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"}));
    BOOST_TEST(reply_of(o).message.text() == "a");
    BOOST_TEST((reply_of(o).stop == stop_reason::stop));
}

BOOST_AUTO_TEST_CASE(azure_begins_with_an_empty_chunk_and_may_filter_late)
{
    const outcome o = read_stream(events({
        R"({"choices":[],"model":"","id":"","prompt_filter_results":[{"prompt_index":0}]})",
        R"({"id":"z","model":"gpt-x","choices":[{"index":0,"delta":{"role":"assistant","content":"bad"},)"
        R"("content_filter_results":{}}]})",
        R"({"choices":[{"index":0,"finish_reason":null,"content_filter_offsets":{"start":1},)"
        R"("content_filter_results":{}}]})",
        R"({"choices":[{"index":0,"delta":{},"finish_reason":"content_filter"}]})",
    }));
    BOOST_TEST((reply_of(o).stop == stop_reason::content_filter));
    BOOST_TEST(reply_of(o).model == "gpt-x");
    BOOST_TEST(o.sink.started == "z/gpt-x");
}

BOOST_AUTO_TEST_CASE(finish_reasons_have_one_meaning)
{
    const auto stop_for = [](std::string_view word) { return reply_of(read_stream(events({delta("{}", word)}))).stop; };
    BOOST_TEST((stop_for("stop") == stop_reason::stop));
    BOOST_TEST((stop_for("length") == stop_reason::length));
    BOOST_TEST((stop_for("model_length") == stop_reason::length));
    BOOST_TEST((stop_for("content_filter") == stop_reason::content_filter));
    BOOST_TEST((stop_for("tired") == stop_reason::unknown));
    BOOST_TEST(reply_of(read_stream(events({delta("{}", "tired")}))).stop_detail == "tired");
}

// Usage.

BOOST_AUTO_TEST_CASE(usage_is_normalised)
{
    const weft::usage u = usage_after(
        R"("usage":{"prompt_tokens":120,"completion_tokens":30,"total_tokens":150,)"
        R"("prompt_tokens_details":{"cached_tokens":100,"cache_write_tokens":7},)"
        R"("completion_tokens_details":{"reasoning_tokens":20}}})");
    BOOST_TEST(u.input.count() == 120);
    BOOST_TEST(u.cached.count() == 100);
    BOOST_TEST(u.cache_written.count() == 7);
    BOOST_TEST(u.output.count() == 30);
    BOOST_TEST(u.reasoning.count() == 20);
    BOOST_TEST(u.is_exact());
}

BOOST_AUTO_TEST_CASE(usage_is_found_where_servers_put_it)
{
    BOOST_TEST(
        usage_after(R"("x_groq":{"id":"r","usage":{"prompt_tokens":3,"completion_tokens":4}}})").total().count() == 7);
    BOOST_TEST(usage_after(R"("usage":{"prompt_tokens":3,"completion_tokens":4,"prompt_cache_hit_tokens":2}})")
                   .cached.count() == 2);
    // Reasoning that only the total counts.
    BOOST_TEST(usage_after(R"("usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":17}})").output.count() ==
               14);
    BOOST_TEST(usage_after(R"("usage":{"prompt_tokens":3.0,"completion_tokens":4}})").input.count() == 3);
}

BOOST_AUTO_TEST_CASE(usage_that_makes_no_sense_is_not_given)
{
    for (const char* tail :
         {R"("usage":{}})", R"("usage":"lots"})", R"("usage":{"prompt_tokens":-3,"completion_tokens":"x"}})",
          R"("usage":{"prompt_tokens":1e300}})"})
        BOOST_TEST((usage_after(tail) == weft::usage::unknown()));
}

BOOST_AUTO_TEST_CASE(the_last_usage_counts_and_is_never_added)
{
    const outcome o = read_stream(events({
        R"({"choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":5,"completion_tokens":1}})",
        R"({"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,)"
        R"("completion_tokens":2}})",
        R"({"choices":[],"usage":null})",
    }));
    BOOST_TEST(reply_of(o).usage.input.count() == 5);
    BOOST_TEST(reply_of(o).usage.output.count() == 2);
}

// How a stream ends.

BOOST_AUTO_TEST_CASE(a_finish_reason_is_enough)
{
    const std::string body = events({delta(R"({"content":"x"})", "stop")}, "");
    BOOST_TEST(reply_of(read_stream(body)).message.text() == "x");
    // The last event lacks its blank line.
    BOOST_TEST(reply_of(read_stream(body.substr(0, body.size() - 1))).message.text() == "x");
    // The connection breaks after the reply is complete.
    BOOST_TEST(
        reply_of(read_stream(body, {.transport_failure = weft::error{errc::response_truncated}})).message.text() ==
        "x");
    BOOST_TEST(reply_of(read_stream(body, {.transport_failure = weft::error{errc::gap_timeout}})).message.text() ==
               "x");
}

BOOST_AUTO_TEST_CASE(done_without_finish_reason_is_truncated_unless_the_profile_knows_better)
{
    const std::string body = events({delta(R"({"content":"x"})")});
    BOOST_TEST((failure_of(read_stream(body)).code() == errc::response_truncated));
    weft::openai_profile lax;
    lax.done_implies_stop = true;
    const outcome o = read_stream(body, {.profile = lax});
    BOOST_TEST((reply_of(o).stop == stop_reason::unknown));
    // The mere end of the body is never enough.
    const outcome cut = read_stream(events({delta(R"({"content":"x"})")}, ""), {.profile = lax});
    BOOST_TEST((failure_of(cut).code() == errc::response_truncated));
}

BOOST_AUTO_TEST_CASE(nothing_after_done_counts)
{
    const outcome o =
        read_stream(events({delta(R"({"content":"x"})", "stop"), "[DONE]", R"({"error":{"message":"late"}})"}));
    BOOST_TEST(reply_of(o).message.text() == "x");
}

BOOST_AUTO_TEST_CASE(an_empty_stream_is_truncated_and_may_be_repeated)
{
    for (const char* body : {"", ": ping\n\n", "data:\n\n", "data: [DONE]\n\n"}) {
        const outcome o = read_stream(body);
        BOOST_TEST((failure_of(o).code() == errc::response_truncated));
        BOOST_TEST(failure_of(o).is_retryable());
        BOOST_TEST(failure_of(o).partial().usage.unreported == 1);
    }
}

BOOST_AUTO_TEST_CASE(a_chunk_with_a_role_only_does_not_forbid_a_repetition)
{
    const outcome role_only = read_stream(events({delta(R"({"role":"assistant","content":""})")}, ""));
    BOOST_TEST(failure_of(role_only).is_retryable());
    for (const char* d : {R"({"content":"x"})", R"({"reasoning":"x"})", R"({"refusal":"x"})",
                          R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"f"}}]})"})
        BOOST_TEST(!failure_of(read_stream(events({delta(d)}, ""))).is_retryable());
}

BOOST_AUTO_TEST_CASE(a_lost_connection_keeps_its_code_and_what_had_arrived)
{
    const std::string body = events({delta(R"({"content":"Hel","reasoning":"hm"})"),
                                     R"({"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":1}})"},
                                    "");
    const outcome o = read_stream(body, {.transport_failure = weft::error{errc::connection_lost, "x:443", "reset"}});
    const weft::model_error& e = failure_of(o);
    BOOST_TEST((e.code() == errc::connection_lost));
    BOOST_TEST(std::string{e.what()}.find("gpt-x at test") == 0);
    BOOST_TEST(e.detail() == "x:443: reset");
    BOOST_TEST(e.partial().message.text() == "Hel");
    BOOST_TEST(e.partial().message.reasoning() == "hm");
    BOOST_TEST(e.partial().usage.output.count() == 1);
    BOOST_TEST(e.failure().is_transient);
    BOOST_TEST(!e.is_retryable());
}

BOOST_AUTO_TEST_CASE(a_cancelled_call_gives_no_reply_even_if_it_was_complete)
{
    const outcome o = read_stream(events({delta(R"({"content":"x"})", "stop")}, ""),
                                  {.transport_failure = weft::error{errc::cancelled}});
    BOOST_TEST((failure_of(o).code() == errc::cancelled));
    BOOST_TEST(failure_of(o).partial().message.text() == "x");
    BOOST_TEST(!failure_of(o).is_retryable());
}

// A whole document instead of a stream.

BOOST_AUTO_TEST_CASE(a_whole_reply_is_understood)
{
    const outcome o =
        read_document("\n\n"
                      R"({"id":"chatcmpl-1","object":"chat.completion","created":1789000000,"model":"gpt-x-2026",
        "choices":[{"index":0,"finish_reason":"stop","logprobs":null,
          "message":{"role":"assistant","content":"Hi","refusal":null,"annotations":[]}}],
        "usage":{"prompt_tokens":120,"completion_tokens":30,"total_tokens":150,
          "prompt_tokens_details":{"cached_tokens":100,"audio_tokens":0},
          "completion_tokens_details":{"reasoning_tokens":20}},
        "service_tier":"default"})"
                      "\n");
    BOOST_TEST(reply_of(o).message.text() == "Hi");
    BOOST_TEST(reply_of(o).usage.cached.count() == 100);
    BOOST_TEST((reply_of(o).stop == stop_reason::stop));
    BOOST_TEST(o.sink.text == "Hi");
    BOOST_TEST(o.sink.started == "chatcmpl-1/gpt-x-2026");
}

BOOST_AUTO_TEST_CASE(a_whole_reply_may_call_tools_and_name_no_finish_reason)
{
    const outcome o = read_document(R"({"choices":[{"message":{"content":null,"tool_calls":[
        {"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},
        {"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]}}]})");
    BOOST_REQUIRE(reply_of(o).message.tool_calls.size() == 2);
    BOOST_TEST(reply_of(o).message.tool_calls[1].name == "g");
    BOOST_TEST((reply_of(o).stop == stop_reason::tool_calls));
}

BOOST_AUTO_TEST_CASE(a_whole_error_with_status_200_is_found)
{
    const outcome o = read_document(R"({"error":{"message":"slow down","code":429}})");
    BOOST_TEST((failure_of(o).code() == errc::model_rate_limited));
    BOOST_TEST((failure_of(o).failure().phase == model_phase::response));
    BOOST_TEST(failure_of(o).is_retryable());
}

BOOST_AUTO_TEST_CASE(a_document_that_is_no_reply_says_what_it_says)
{
    for (const char* body :
         {R"({"detail":"not here"})", R"({"message":"not here"})", R"({"choices":[],"message":"not here"})"}) {
        const outcome o = read_document(body);
        BOOST_TEST((failure_of(o).code() == errc::invalid_model_reply));
        BOOST_TEST(failure_of(o).detail() == "the reply has no choices: not here");
    }
    BOOST_TEST((failure_of(read_document("<html>")).code() == errc::invalid_model_reply));
    BOOST_TEST((failure_of(read_document("")).code() == errc::invalid_model_reply));
}

BOOST_AUTO_TEST_SUITE_END()
