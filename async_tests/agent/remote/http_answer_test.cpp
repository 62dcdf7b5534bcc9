#include "agent/remote/http_answer.hpp"

#include <weft/base/error.hpp>

#include <boost/json/object.hpp>

#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>

BOOST_AUTO_TEST_SUITE(http_answer_test)

using namespace weft::agent_detail;
using weft::errc;

namespace {

weft::http_response_head head_of(int status, std::string_view retry_after = {})
{
    weft::http_response_head head;
    head.status = status;
    if (!retry_after.empty()) head.headers.set("Retry-After", retry_after);
    return head;
}

std::string told(std::string_view body, int status = 400) { return refusal_of(head_of(status), body)->detail; }

/** What watchers hear and the answer, of a stream that comes in pieces of a size. */
std::string heard(std::string_view stream, std::size_t piece)
{
    std::string line;
    event_answer events{"here", [&](std::string_view kind, std::string_view text) {
        line.append(kind).append("=").append(text).append(" ");
    }};
    for (std::size_t at = 0; at < stream.size(); at += piece)
        if (events.feed(stream.substr(at, piece))) break;
    events.finish();
    const boost::json::value& answer = events.answer();
    return line + (answer.is_object() ? "object" : std::string{std::string_view{answer.as_string()}});
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_status_is_a_success_a_refusal_or_something_that_may_pass)
{
    for (const int status : {200, 201, 204, 299}) BOOST_TEST(!refusal_of(head_of(status), "x"));
    for (const int status : {301, 307, 400, 401, 404, 409, 422})
        BOOST_TEST((refusal_of(head_of(status), "x")->code == errc::http_refused));
    for (const int status : {408, 425, 429, 500, 502, 503, 599})
        BOOST_TEST((refusal_of(head_of(status), "x")->code == errc::http_unavailable));
    BOOST_TEST((refusal_of(head_of(429, "7"), "")->retry_after == std::chrono::seconds{7}));
    BOOST_TEST(!refusal_of(head_of(429), "")->retry_after);
    BOOST_TEST(!refusal_of(head_of(404, "7"), "")->retry_after);
}

BOOST_AUTO_TEST_CASE(the_text_for_people_is_found_in_the_body)
{
    BOOST_TEST(told("  no such thing\n") == "status 400: no such thing");
    BOOST_TEST(told("") == "status 400");
    BOOST_TEST(told(R"({"message":"m","error":"e"})") == "status 400: m");
    BOOST_TEST(told(R"({"detail":"d"})", 503) == "status 503: d");
    BOOST_TEST(told(R"({"error":{"message":"deep"}})") == "status 400: deep");
    BOOST_TEST(told(R"({"detail":[{"msg":"list"}]})") == R"(status 400: {"detail":[{"msg":"list"}]})");
    const std::string most(199, 'x');
    BOOST_TEST(told(most + "\xc3\xa4\xc3\xa4") == "status 400: " + most + "\xc3\xa4…");
    BOOST_TEST(told("\xff") == "status 400: \xef\xbf\xbd");
}

BOOST_AUTO_TEST_CASE(a_body_is_json_or_text)
{
    BOOST_TEST(value_of_body("application/json", R"({"a":1})", "here").is_object());
    BOOST_TEST(value_of_body("application/problem+json", "[1]", "here").is_array());
    BOOST_TEST(value_of_body("application/json", " \n", "here").is_null());
    BOOST_TEST(value_of_body("text/plain", R"({"a":1})", "here").is_string());
    BOOST_TEST(value_of_body("", "x", "here").as_string() == "x");
    const auto code = [](std::string_view type, std::string body) {
        try {
            (void)value_of_body(type, std::move(body), "here");
        } catch (const weft::error& e) {
            return e.code();
        }
        return errc{};
    };
    BOOST_TEST((code("application/json", "{") == errc::invalid_json));
    BOOST_TEST((code("image/png", "\x89PNG\xff") == errc::invalid_output));
}

BOOST_AUTO_TEST_CASE(a_stream_says_the_same_wherever_it_is_cut)
{
    constexpr std::string_view with_result = ": hello\n\ndata: a\ndata: b\n\nevent: usage\ndata: {}\n\n"
                                             "event: step\r\ndata: 1\r\n\r\nevent: result\ndata: {\"k\": 1}\n\n"
                                             "event: error\ndata: late\n\n";
    constexpr std::string_view without = "data: one\n\ndata: two\n\n";
    for (std::size_t piece = 1; piece <= with_result.size(); ++piece)
        BOOST_TEST(heard(with_result, piece) == "output=a\nb custom={} step=1 object");
    for (std::size_t piece = 1; piece <= without.size(); ++piece)
        BOOST_TEST(heard(without, piece) == "output=one output=two two");
    // The last event counts although the blank line behind it is missing.
    BOOST_TEST(heard("data: one\n\ndata: two\n", 3) == "output=one output=two two");
}

BOOST_AUTO_TEST_CASE(a_stream_that_fails_or_says_nothing_has_no_answer)
{
    const auto code = [](std::string_view stream) {
        try {
            (void)heard(stream, 5);
        } catch (const weft::error& e) {
            return e.code();
        }
        return errc{};
    };
    BOOST_TEST((code("data: one\n\nevent: error\ndata: broken\n\n") == errc::http_refused));
    BOOST_TEST((code(": nothing\n\n") == errc::invalid_output));
    BOOST_TEST((code("") == errc::invalid_output));
}

BOOST_AUTO_TEST_SUITE_END()
