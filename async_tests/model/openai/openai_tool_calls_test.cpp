#include <boost/test/unit_test.hpp>

#include "model/stream_reader.hpp"

#include <string>

BOOST_AUTO_TEST_SUITE(openai_tool_calls_test)

using weft::errc;
using weft::stop_reason;

namespace {

/** The events of these `tool_calls` arrays, and a finish. */
std::string calls_stream(std::initializer_list<std::string_view> arrays, std::string_view finish = "tool_calls")
{
    std::string body;
    for (const std::string_view array : arrays)
        body += events({delta("{\"tool_calls\":" + std::string{array} + "}")}, "");
    return body + events({delta("{}", finish)});
}

/** Each call as `id name arguments`, joined by bars. */
std::string calls_of(const outcome& o)
{
    if (!o.reply) return std::string{"error: "} + (o.failure ? o.failure->what() : "none");
    std::string text;
    for (const weft::tool_call& call : o.reply->message.tool_calls)
        text.append(text.empty() ? "" : " | ").append(call.id + " " + call.name + " " + call.arguments);
    return text;
}

std::string read_calls(std::initializer_list<std::string_view> arrays)
{
    return calls_of(read_stream(calls_stream(arrays)));
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_index_for_all_calls_and_different_ids)
{
    BOOST_TEST(read_calls({R"([{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}])",
                           R"([{"index":0,"function":{"arguments":"1}"}}])",
                           R"([{"index":0,"id":"b","function":{"name":"g","arguments":"{\"y\""}}])",
                           R"([{"index":0,"id":"b","function":{"name":"g","arguments":":2}"}}])"}) ==
               R"(a f {"x":1} | b g {"y":2})");
}

BOOST_AUTO_TEST_CASE(no_index_and_ids_on_every_piece)
{
    BOOST_TEST(read_calls({R"([{"id":"a","function":{"name":"f","arguments":"{"}}])",
                           R"([{"id":"b","function":{"name":"g","arguments":"{"}}])",
                           R"([{"id":"a","function":{"name":"f","arguments":"}"}}])",
                           R"([{"id":"b","function":{"name":"g","arguments":"}"}}])"}) == "a f {} | b g {}");
}

BOOST_AUTO_TEST_CASE(no_index_and_no_id_continues_the_last_call)
{
    BOOST_TEST(read_calls({R"([{"id":"a","function":{"name":"f"}}])", R"([{"function":{"arguments":"{\"x\":"}}])",
                           R"([{"function":{"arguments":"1}"}}])"}) == R"(a f {"x":1})");
}

BOOST_AUTO_TEST_CASE(one_index_and_no_ids_is_a_new_call_when_the_last_is_whole_and_a_name_comes_again)
{
    const std::string text = read_calls({R"([{"index":0,"function":{"name":"f","arguments":"{\"x\":1}"}}])",
                                         R"([{"index":0,"function":{"name":"g","arguments":"{\"y\":2}"}}])"});
    BOOST_TEST(text.find(R"( f {"x":1} | call_)") != std::string::npos);
    BOOST_TEST(text.find(R"( g {"y":2})") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(one_index_and_no_ids_is_the_same_call_while_its_arguments_are_cut)
{
    const std::string text = read_calls({R"([{"index":0,"function":{"name":"f","arguments":"{\"x\":"}}])",
                                         R"([{"index":0,"function":{"name":"f","arguments":"{}}"}}])"});
    BOOST_TEST(text.find(R"( f {"x":{}})") != std::string::npos);
    BOOST_TEST(text.find(" | ") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_index_may_be_text_and_a_wild_one_does_not_count)
{
    BOOST_TEST(
        read_calls(
            {R"([{"index":"0","id":"a","function":{"name":"f"}},{"index":"1","id":"b","function":{"name":"g"}}])",
             R"([{"index":"0","function":{"arguments":"{\"x\":1}"}}])"}) == R"(a f {"x":1} | b g {})");
    BOOST_TEST(read_calls({R"([{"index":-1,"id":"a","function":{"name":"f"}}])",
                           R"([{"index":5000,"function":{"arguments":"{\"x\":1}"}}])"}) == R"(a f {"x":1})");
}

BOOST_AUTO_TEST_CASE(arguments_may_be_an_object)
{
    BOOST_TEST(read_calls({R"([{"index":0,"id":"a","function":{"name":"f","arguments":{"x":[1,2]}}}])"}) ==
               R"(a f {"x":[1,2]})");
}

BOOST_AUTO_TEST_CASE(no_arguments_are_an_empty_object)
{
    BOOST_TEST(read_calls({R"([{"index":0,"id":"a","function":{"name":"f","arguments":null}}])"}) == "a f {}");
    BOOST_TEST(read_calls({R"([{"index":0,"id":"a","function":{"name":"f","arguments":" \n"}}])"}) == "a f {}");
}

