#include <boost/test/unit_test.hpp>

#include "net/connection/response_parser.hpp"

#include <boost/test/data/test_case.hpp>

#include <algorithm>
#include <random>
#include <vector>

BOOST_AUTO_TEST_SUITE(response_parser_test)

using weft::errc;
using weft::http_response_head;
using weft::net_detail::response_limits;
using weft::net_detail::response_parser;

constexpr response_limits limits{.head_bytes_max = 1024, .body_bytes_max = 4096};

struct outcome {
    int status = 0;
    std::string body;
    bool is_done = false;
    bool keeps_alive = false;
    bool has_failed = false;
    errc code{};
    std::string rest;
    friend bool operator==(const outcome&, const outcome&) = default;
};

/** Drives the parser as a connection does: what it leaves over comes first in the next piece. */
template <class NextSize>
outcome parse(std::string_view input, NextSize next_size, bool is_head_request = false)
{
    response_parser parser;
    parser.start(limits, is_head_request);
    outcome result;
    std::string unread;
    while (!input.empty() && !parser.is_done() && !parser.has_failed()) {
        const std::size_t size = std::min<std::size_t>(next_size(), input.size());
        unread.append(input.substr(0, size));
        input.remove_prefix(size);
        std::vector<char> exact{unread.begin(), unread.end()};  // so that a sanitizer sees every byte too far
        const auto step = parser.parse(exact.data(), exact.size());
        result.body.append(step.body);
        unread.erase(0, step.consumed);
    }
    if (!parser.is_done() && !parser.has_failed()) parser.end_of_input();
    result.is_done = parser.is_done() && !parser.has_failed();
    result.has_failed = parser.has_failed();
    if (result.has_failed) result.code = parser.failure_code();
    if (result.is_done) result.keeps_alive = parser.keeps_alive();
    if (parser.is_head_done()) result.status = parser.take_head().status;
    if (result.is_done) result.rest = unread + std::string{input};
    return result;
}

outcome parse_whole(std::string_view input, bool is_head_request = false)
{
    return parse(input, [&] { return input.size(); }, is_head_request);
}

struct response_vector {
    std::string name, input;
    outcome expected;
    friend std::ostream& operator<<(std::ostream& out, const response_vector& v) { return out << v.name; }
};

outcome complete(int status, std::string body, bool keeps_alive = true)
{
    return {status, std::move(body), true, keeps_alive, false, {}, {}};
}
outcome truncated(int status, std::string body) { return {status, std::move(body), false, false, false, {}, {}}; }
outcome failed(int status, std::string body, errc code)
{
    return {status, std::move(body), false, false, true, code, {}};
}

std::string chunked_response(const std::string& body)
{
    return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body;
}

