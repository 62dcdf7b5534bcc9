// Fuzzes the parser of requests: however the bytes of a client are cut, the same request or the same refusal comes out,
// in bounded memory, and a request that is taken has one meaning.

#include "net/server/request_parser.hpp"
#include "stream_pieces.hpp"

#include <vector>

namespace {

using stream_pieces::require;
using weft::net_detail::request_limits;
using weft::net_detail::request_parser;

constexpr std::string_view pieces[] = {
    "GET / HTTP/1.1\r\n", "POST /a?b=c HTTP/1.1\r\n", "HTTP/1.0\r\n",  "Host: x\r\n",  "Content-Length: ",
    "Transfer-Encoding: chunked\r\n", "Connection: close\r\n", "Expect: 100-continue\r\n", "X: y\r\n", "\r\n",
    "\r\n\r\n", "\n", "\r", ":", " ", "0", "3", "5\r\nhello\r\n", "0\r\n\r\n", ";a=b", "T: 1\r\n", "http://h/p", "*",
        "%00",
};

request_limits narrow()
{
    request_limits limits;
    limits.line_bytes_max = 100;
    limits.head_bytes_max = 300;
    limits.fields_max = 6;
    return limits;
}

/** What becomes of the input, as one text. */
std::string outcome_of(std::string_view input, const std::function<std::size_t()>& next_size)
{
    request_parser parser{narrow()};
    parser.start();
    std::string body;
    std::string unread;
    while (!parser.is_done() && !parser.has_failed()) {
        if (!unread.empty()) {
            std::vector<char> exact{unread.begin(), unread.end()};  // so that a sanitizer sees every byte too far
            const request_parser::result step = parser.parse(exact.data(), exact.size());
            require(step.consumed <= unread.size() && step.body.size() <= unread.size());
            body.append(step.body);
            unread.erase(0, step.consumed);
            if (step.consumed > 0) continue;
            if (parser.has_failed()) break;
        }
        require(unread.size() <= 2 * 300);  // of a head that is not whole, or of the line of a chunk
        if (input.empty()) break;
        const std::size_t size = std::min(next_size(), input.size());
        unread.append(input.substr(0, size));
        input.remove_prefix(size);
    }
    if (parser.has_failed()) {
        require(parser.failure_status() >= 400 && !parser.failure_text().empty());
        return "refused";  // of several mistakes, which one is seen first depends on the cuts
    }
    if (!parser.is_done()) return "not whole";
    require(!parser.head().method.empty() && !parser.head().target.empty());
    require(parser.head().target.find_first_of(" \r\n") == std::string::npos);
    if (const auto length = parser.content_length()) require(*length == body.size());
    return parser.head().method + ' ' + parser.head().target + ' ' + parser.head().host + " [" + body + "] " +
           (parser.keeps_alive() ? "stays" : "closes") + " rest " + unread + std::string{input};
}

void check_every_cut(std::string_view input)
{
    const std::string whole = outcome_of(input, [&] { return std::size_t{250}; });
    std::minstd_rand random{static_cast<unsigned>(input.size()) + 1};
    require(outcome_of(input, [] { return std::size_t{1}; }) == whole);
    require(outcome_of(input, [&] { return std::size_t{1 + random() % 40}; }) == whole);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    check_every_cut({reinterpret_cast<const char*>(data), size});
    check_every_cut(stream_pieces::spelled_out(pieces, data, size));
    return 0;
}