BOOST_AUTO_TEST_CASE(an_empty_object_before_the_real_one_is_dropped)
{
    BOOST_TEST(read_calls({R"([{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}])",
                           R"([{"index":0,"function":{"arguments":"{\"x\":"}}])",
                           R"([{"index":0,"function":{"arguments":"1}"}}])"}) == R"(a f {"x":1})");
}

BOOST_AUTO_TEST_CASE(wrong_arguments_stay_as_the_model_wrote_them)
{
    BOOST_TEST(read_calls({R"([{"index":0,"id":"a","function":{"name":"f","arguments":"{x=1}"}}])"}) == "a f {x=1}");
}

BOOST_AUTO_TEST_CASE(a_name_that_comes_late_is_announced_with_the_arguments_so_far)
{
    const outcome o = read_stream(calls_stream({R"([{"index":0,"id":"a","function":{"arguments":"{\"x\""}}])",
                                                R"([{"index":0,"function":{"name":"f","arguments":":1}"}}])"}));
    BOOST_TEST(calls_of(o) == R"(a f {"x":1})");
    BOOST_TEST(o.sink.calls.at(0).name == "f");
    BOOST_TEST(o.sink.calls.at(0).arguments == R"({"x":1})");
}

BOOST_AUTO_TEST_CASE(another_name_counts_only_before_there_are_arguments)
{
    BOOST_TEST(read_calls({R"([{"index":0,"id":"a","function":{"name":"f"}}])",
                           R"([{"index":0,"function":{"name":"g","arguments":"{}"}}])"}) == "a g {}");
    BOOST_TEST(read_calls({R"([{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}])",
                           R"([{"index":0,"function":{"name":"g","arguments":"}"}}])"}) == "a f {}");
}

BOOST_AUTO_TEST_CASE(names_are_joined_only_if_the_profile_says_so)
{
    const std::string body = calls_stream({R"([{"index":0,"id":"a","function":{"name":"get_"}}])",
                                           R"([{"index":0,"function":{"name":"weather"}}])",
                                           R"([{"index":0,"function":{"arguments":"{}"}}])"});
    BOOST_TEST(calls_of(read_stream(body)) == "a weather {}");
    weft::openai_profile joins;
    joins.joins_names = true;
    const outcome o = read_stream(body, {.profile = joins});
    BOOST_TEST(calls_of(o) == "a get_weather {}");
    BOOST_TEST(o.sink.calls.at(0).name == "get_weather");
}

BOOST_AUTO_TEST_CASE(calls_without_id_get_one_that_differs_and_repeats_by_seed)
{
    const std::string body =
        calls_stream({R"([{"index":0,"function":{"name":"f"}},{"index":1,"id":"","function":{"name":"g"}}])"});
    const outcome o = read_stream(body);
    BOOST_REQUIRE(o.reply);
    const auto& calls = o.reply->message.tool_calls;
    BOOST_REQUIRE(calls.size() == 2);
    BOOST_TEST(calls[0].id.size() == 14);
    BOOST_TEST(calls[0].id.starts_with("call_"));
    BOOST_TEST(calls[0].id != calls[1].id);
    BOOST_TEST(calls_of(read_stream(body)) == calls_of(o));

    const outcome mistral = read_stream(body, {.profile = weft::openai_profiles::mistral()});
    BOOST_TEST(mistral.reply->message.tool_calls[0].id.size() == 9);
}

BOOST_AUTO_TEST_CASE(two_calls_with_one_id_are_told_apart)
{
    // The indices say that these are two calls.
    const outcome o = read_stream(calls_stream({R"([{"index":0,"id":"a","function":{"name":"f"}}])",
                                                R"([{"index":1,"id":"a","function":{"name":"g"}}])",
                                                R"([{"index":2,"id":"a","function":{"name":"h"}}])"}));
    BOOST_TEST(calls_of(o) == "a f {} | a_2 g {} | a_3 h {}");
    BOOST_TEST(o.reply->warnings.size() == 2);
}

BOOST_AUTO_TEST_CASE(a_call_without_name_and_arguments_is_dropped_with_a_warning)
{
    const outcome o = read_stream(calls_stream({R"([{"index":0,"id":"a","function":{"name":"","arguments":""}}])"}));
    BOOST_REQUIRE(o.reply);
    BOOST_TEST(o.reply->message.tool_calls.empty());
    BOOST_TEST((o.reply->stop == stop_reason::stop));
    BOOST_TEST(o.reply->warnings.size() == 1);
    BOOST_TEST(o.sink.calls.empty());
}

BOOST_AUTO_TEST_CASE(a_call_with_arguments_and_no_name_is_an_error)
{
    const outcome o = read_stream(calls_stream({R"([{"index":0,"id":"a","function":{"arguments":"{\"x\":1}"}}])"}));
    BOOST_REQUIRE(o.failure);
    BOOST_TEST((o.failure->code() == errc::invalid_model_reply));
    BOOST_TEST(o.failure->partial().message.tool_calls.empty());
}