const response_vector responses[] = {
    {"content length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", complete(200, "hello")},
    {"empty body", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", complete(200, "")},
    {"no reason", "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", complete(200, "")},
    {"W11 neither reason nor blank", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi", complete(200, "hi")},
    {"W11 neither reason nor header", "HTTP/1.0 200\r\n\r\nhi", complete(200, "hi", false)},
    {"W11 interim responses without reason",
     "HTTP/1.1 100\r\n\r\nHTTP/1.1 103\r\nLink: x\r\n\r\nHTTP/1.1 201\r\nContent-Length: 2\r\n\r\nhi",
     complete(201, "hi")},
    {"W11 a status that is none", "HTTP/1.1 2x0\r\nContent-Length: 2\r\n\r\nhi", failed(0, "", errc::invalid_response)},
    {"no content", "HTTP/1.1 204 No Content\r\n\r\n", complete(204, "")},
    {"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\n\r\n",
     complete(200, "hello world")},
    {"chunked and empty", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", complete(200, "")},
    {"chunk extensions and trailers",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nhi\r\n0;x\r\nX-Sum: 1\r\nY: 2\r\n\r\n",
     complete(200, "hi")},
    {"until the end of the stream", "HTTP/1.1 200 OK\r\n\r\nall of it", complete(200, "all of it", false)},
    {"http 1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", complete(200, "hi", false)},
    {"connection close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi",
     complete(200, "hi", false)},
    {"interim responses are skipped",
     "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
     "HTTP/1.1 201 C\r\nContent-Length: 2\r\n\r\nhi",
     complete(201, "hi")},
    {"redirects are responses like others", "HTTP/1.1 302 F\r\nLocation: http://x/\r\nContent-Length: 0\r\n\r\n",
     complete(302, "")},
    {"truncated head", "HTTP/1.1 200 OK\r\nContent-Le", truncated(0, "")},
    {"truncated content length", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", truncated(200, "hello")},
    {"truncated in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", truncated(200, "hel")},
    {"last chunk missing", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
     truncated(200, "hello")},
    {"last chunk cut", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
     truncated(200, "hello")},
    {"only interim", "HTTP/1.1 100 Continue\r\n\r\n", truncated(0, "")},
    {"not http", "SSH-2.0-OpenSSH_9.2\r\n\r\n", failed(0, "", errc::invalid_response)},
    {"bad chunk size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
     failed(200, "", errc::invalid_response)},
    {"chunk without its line end", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhiXXXX",
     failed(200, "hi", errc::invalid_response)},
    {"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi",
     failed(0, "", errc::invalid_response)},
    {"length and chunked", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
     failed(0, "", errc::invalid_response)},
    {"chunked and length", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n",
     failed(0, "", errc::invalid_response)},
    {"negative length", "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n", failed(0, "", errc::invalid_response)},
    {"other transfer encoding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
     failed(200, "", errc::invalid_response)},
    {"compressed", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n",
     failed(200, "", errc::invalid_response)},
    {"switching protocols", "HTTP/1.1 101 S\r\n\r\n", failed(101, "", errc::invalid_response)},
    {"line break in a header", "HTTP/1.1 200 OK\r\nA: b\nc\r\n\r\n", failed(0, "", errc::invalid_response)},
    {"body larger than allowed", "HTTP/1.1 200 OK\r\nContent-Length: 4097\r\n\r\n",
     failed(200, "", errc::response_too_large)},
    {"chunk larger than allowed", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1001\r\n",
     failed(200, "", errc::response_too_large)},
    {"W12 chunk line as large as allowed", chunked_response("1;" + std::string(1020, 'x') + "\r\n!\r\n0\r\n\r\n"),
     complete(200, "!")},
    {"W12 chunk line larger than allowed", chunked_response("1;" + std::string(1021, 'x') + "\r\n!\r\n0\r\n\r\n"),
     failed(200, "", errc::response_too_large)},
    {"W12 second chunk line larger than allowed",
     chunked_response("2\r\nhi\r\n1;" + std::string(1019, 'x') + "\r\n!\r\n0\r\n\r\n"),
     failed(200, "hi", errc::response_too_large)},
    {"W12 chunk size with too many zeros", chunked_response(std::string(1023, '0') + "1\r\n!\r\n0\r\n\r\n"),
     failed(200, "", errc::response_too_large)},
    {"W12 trailers as large as allowed",
     chunked_response("2\r\nhi\r\n0\r\nA: " + std::string(1012, 'x') + "\r\n\r\n"), complete(200, "hi")},
    {"W12 trailers larger than allowed",
     chunked_response("2\r\nhi\r\n0\r\nA: " + std::string(1013, 'x') + "\r\n\r\n"),
     failed(200, "hi", errc::response_too_large)},
    {"head larger than allowed", "HTTP/1.1 200 OK\r\nA: " + std::string(1024, 'x') + "\r\n\r\n",
     failed(0, "", errc::response_too_large)},
};

BOOST_DATA_TEST_CASE(a_response_is_taken_apart_in_one_piece, boost::unit_test::data::make(responses))
{
    const outcome result = parse_whole(sample.input);
    BOOST_TEST((result == sample.expected));
}

BOOST_DATA_TEST_CASE(a_response_is_taken_apart_byte_by_byte, boost::unit_test::data::make(responses))
{
    BOOST_TEST((parse(sample.input, [] { return 1; }) == sample.expected));
}

BOOST_DATA_TEST_CASE(a_response_is_taken_apart_however_it_is_cut, boost::unit_test::data::make(responses))
{
    std::minstd_rand random{7};
    for (int round = 0; round < 100; ++round)
        BOOST_TEST((parse(sample.input, [&] { return 1 + random() % 20; }) == sample.expected));
}

BOOST_AUTO_TEST_CASE(the_answer_to_a_head_request_has_no_body)
{
    const outcome result = parse_whole("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", true);
    BOOST_TEST((result == complete(200, "")));
}

BOOST_AUTO_TEST_CASE(bytes_after_the_response_are_left_over)
{
    outcome expected = complete(200, "hi");
    expected.rest = "HTTP/1.1 200 OK";
    BOOST_TEST((parse_whole("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 200 OK") == expected));
}

BOOST_AUTO_TEST_CASE(the_chunks_of_one_piece_become_one_view_into_it)
{
    std::string input = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (int i = 0; i < 100; ++i) input += "a\r\ndata: " + std::to_string(1000 + i) + "\r\n";
    response_parser parser;
    parser.start(limits, false);
    const char* const begin = input.data();
    const auto step = parser.parse(input.data(), input.size());
    BOOST_TEST(step.body.size() == 1000u);
    BOOST_TEST((step.body.data() >= begin && step.body.data() + step.body.size() <= begin + input.size()));
    for (std::size_t i = 0; i < 100; ++i)
        BOOST_TEST(step.body.substr(i * 10, 10) == "data: " + std::to_string(1000 + i));
}

BOOST_AUTO_TEST_CASE(the_head_keeps_all_fields_but_no_trailers)
{
    std::string input = "HTTP/1.1 429 Too Many\r\nRetry-After: 2\r\nX-A: 1\r\nx-a: 2\r\n"
                        "Transfer-Encoding: chunked\r\n\r\n0\r\nX-Trailer: 1\r\n\r\n";
    response_parser parser;
    parser.start(limits, false);
    (void)parser.parse(input.data(), input.size());
    const http_response_head head = parser.take_head();
    BOOST_TEST(head.status == 429);
    BOOST_TEST(head.reason == "Too Many");
    BOOST_TEST(head.headers.size() == 4u);
    BOOST_TEST(head.headers.find("retry-after").value() == "2");
    BOOST_TEST(!head.headers.contains("x-trailer"));
}

BOOST_AUTO_TEST_CASE(a_head_that_never_ends_fails_at_its_limit)
{
    const auto endless = [](std::string_view line) {
        response_parser parser;
        parser.start(limits, false);
        std::string unread = "HTTP/1.1 200 OK\r\n";
        std::size_t fed = unread.size();
        while (!parser.has_failed() && fed < 100'000) {
            unread += line;
            fed += line.size();
            const auto step = parser.parse(unread.data(), unread.size());
            unread.erase(0, step.consumed);
        }
        BOOST_TEST(parser.has_failed());
        BOOST_TEST((parser.failure_code() == errc::response_too_large));
        return fed;
    };
    BOOST_TEST(endless("A: b\r\n") <= 1024u + 8);  // each line is taken as it comes
    BOOST_TEST(endless("x") <= 1024u + 8);
}

BOOST_AUTO_TEST_CASE(endless_interim_responses_fail_at_the_limit_of_the_head)
{
    response_parser parser;
    parser.start(limits, false);
    std::size_t fed = 0;
    while (!parser.has_failed() && fed < 100'000) {
        std::string interim = "HTTP/1.1 100 Continue\r\n\r\n";
        fed += interim.size();
        (void)parser.parse(interim.data(), interim.size());
    }
    BOOST_TEST(parser.has_failed());
    BOOST_TEST(fed < 2048u);
}

BOOST_AUTO_TEST_CASE(one_parser_takes_several_responses_one_after_the_other)
{
    response_parser parser;
    for (int i = 0; i < 3; ++i) {
        parser.start(limits, false);
        std::string input = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
        BOOST_TEST(parser.parse(input.data(), input.size()).body == "hi");
        BOOST_TEST(parser.is_done());
        BOOST_TEST(parser.keeps_alive());
    }
}

BOOST_AUTO_TEST_SUITE_END()
