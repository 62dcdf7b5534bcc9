#include <boost/test/unit_test.hpp>

#include "model/ollama_reader.hpp"
#include "model/ollama_transcripts.hpp"

BOOST_AUTO_TEST_SUITE(ollama_stream_test)

namespace transcripts = ollama_transcripts;
using ollama_reader::read;
using ollama_reader::read_document;
using weft::errc;
using weft::stop_reason;

namespace {

constexpr std::string_view all[] = {transcripts::normal, transcripts::parallel_calls,
                                    transcripts::error_in_the_middle, transcripts::truncated};
constexpr std::string_view done = "{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"}\n";

outcome read_any(std::string_view body, const piecewise::pieces& how)
{
    return read(body, how);
}

std::string text_line(std::string_view text)
{
    return R"({"message":{"content":")" + std::string{text} + "\"},\"done\":false}\n";
}

std::string calls_line(std::string_view calls)
{
    return R"({"message":{"content":"","tool_calls":[)" + std::string{calls} + "]},\"done\":false}\n";
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_normal_stream_gives_text_reasoning_and_usage)
{
    const outcome o = read(transcripts::normal);
    const weft::chat_reply& reply = reply_of(o);
    BOOST_TEST(reply.message.text() == "Hello");
    BOOST_TEST(reply.message.reasoning() == "Greet.");
    BOOST_TEST((reply.message.role == weft::role::assistant));
    BOOST_TEST((reply.stop == stop_reason::stop));
    BOOST_TEST(reply.stop_detail == "stop");
    BOOST_TEST(reply.usage.input.count() == 8);
    BOOST_TEST(reply.usage.output.count() == 5);
    BOOST_TEST(reply.model == "m");
    BOOST_TEST(reply.request_id == "req_1");
    BOOST_REQUIRE(reply.message.provider);
    BOOST_TEST(reply.message.provider->provider == "ollama");
    BOOST_TEST(reply.message.provider->model == "gpt-x");
    BOOST_TEST(o.sink.text == "Hello");
    BOOST_TEST(o.sink.reasoning == "Greet.");
    BOOST_TEST(o.sink.pieces == 2);
    BOOST_TEST(o.sink.starts == 1);
    BOOST_TEST(o.sink.started == "/m");
    BOOST_TEST((o.sink.usage == reply.usage));
}

BOOST_AUTO_TEST_CASE(parallel_calls_come_whole_with_objects_as_arguments)
{
    const outcome o = read(transcripts::parallel_calls);
    const weft::chat_reply& reply = reply_of(o);
    BOOST_REQUIRE(reply.message.tool_calls.size() == 2);
    BOOST_TEST(reply.message.tool_calls[0].id == "call_1");
    BOOST_TEST(reply.message.tool_calls[0].name == "add");
    BOOST_TEST(reply.message.tool_calls[0].arguments == R"({"x":1})");
    BOOST_TEST(reply.message.tool_calls[1].arguments == R"({"x":2})");
    BOOST_TEST((reply.stop == stop_reason::tool_calls));
    BOOST_TEST(reply.stop_detail == "stop");
    BOOST_TEST(o.sink.calls.at(1).arguments == R"({"x":2})");
    BOOST_TEST(!reply.message.provider);
}

BOOST_AUTO_TEST_CASE(an_error_in_the_middle_keeps_the_text_so_far)
{
    const weft::model_error e = failure_of(read(transcripts::error_in_the_middle));
    BOOST_TEST((e.code() == errc::model_stream_error));
    BOOST_TEST(e.detail().find("CUDA error") != std::string::npos);
    BOOST_TEST(e.partial().message.text() == "The ans");
    BOOST_TEST((e.failure().phase == weft::model_phase::stream));
    BOOST_TEST(!e.is_retryable());
}

BOOST_AUTO_TEST_CASE(an_error_in_front_of_everything_may_pass)
{
    const weft::model_error e = failure_of(read("{\"error\":\"CUDA error\"}\n"));
    BOOST_TEST((e.code() == errc::model_overloaded));
    BOOST_TEST(e.is_retryable());
    const weft::model_error signin =
        failure_of(read("{\"error\":\"unauthorized\",\"signin_url\":\"https://x/sign\"}\n"));
    BOOST_TEST(signin.detail() == "unauthorized; sign in at https://x/sign");
}

BOOST_AUTO_TEST_CASE(it_does_not_matter_where_a_stream_is_cut_into_pieces)
{
    for (const std::string_view body : all) piecewise::check_any_pieces(body, read_any);
}

BOOST_AUTO_TEST_CASE(a_stream_that_ends_after_any_byte_is_whole_or_harmless)
{
    for (const std::string_view body : all) piecewise::check_any_end(body, read_any);
}

BOOST_AUTO_TEST_CASE(the_last_line_may_lack_its_end)
{
    const outcome o = read(transcripts::normal.substr(0, transcripts::normal.size() - 1));
    BOOST_TEST(reply_of(o).message.text() == "Hello");
    BOOST_TEST((failure_of(read(transcripts::normal.substr(0, transcripts::normal.size() - 2))).code() ==
                errc::response_truncated));
}

