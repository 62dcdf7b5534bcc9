#pragma once

#include <weft/net/text/http_headers.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace weft {

/** An answer that is there as a whole: status, headers and body.
 *
 *      weft::http_reply reply{200, R"({"ok":true})", "application/json"};
 *      reply.headers.set("cache-control", "no-store");
 *      co_await call.reply(std::move(reply));
 *
 *  A body of at least `http_server_options::gzip_bytes_min` bytes that is `application/json`, `image/svg+xml` or text
 *  other than `text/event-stream` is compressed for clients that accept gzip, and has `Vary: Accept-Encoding` for all.
 *  It goes out as it is with a `Content-Encoding`, a `Content-Range` or a strong `ETag` of the handler, and after
 *  `http_call::never_compress`.
 *
 *  @par Thread safety   As a value.
 */
struct http_reply {
    http_reply() {}
    explicit http_reply(int status, std::string body = {}, std::string content_type = "text/plain; charset=utf-8")
        : status{status}, content_type{std::move(content_type)}, body{std::move(body)}
    {
    }

    int status = 200;
    std::string content_type = "application/json";  ///< Sent if there is a body.
    std::string body;
    /** Others than `Content-Type`, `Content-Length`, `Transfer-Encoding`, `Connection` and `Date`, which the server
     *  sends itself. */
    http_headers headers;
};

/** What stands in the status line behind a number; empty for an unknown one. */
[[nodiscard]] std::string_view http_reason(int status) noexcept;

}  // namespace weft
