#include <boost/test/unit_test.hpp>

#include "net/server/request_parser.hpp"

#include <boost/test/data/test_case.hpp>

#include <algorithm>
#include <ostream>
#include <random>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(request_parser_test)

using weft::net_detail::request_limits;
using weft::net_detail::request_parser;

struct outcome {
    std::string method;
    std::string target;
    std::string host;
    std::string body;
    bool is_done = false;
    bool keeps_alive = false;
    int failure = 0;
    std::string rest;
    friend bool operator==(const outcome&, const outcome&) = default;
    friend std::ostream& operator<<(std::ostream& out, const outcome& o)
    {
        return out << o.method << ' ' << o.target << " at " << o.host << " body \"" << o.body << "\" done " << o.is_done
                   << " alive " << o.keeps_alive << " failure " << o.failure << " rest \"" << o.rest << '"';
    }
};

/** Drives the parser as a connection does: what it leaves over comes first in the next piece. */
template <class NextSize>
outcome parse(std::string_view input, NextSize next_size, request_limits limits = {})
{
    request_parser parser{limits};
    parser.start();
    outcome result;
    std::string unread;
    while (!parser.is_done() && !parser.has_failed()) {
        if (!unread.empty()) {
            std::vector<char> exact{unread.begin(), unread.end()};  // so that a sanitizer sees every byte too far
            const auto step = parser.parse(exact.data(), exact.size());
            result.body.append(step.body);
            unread.erase(0, step.consumed);
            if (step.consumed > 0) continue;
            if (parser.has_failed()) break;
        }
        if (input.empty()) break;
        const std::size_t size = std::min<std::size_t>(next_size(), input.size());
        unread.append(input.substr(0, size));
        input.remove_prefix(size);
    }
    result.failure = parser.failure_status();
    if (parser.has_failed()) result.body.clear();  // how much of it came before depends on the cuts
    if (!parser.has_failed() && parser.is_head_done()) {
        result.method = parser.head().method;
        result.target = parser.head().target;
        result.host = parser.head().host;
        result.is_done = parser.is_done();
        result.keeps_alive = parser.keeps_alive();
    }
    if (result.is_done) result.rest = unread + std::string{input};
    return result;
}

outcome parse_whole(std::string_view input, request_limits limits = {})
{
    return parse(input, [&] { return input.size(); }, limits);
}

struct row {
    std::string_view what;
    std::string input;
    outcome expected;
    friend std::ostream& operator<<(std::ostream& out, const row& r) { return out << r.what; }
};

outcome done(std::string method, std::string target, std::string host, std::string body = {}, bool keeps_alive = true,
             std::string rest = {})
{
    return {std::move(method), std::move(target), std::move(host), std::move(body), true, keeps_alive, 0,
            std::move(rest)};
}

outcome refused(int status)
{
    outcome result;
    result.failure = status;
    return result;
}