BOOST_AUTO_TEST_CASE(a_count_that_is_missing_is_0_but_not_both)
{
    const auto usage_of = [](std::string_view counts) {
        const outcome o = read(R"({"message":{"content":"x"},"done":true)" + std::string{counts} + "}\n");
        return reply_of(o).usage;
    };
    BOOST_TEST(usage_of(R"(,"eval_count":5)").is_exact());
    BOOST_TEST(usage_of(R"(,"eval_count":5)").input.count() == 0);
    BOOST_TEST(usage_of(R"(,"prompt_eval_count":7)").input.count() == 7);
    BOOST_TEST(usage_of("").unreported == 1);
    BOOST_TEST(usage_of(R"(,"eval_count":"5")").unreported == 1);
}

BOOST_AUTO_TEST_CASE(the_reason_to_stop)
{
    const auto stop_of = [](std::string_view reason) {
        return reply_of(read("{\"done\":true,\"done_reason\":" + std::string{reason} + "}\n")).stop;
    };
    BOOST_TEST((stop_of("\"stop\"") == stop_reason::stop));
    BOOST_TEST((stop_of("\"length\"") == stop_reason::length));
    BOOST_TEST((stop_of("\"load\"") == stop_reason::unknown));
    BOOST_TEST((stop_of("null") == stop_reason::stop));
}

BOOST_AUTO_TEST_CASE(calls_without_ids_get_some)
{
    const outcome o = read(calls_line(R"({"function":{"name":"f","arguments":{"a":1}}},)"
                                      R"({"function":{"name":"f"}},)"
                                      R"({"function":{"name":"g","arguments":"{\"b\":2}"}})") +
                           std::string{done});
    const weft::chat_reply& reply = reply_of(o);
    BOOST_REQUIRE(reply.message.tool_calls.size() == 3);
    BOOST_TEST(reply.message.tool_calls[0].id.starts_with("call_"));
    BOOST_TEST(reply.message.tool_calls[0].id != reply.message.tool_calls[1].id);
    BOOST_TEST(reply.message.tool_calls[1].arguments == "{}");
    BOOST_TEST(reply.message.tool_calls[2].arguments == R"({"b":2})");
    BOOST_TEST(reply.warnings.empty());
}

BOOST_AUTO_TEST_CASE(calls_that_share_an_id_are_told_apart)
{
    const outcome o = read(calls_line(R"({"id":"a","function":{"name":"f"}},{"id":"a","function":{"name":"g"}})") +
                           std::string{done});
    BOOST_TEST(reply_of(o).message.tool_calls.at(1).id == "a_2");
    BOOST_TEST(reply_of(o).warnings.size() == 1);
}

BOOST_AUTO_TEST_CASE(halves_of_characters_are_joined)
{
    const outcome o = read(text_line("a\\ud83d") + text_line("\\ude00b\\ud83d") + std::string{done});
    BOOST_TEST(o.sink.text == "a😀b\xEF\xBF\xBD");
    BOOST_TEST(reply_of(o).message.text() == "a😀b\xEF\xBF\xBD");
}

BOOST_AUTO_TEST_CASE(members_of_another_type_are_not_given)
{
    const outcome o = read("{\"message\":[],\"done\":\"true\"}\r\n\r\n{\"message\":{\"content\":7,\"tool_calls\":"
                           "[null,{},{\"function\":[]}]}}\n" +
                           text_line("x") + std::string{done});
    BOOST_TEST(reply_of(o).message.text() == "x");
    BOOST_TEST(reply_of(o).message.tool_calls.empty());
}

BOOST_AUTO_TEST_CASE(what_is_no_line_of_a_reply_is_refused)
{
    BOOST_TEST((failure_of(read("no JSON\n")).code() == errc::invalid_model_reply));
    BOOST_TEST((failure_of(read("[1]\n")).code() == errc::invalid_model_reply));
    BOOST_TEST((failure_of(read(calls_line(R"({"function":{"arguments":{}}})"))).code() == errc::invalid_model_reply));
    BOOST_TEST((failure_of(read("")).code() == errc::response_truncated));
    const weft::model_error key = failure_of(read("{\"error\":\"bad " + std::string{piecewise::secret} + "\"}\n"));
    BOOST_TEST(key.detail() == "bad ***");
}

BOOST_AUTO_TEST_CASE(everything_has_a_limit)
{
    const weft::reply_limits small{.text_bytes_max = 8, .tool_calls_max = 2, .argument_bytes_max = 8};
    const auto code = [&](const std::string& body) { return failure_of(read(body, {}, small)).code(); };
    BOOST_TEST((code(text_line("12345") + text_line("6789")) == errc::response_too_large));
    const std::string f = R"({"function":{"name":"f"}})";
    BOOST_TEST((code(calls_line(f + "," + f + "," + f)) == errc::response_too_large));
    BOOST_TEST((code(calls_line(R"({"function":{"name":"f","arguments":{"long":1}}})")) == errc::response_too_large));
}

BOOST_AUTO_TEST_CASE(a_document_is_a_whole_reply)
{
    const outcome o = read_document(
        R"({"model":"m","message":{"role":"assistant","content":"Hi"},"done":true,"done_reason":"stop",)"
        R"("eval_count":1})");
    BOOST_TEST(reply_of(o).message.text() == "Hi");
    BOOST_TEST(o.sink.text == "Hi");
    const weft::model_error error = failure_of(read_document(R"({"error":"no"})"));
    BOOST_TEST((error.failure().phase == weft::model_phase::response));
    BOOST_TEST((failure_of(read_document(R"({"message":{"content":"Hi"}})")).code() == errc::response_truncated));
}

BOOST_AUTO_TEST_SUITE_END()
