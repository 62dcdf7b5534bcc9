#include "reply_head.hpp"

#include <weft/net/server/http_reply.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <charconv>

namespace weft::net_detail {

namespace {

void append_number(std::string& out, std::uint64_t number, int base = 10)
{
    std::array<char, 20> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base);
    out.append(digits.data(), end.ptr);
}

void append_header(std::string& out, std::string_view name, std::string_view value)
{
    out.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

void append_reply_head(std::string& out, int status, std::string_view content_type, const http_headers& headers,
                       const reply_framing& framing, std::string_view date,
                       const http_headers& more)
{
    out.append("HTTP/1.1 ");
    append_number(out, static_cast<std::uint64_t>(status));
    out.append(" ").append(http_reason(status)).append("\r\n");
    append_header(out, "Date", date);
    if (!content_type.empty()) append_header(out, "Content-Type", content_type);
    if (framing.content_length) {
        out.append("Content-Length: ");
        append_number(out, *framing.content_length);
        out.append("\r\n");
    } else if (!is_bodyless(status) && !framing.is_http_1_0) {
        append_header(out, "Transfer-Encoding", "chunked");
    }
    if (framing.closes)
        append_header(out, "Connection", "close");
    else if (framing.is_http_1_0)
        append_header(out, "Connection", "keep-alive");
    for (const http_headers* const all : {&headers, &more})
        for (std::size_t i = 0; i < all->size(); ++i) append_header(out, (*all)[i].name, (*all)[i].value);
    out.append("\r\n");
}

std::string& append_chunk(std::string& out, std::string_view bytes)
{
    if (bytes.empty()) return out;
    append_number(out, bytes.size(), 16);
    return out.append("\r\n").append(bytes).append("\r\n");
}

std::string refused_connection(std::string_view why)
{
    const std::string body = error_body("no_capacity", why);
    return "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n"
           "Connection: close\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string error_body(std::string_view code, std::string_view message)
{
    boost::json::object inner;
    inner["code"] = code;
    inner["message"] = message;
    boost::json::object whole;
    whole["error"] = std::move(inner);
    return boost::json::serialize(whole);
}

}  // namespace weft::net_detail
