#pragma once

#include <weft/net/text/http_headers.hpp>

#include <string>
#include <string_view>

namespace weft {

/** What a client says before the body: method, target and headers.
 *
 *  @par Thread safety   As a value.
 *  @par Source          RFC 9112 §3.
 */
struct http_request_head {
    std::string method;            ///< A token, in capitals as clients send it: `GET`.
    std::string target;            ///< Path and query; begins with a slash, or is `*` for `OPTIONS`.
    std::string host;              ///< What the header `Host`, or an absolute target, says; empty in HTTP/1.0.
    bool is_http_1_0 = false;      ///< Else HTTP/1.1.
    http_headers headers;

    /** The target up to the `?`, as it was sent. */
    [[nodiscard]] std::string_view path() const noexcept
    {
        return std::string_view{target}.substr(0, target.find('?'));
    }
    /** What follows the `?`, as it was sent; empty without one. */
    [[nodiscard]] std::string_view query() const noexcept
    {
        const std::size_t at = target.find('?');
        return at == std::string::npos ? std::string_view{} : std::string_view{target}.substr(at + 1);
    }
};

}  // namespace weft