BOOST_AUTO_TEST_CASE(a_reply_that_is_cut_by_length_keeps_only_whole_calls)
{
    const std::initializer_list<std::string_view> arrays = {
        R"([{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}])",
        R"([{"index":1,"id":"b","function":{"name":"g","arguments":"{\"amount\":10"}}])"};
    for (const char* reason : {"length", "content_filter"}) {
        const outcome o = read_stream(calls_stream(arrays, reason));
        BOOST_TEST(calls_of(o) == R"(a f {"x":1})");
        BOOST_TEST(weft::name_of(o.reply->stop) == reason);
        BOOST_TEST(o.reply->warnings.size() == 1);
    }
}

BOOST_AUTO_TEST_CASE(a_call_without_arguments_is_not_whole_when_the_reply_was_cut)
{
    const outcome o = read_stream(calls_stream({R"([{"index":0,"id":"a","function":{"name":"f"}}])"}, "length"));
    BOOST_REQUIRE(o.reply);
    BOOST_TEST(o.reply->message.tool_calls.empty());
}

BOOST_AUTO_TEST_CASE(calls_decide_and_not_the_word_for_the_finish)
{
    for (const char* reason : {"stop", "tool_calls", "function_call", "eos"}) {
        const outcome o = read_stream(calls_stream({R"([{"index":0,"id":"a","function":{"name":"f"}}])"}, reason));
        BOOST_REQUIRE(o.reply);
        BOOST_TEST((o.reply->stop == stop_reason::tool_calls));
        BOOST_TEST(o.reply->stop_detail == reason);
    }
    const outcome none = read_stream(events({delta(R"({"content":"x"})", "tool_calls")}));
    BOOST_TEST((none.reply->stop == stop_reason::stop));
}

BOOST_AUTO_TEST_CASE(garbage_among_the_calls_is_ignored)
{
    BOOST_TEST(read_calls({"null", "7", "[null,7,\"x\",[]]", "[]",
                           R"([{"index":0,"id":7,"type":null,"function":{"name":"f","arguments":3}}])",
                           R"([{"index":0,"id":"a","function":null}])"}) == "a f {}");
}

BOOST_AUTO_TEST_CASE(the_deprecated_function_call_is_a_call)
{
    const outcome o =
        read_stream(events({delta(R"({"function_call":{"name":"f","arguments":"{\"x\""}})"),
                            delta(R"({"function_call":{"arguments":":1}"}})"), delta("{}", "function_call")}));
    BOOST_REQUIRE(o.reply);
    BOOST_REQUIRE(o.reply->message.tool_calls.size() == 1);
    BOOST_TEST(o.reply->message.tool_calls[0].arguments == R"({"x":1})");
    BOOST_TEST((o.reply->stop == stop_reason::tool_calls));
}

BOOST_AUTO_TEST_CASE(a_custom_tool_takes_text)
{
    const outcome o =
        read_stream(calls_stream({R"([{"index":0,"id":"a","type":"custom","custom":{"name":"sh","input":"ls"}}])",
                                  R"([{"index":0,"custom":{"input":" -l"}}])"}));
    BOOST_TEST(calls_of(o) == "a sh ls -l");
    BOOST_TEST((o.reply->message.tool_calls[0].input == weft::tool_input::text));
}

BOOST_AUTO_TEST_CASE(what_the_provider_wants_back_is_kept_with_the_call)
{
    const outcome o = read_stream(calls_stream(
        {R"([{"index":0,"id":"a","function":{"name":"f"},"extra_content":{"google":{"thought_signature":"s"}}}])"}));
    BOOST_REQUIRE(o.reply);
    const boost::json::value& extra = o.reply->message.tool_calls.at(0).extra;
    BOOST_TEST(extra.at("google").at("thought_signature").as_string() == "s");
}

BOOST_AUTO_TEST_CASE(too_many_calls_are_refused)
{
    weft::reply_limits limits;
    limits.tool_calls_max = 2;
    const outcome o = read_stream(
        calls_stream({R"([{"id":"a","function":{"name":"f"}},{"id":"b","function":{"name":"f"}}])",
                      R"([{"id":"c","function":{"name":"f"}}])"}),
        {.limits = limits});
    BOOST_REQUIRE(o.failure);
    BOOST_TEST((o.failure->code() == errc::response_too_large));
    BOOST_TEST(o.failure->detail().find("more than 2 tool calls") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(too_long_arguments_are_refused)
{
    weft::reply_limits limits;
    limits.argument_bytes_max = 20;
    const auto piece = [](std::string_view arguments) {
        return R"([{"index":0,"id":"a","function":{"name":"f","arguments":")" + std::string{arguments} + R"("}}])";
    };
    const std::string ten(10, 'x');
    BOOST_TEST(read_stream(calls_stream({piece(ten), piece(ten)}), {.limits = limits}).reply.has_value());
    const outcome o = read_stream(calls_stream({piece(ten), piece(ten), piece("x")}), {.limits = limits});
    BOOST_REQUIRE(o.failure);
    BOOST_TEST((o.failure->code() == errc::response_too_large));
}

BOOST_AUTO_TEST_SUITE_END()