const std::vector<row>& rows()
{
    static const std::vector<row> all{
        {"a GET", "GET /a?b=1 HTTP/1.1\r\nHost: x\r\n\r\n", done("GET", "/a?b=1", "x")},
        {"an empty line before it", "\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", done("GET", "/", "x")},
        {"two empty lines before it", "\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", refused(400)},
        {"a body with a length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcd",
         done("POST", "/", "x", "abc", true, "d")},
        {"a body in chunks",
         "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
         "3\r\nabc\r\n2;a=b\r\nde\r\n0\r\nT: 1\r\n\r\nGET",
         done("POST", "/", "x", "abcde", true, "GET")},
        {"a body in chunks that is empty",
         "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET",
         done("POST", "/", "x", "", true, "GET")},
        {"a second request behind it", "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\n",
         done("GET", "/", "x", "", true, "GET /2 HTTP/1.1\r\n")},
        {"a client that closes", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
         done("GET", "/", "x", "", false)},
        {"HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", done("GET", "/", "", "", false)},
        {"HTTP/1.0 that stays", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", done("GET", "/", "")},
        {"an absolute target", "GET http://h:1/p?q HTTP/1.1\r\nHost: other\r\n\r\n", done("GET", "/p?q", "h:1")},
        {"an absolute target without a path", "GET http://h?q HTTP/1.1\r\nHost: h\r\n\r\n", done("GET", "/?q", "h")},
        {"OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", done("OPTIONS", "*", "x")},
        {"an unknown method", "BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n", done("BREW", "/pot", "x")},
        {"an empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", done("GET", "/", "")},

        {"GET *", "GET * HTTP/1.1\r\nHost: x\r\n\r\n", refused(400)},
        {"CONNECT", "CONNECT h:443 HTTP/1.1\r\nHost: x\r\n\r\n", refused(400)},
        {"a fragment", "GET /a#b HTTP/1.1\r\nHost: x\r\n\r\n", refused(400)},
        {"no host", "GET / HTTP/1.1\r\n\r\n", refused(400)},
        {"two hosts", "GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", refused(400)},
        {"a host with a path", "GET / HTTP/1.1\r\nHost: x/y\r\n\r\n", refused(400)},
        {"user and host", "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", refused(400)},
        {"two lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
         refused(400)},
        {"a list of lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3, 3\r\n\r\nabc", refused(400)},
        {"a negative length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", refused(400)},
        {"a length with a sign", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +3\r\n\r\nabc", refused(400)},
        {"length and encoding",
         "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
         "0\r\n\r\n", refused(400)},
        {"encoding and length",
         "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"
         "0\r\n\r\n", refused(400)},
        {"two encodings",
         "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         refused(400)},
        {"chunks and gzip", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
         refused(501)},
        {"an encoding that only looks like chunked",
         "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", refused(501)},
        {"chunks in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", refused(400)},
        {"lines without CR", "GET / HTTP/1.1\nHost: x\n\n", refused(400)},
        {"one line without CR", "GET / HTTP/1.1\r\nHost: x\nX: y\r\n\r\n", refused(400)},
        {"a CR alone", "GET / HTTP/1.1\r\nHost: x\r\nX: a\rb\r\n\r\n", refused(400)},
        {"a NUL", "GET / HTTP/1.1\r\nHost: x\r\nX: a" + std::string(1, '\0') + "b\r\n\r\n", refused(400)},
        {"a folded header", "GET / HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n", refused(400)},
        {"a fold before the first header", "GET / HTTP/1.1\r\n Host: x\r\n\r\n", refused(400)},
        {"a blank before the colon", "GET / HTTP/1.1\r\nHost : x\r\n\r\n", refused(400)},
        {"a header without a colon", "GET / HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n", refused(400)},
        {"two blanks in the line", "GET  / HTTP/1.1\r\nHost: x\r\n\r\n", refused(400)},
        {"HTTP/2 in disguise", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", refused(505)},
        {"a version that is too short", "GET / 1\r\n\r\n", refused(400)},
        {"a line of HTTP/0.9", "GET /\r\n\r\n", refused(400)},
        {"HTTP/1.2", "GET / HTTP/1.2\r\nHost: x\r\n\r\n", refused(505)},
        {"TLS on a plain port", "\x16\x03\x01\x02\x01\n", refused(400)},
        {"an unknown expectation", "POST / HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n", refused(417)},
        {"a chunk without a size", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\r\nabc\r\n",
         refused(400)},
        {"a chunk whose size is too large",
         "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nabc\r\n", refused(400)},
        {"a chunk with 0x", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0x3\r\nabc\r\n0\r\n\r\n",
         refused(400)},
        {"a chunk that is longer than it says",
         "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n", refused(400)},
        {"a chunk whose line has no CR",
         "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n", refused(400)},
        {"a chunk extension with a bare LF",
         "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3;a\nb\r\nabc\r\n0\r\n\r\n", refused(400)},
        {"a long chunk extension",
         "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3;" + std::string(300, 'a') +
             "\r\nabc\r\n0\r\n\r\n",
         refused(400)},
        {"a long request line", "GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n", refused(414)},
        {"a long header", "GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(17'000, 'a') + "\r\n\r\n", refused(431)},
    };
    return all;
}

std::string headers(int count)
{
    std::string head = "GET / HTTP/1.1\r\nHost: x\r\n";
    for (int i = 1; i < count; ++i) head += "X: y\r\n";
    return head + "\r\n";
}

BOOST_DATA_TEST_CASE(a_request_is_read_or_refused, rows(), row)
{
    const outcome got = parse_whole(row.input);
    BOOST_TEST(got == row.expected);
}

BOOST_DATA_TEST_CASE(the_same_comes_out_wherever_the_bytes_are_cut, rows(), row)
{
    BOOST_TEST(parse(row.input, [] { return std::size_t{1}; }) == row.expected);
    std::mt19937 random{7};
    for (int i = 0; i < 50; ++i) {
        const auto next = [&random] { return std::size_t{1} + random() % 40; };
        BOOST_TEST(parse(row.input, next) == row.expected);
    }
}

BOOST_AUTO_TEST_CASE(the_number_of_headers_is_bounded)
{
    BOOST_TEST(parse_whole(headers(100)).is_done);
    BOOST_TEST(parse_whole(headers(101)).failure == 431);
}

BOOST_AUTO_TEST_CASE(a_head_that_never_ends_is_refused_before_it_is_kept)
{
    request_parser parser;
    parser.start();
    std::string head = "GET / HTTP/1.1\r\n";
    while (!parser.has_failed() && head.size() < 1'000'000) {
        head += "X: y\r\n";
        (void)parser.parse(head.data(), head.size());
    }
    BOOST_TEST(parser.failure_status() == 431);
    BOOST_TEST(head.size() < 17'000u);
}

BOOST_AUTO_TEST_CASE(a_parser_reads_requests_one_after_the_other)
{
    request_parser parser;
    std::string input = "POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\naGET /2 HTTP/1.1\r\nHost: x\r\n\r\n";
    std::string targets;
    while (!input.empty()) {
        parser.start();
        while (!parser.is_done()) input.erase(0, parser.parse(input.data(), input.size()).consumed);
        targets += parser.head().target;
    }
    BOOST_TEST(targets == "/1/2");
}

BOOST_AUTO_TEST_CASE(the_length_of_a_body_is_known_from_the_head)
{
    request_parser parser;
    const auto head_of = [&parser](std::string input) {
        parser.start();
        (void)parser.parse(input.data(), input.size());
        return parser.content_length();
    };
    BOOST_TEST((head_of("GET / HTTP/1.1\r\nHost: x\r\n\r\n") == std::optional<std::uint64_t>{0}));
    BOOST_TEST((head_of("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n") == std::optional<std::uint64_t>{7}));
    BOOST_TEST(!head_of("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"));
}

BOOST_AUTO_TEST_SUITE_END()
