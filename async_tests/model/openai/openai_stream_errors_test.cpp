#include <boost/test/unit_test.hpp>

#include "model/stream_reader.hpp"

#include <string>

BOOST_AUTO_TEST_SUITE(openai_stream_errors_test)

using weft::errc;

BOOST_AUTO_TEST_CASE(every_shape_of_error_is_found)
{
    const std::string cases[] = {
        "data: {\"error\":{\"message\":\"boom\",\"code\":503}}\n\n",
        "data: {\"error\":{\"message\":\"boom\",\"code\":\"503\"},\"choices\":[]}\n\n",
        "event: error\ndata: {\"error\":{\"message\":\"boom\",\"code\":503}}\n\n",
        "event: error\ndata: {\"message\":\"boom\",\"code\":503}\n\n",
        "error: {\"message\":\"boom\",\"code\":503}\n\n",
        "data: {\"object\":\"error\",\"message\":\"boom\",\"code\":503}\n\n",
        "data: [{\"error\":{\"message\":\"boom\",\"code\":503}}]\n\n",
        "data: {\"x_groq\":{\"id\":\"r\",\"error\":{\"message\":\"boom\",\"code\":503}}}\n\n",
        "{\"error\":{\"message\":\"boom\",\"code\":503}}\n",
        "{\n\"error\": {\n  \"message\": \"boom\",\n  \"code\": 503\n}\n}\n",
    };
    for (const std::string& report : cases) {
        BOOST_TEST_CONTEXT(report) {
            const outcome before = read_stream(report + "data: [DONE]\n\n");
            const bool is_stray = report.front() == '{';
            const outcome o = is_stray ? read_stream(report) : before;
            BOOST_TEST((failure_of(o).code() == errc::model_overloaded));
            BOOST_TEST(failure_of(o).failure().status == 503);
            BOOST_TEST(failure_of(o).detail().find("boom") != std::string::npos);
            BOOST_TEST(failure_of(o).is_retryable());
            const outcome after = read_stream(events({delta(R"({"content":"x"})")}, "") + report);
            BOOST_TEST((failure_of(after).code() == errc::model_stream_error));
            BOOST_TEST(!failure_of(after).is_retryable());
            BOOST_TEST(failure_of(after).partial().message.text() == "x");
        }
    }
}

BOOST_AUTO_TEST_CASE(an_error_without_structure_is_found)
{
    for (const char* body : {"data: {\"error\":\"boom\"}\n\n", "event: error\ndata: boom\n\n", "error: boom\n\n",
                             "data: {\"x_groq\":{\"error\":\"boom\"}}\n\n"}) {
        const outcome o = read_stream(body);
        BOOST_TEST((failure_of(o).code() == errc::model_stream_error));
        BOOST_TEST(failure_of(o).detail() == "boom");
        BOOST_TEST(!failure_of(o).is_retryable());
    }
}

BOOST_AUTO_TEST_CASE(a_finish_reason_may_be_an_error)
{
    for (const char* word : {"error", "insufficient_system_resource"}) {
        const outcome o = read_stream(events({delta(R"({"content":"x"})"), delta("{}", word)}));
        BOOST_TEST((failure_of(o).code() == errc::model_stream_error));
        BOOST_TEST(failure_of(o).failure().is_transient);
        BOOST_TEST(failure_of(o).partial().message.text() == "x");
    }
}

BOOST_AUTO_TEST_CASE(text_beside_an_error_counts)
{
    const outcome o =
        read_stream(events({R"({"error":{"message":"boom"},"choices":[{"index":0,"delta":{"content":"x"}}]})"}));
    BOOST_TEST(failure_of(o).partial().message.text() == "x");
    BOOST_TEST((failure_of(o).code() == errc::model_stream_error));
}

BOOST_AUTO_TEST_CASE(the_key_is_blotted_out_of_errors)
{
    const outcome o = read_stream(events({R"({"error":{"message":"bad key sk-TEST-0123456789","code":401}})"}));
    BOOST_TEST((failure_of(o).code() == errc::model_unauthorized));
    BOOST_TEST(o.log().find("0123456789") == std::string::npos);
    const outcome garbage = read_stream("data: {sk-TEST-0123456789\n\n");
    BOOST_TEST((failure_of(garbage).code() == errc::invalid_model_reply));
    BOOST_TEST(garbage.log().find("0123456789") == std::string::npos);
}

// Bad input.

BOOST_AUTO_TEST_CASE(an_event_that_is_no_json_object_is_an_error_with_what_had_arrived)
{
    for (const char* chunk : {"{\"choices\":", "hello", "[]", "7", "null", "[7]", "\"x\""}) {
        const outcome o = read_stream(events({delta(R"({"content":"x"})"), chunk}));
        BOOST_TEST((failure_of(o).code() == errc::invalid_model_reply));
        BOOST_TEST(failure_of(o).partial().message.text() == "x");
        BOOST_TEST(!failure_of(o).is_retryable());
    }
}

BOOST_AUTO_TEST_CASE(json_nested_without_end_is_refused)
{
    const outcome o = read_stream(events({std::string(100'000, '[')}));
    BOOST_TEST((failure_of(o).code() == errc::invalid_model_reply));
}

BOOST_AUTO_TEST_CASE(a_reply_without_end_is_refused)
{
    weft::reply_limits limits;
    limits.text_bytes_max = 10;
    const std::string four = delta(R"({"content":"abcd"})");
    const std::string thought = delta(R"({"reasoning":"abcd"})");
    const std::string detail = delta(R"({"reasoning_details":[{"type":"x"}]})");
    BOOST_TEST(read_stream(events({four, thought, delta("{}", "stop")}), {.limits = limits}).reply.has_value());
    for (const std::string& last : {four, thought, detail}) {
        const outcome o = read_stream(events({four, thought, last}), {.limits = limits});
        BOOST_TEST((failure_of(o).code() == errc::response_too_large));
        BOOST_TEST(!failure_of(o).is_retryable());
        BOOST_TEST(failure_of(o).partial().message.text() == "abcd");
    }
}

BOOST_AUTO_TEST_SUITE_END()
