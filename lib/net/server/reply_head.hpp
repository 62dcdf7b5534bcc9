#pragma once

#include <weft/net/text/http_headers.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::net_detail {

/** What the head of an answer says beside status and headers. */
struct reply_framing {
    /** Nothing: the body comes in chunks, or ends with the connection in HTTP/1.0. */
    std::optional<std::uint64_t> content_length = {};
    bool is_http_1_0 = false;  ///< The client's version: it knows no chunks.
    bool closes = false;       ///< The connection ends with the answer.
};

/** Appends the head of an answer to `out`, up to the empty line. @param date  For the header `Date`.
 *  @param more  Further headers. */
void append_reply_head(std::string& out, int status, std::string_view content_type, const http_headers& headers,
                       const reply_framing& framing, std::string_view date,
                       const http_headers& more = {});

/** Appends a piece of a body as a chunk; nothing for no bytes, which would end the body. @return  `out`. */
std::string& append_chunk(std::string& out, std::string_view bytes);

/** The chunk that ends a body. */
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

/** True if answers of this status have no body. */
[[nodiscard]] constexpr bool is_bodyless(int status) noexcept
{
    return status < 200 || status == 204 || status == 304;
}

/** The whole answer to a client whose connection the server does not take: 503, why, and when to come again. */
[[nodiscard]] std::string refused_connection(std::string_view why);

/** `{"error":{"code":…,"message":…}}` */
[[nodiscard]] std::string error_body(std::string_view code, std::string_view message);

}  // namespace weft::net_detail
