#include <boost/test/unit_test.hpp>

#include "net/server/arrival_pace.hpp"
#include "net/server/http_date.hpp"
#include "net/server/reply_head.hpp"

#include <weft/net/server/http_reply.hpp>

#include <boost/json/parse.hpp>

BOOST_AUTO_TEST_SUITE(reply_head_test)

using namespace std::chrono_literals;
using namespace weft::net_detail;

std::string head(int status, reply_framing framing, std::string_view type = "text/plain")
{
    std::string out;
    weft::http_headers headers;
    headers.add("X-A", "b");
    append_reply_head(out, status, type, headers, framing, "now");
    return out;
}

BOOST_AUTO_TEST_CASE(an_answer_says_its_length_or_comes_in_chunks)
{
    BOOST_TEST(head(200, {.content_length = 5}) ==
               "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nX-A: b\r\n\r\n");
    BOOST_TEST(head(200, {}) ==
               "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Type: text/plain\r\n"
               "Transfer-Encoding: chunked\r\nX-A: b\r\n\r\n");
    BOOST_TEST(head(404, {.content_length = 0, .closes = true}, "") ==
               "HTTP/1.1 404 Not Found\r\nDate: now\r\nContent-Length: 0\r\nConnection: close\r\nX-A: b\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(an_answer_to_http_1_0_has_no_chunks)
{
    BOOST_TEST(head(200, {.content_length = std::nullopt, .is_http_1_0 = true, .closes = true}, "") ==
               "HTTP/1.1 200 OK\r\nDate: now\r\nConnection: close\r\nX-A: b\r\n\r\n");
    BOOST_TEST(head(200, {.content_length = 1, .is_http_1_0 = true}, "").find("Connection: keep-alive") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_answer_without_a_body_says_neither)
{
    BOOST_TEST(head(204, {}, "") == "HTTP/1.1 204 No Content\r\nDate: now\r\nX-A: b\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(chunks_say_their_size_in_hexadecimal)
{
    std::string out;
    append_chunk(out, std::string(26, 'x'));
    append_chunk(out, "");
    BOOST_TEST(out == "1a\r\n" + std::string(26, 'x') + "\r\n");
}

BOOST_AUTO_TEST_CASE(statuses_have_a_reason)
{
    BOOST_TEST(weft::http_reason(200) == "OK");
    BOOST_TEST(weft::http_reason(507) == "Insufficient Storage");
    BOOST_TEST(weft::http_reason(299) == "");
}

BOOST_AUTO_TEST_CASE(an_error_is_json_whatever_its_text)
{
    const auto value = boost::json::parse(error_body("bad", "a \"quote\"\n"));
    BOOST_TEST(value.at("error").at("code").as_string() == "bad");
    BOOST_TEST(value.at("error").at("message").as_string() == "a \"quote\"\n");
}

BOOST_AUTO_TEST_CASE(a_date_is_written_as_http_wants_it)
{
    http_date date;
    const auto moment = std::chrono::system_clock::from_time_t(784111777);
    BOOST_TEST(date.text(moment) == "Sun, 06 Nov 1994 08:49:37 GMT");
    BOOST_TEST(date.text(moment + 999ms) == "Sun, 06 Nov 1994 08:49:37 GMT");
    BOOST_TEST(date.text(moment + 1s) == "Sun, 06 Nov 1994 08:49:38 GMT");
}

BOOST_AUTO_TEST_CASE(a_body_may_fall_behind_its_pace_by_the_grace)
{
    const weft::time_point start{1h};
    arrival_pace pace{5s, 1000};
    BOOST_TEST((pace.deadline(start) == start + 5s));
    pace.arrived(2000, 1s);  // two seconds earned, one used up
    BOOST_TEST((pace.deadline(start + 1s) == start + 1s + 5s + 2s - 1s));
    // A handler that reads late takes nothing from the client's time.
    BOOST_TEST((pace.deadline(start + 100s) == start + 100s + 6s));
    pace.arrived(1, 6s);
    BOOST_TEST((pace.deadline(start + 106s) < start + 106s + 1ms + 1us));
}

BOOST_AUTO_TEST_SUITE_END()
